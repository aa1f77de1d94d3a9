// Package builtin is the tools of contract §4: one file each, with the text
// that a model reads in an .md file beside it. It owns what these tools accept,
// do, answer and show; it knows neither who calls them nor who shows their
// cards. What they work on comes from the session, see the keys in deps.go.
//
// A constructor such as Bash returns a definition that is shared by all
// sessions. What belongs to one session lies in its dependencies and metadata,
// never in a definition.
package builtin

import (
	"fmt"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Options are the constructor options of the tools (seed 001, contract §4);
// every field may be zero.
type Options struct {
	// BashCwd is where commands without a workdir run; "" means the session's
	// cwd. A relative one starts there.
	BashCwd string
	// BashTimeout is the time of a command that asks for none (120 s),
	// BashMaxTimeout the most that one can ask for (600 s).
	BashTimeout, BashMaxTimeout time.Duration
	// BashMaxStdoutLines and BashMaxStderrLines bound what the model gets of
	// each stream, in lines, besides the bound in bytes; 0 means no bound.
	BashMaxStdoutLines, BashMaxStderrLines int

	// ReadMaxSize refuses larger files, in bytes; 0 means no bound of its own.
	ReadMaxSize int64
	// ReadMaxLines bounds the lines of one read (2000).
	ReadMaxLines int
	// ReadMaxTotalSize bounds the bytes of all files that one turn reads; 0
	// means no bound.
	ReadMaxTotalSize int64
	// ReadImageProcessor turns the bytes of an image into what the model gets;
	// nil means the image itself, scaled down where it is too large.
	ReadImageProcessor func(data []byte, mimeType string) (presentation.Block, error)

	// Web is for the tools that use the network.
	Web WebOptions
}

// All returns a definition of every built-in tool.
func All(o Options) []*tools.Definition {
	return append([]*tools.Definition{
		ApplyPatch(o),
		Bash(o),
		BashKill(o),
		BashOutput(o),
		Done(o),
		Edit(o),
		Glob(o),
		Grep(o),
		Ls(o),
		OutputCache(o),
		OutputCacheGrep(o),
		OutputCacheLine(o),
		Read(o),
		Search(o),
		ViewImage(o),
		WebFetch(o),
		Write(o),
	}, Todos(o)...)
}

// Register adds every built-in tool to the global layer of r.
func Register(r *tools.Registry, o Options) error {
	for _, d := range All(o) {
		if _, err := r.Register(d); err != nil {
			return fmt.Errorf("register %s: %w", d.Name, err)
		}
	}
	return nil
}
