package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// process carries the connection to a stdio server that it has started.
type process struct {
	child *proc.Child
	lines *proc.Lines
	max   int
}

// startProcess starts a server in dir.
func startProcess(config ServerConfig, dir string, o Options, log *slog.Logger) (*process, error) {
	stderr := &chatter{log: log}
	child, err := proc.Program{
		Path: config.Command, Args: config.Args, Dir: dir, Env: environment(o.Environ, config.Env),
		Stderr: stderr.add, Logger: log,
	}.Start()
	if err != nil {
		return nil, err
	}
	message := func(line []byte) bool {
		valid := json.Valid(line)
		if !valid {
			log.Debug("no message on standard output", "line", proc.LastWords(string(line)))
		}
		return valid
	}
	return &process{child: child, lines: proc.NewLines(child, o.MaxMessage, message), max: o.MaxMessage}, nil
}

// Connect makes the SDK speak over the server's standard streams.
func (p *process) Connect(ctx context.Context) (sdk.Connection, error) {
	t := &sdk.IOTransport{Reader: io.NopCloser(p.lines), Writer: input{p.child}, MaxLineLength: p.max + 1}
	return t.Connect(ctx)
}

// input is the server's standard input; closing it asks the server to leave.
type input struct{ *proc.Child }

// Close ends the input.
func (i input) Close() error { return i.CloseInput() }

// end ends the server with its process group, and with it the session.
func (p *process) end(session *sdk.ClientSession) {
	_ = p.child.Close() // how it ended is asked by trouble
	if session != nil {
		_ = session.Close() // what it says is known: the other side is gone
	}
}

// trouble says how the server ended and what it said last; call it after end.
func (p *process) trouble() string { return p.child.Exit().Trouble() }

// maxLogged is how much of a server's standard error is logged, in bytes.
const maxLogged = 1 << 20

// chatter logs what a server says on standard error, line by line and no more
// than maxLogged. Not safe for concurrent use.
type chatter struct {
	log    *slog.Logger
	line   strings.Builder
	logged int
}

func (c *chatter) add(text string) {
	for part := range strings.Lines(text) {
		if c.logged > maxLogged {
			return
		}
		c.logged += len(part)
		c.line.WriteString(part)
		if strings.HasSuffix(part, "\n") || c.line.Len() > proc.DefaultKeep {
			c.log.Info("standard error", "line", strings.TrimRight(c.line.String(), "\r\n"))
			c.line.Reset()
		}
		if c.logged > maxLogged {
			c.log.Warn("it says too much on standard error; no more of it is logged")
		}
	}
}
