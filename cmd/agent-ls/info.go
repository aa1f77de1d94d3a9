package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin"
)

// release is set by the linker for released builds.
var release = ""

// acpVersion is the ACP version spoken.
const acpVersion = 1

// version is the release, else what the Go tool knows of the build.
func version() string {
	if release != "" {
		return release
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return "0.0.0-dev"
}

// commit is the revision that was built, "" when unknown.
func commit() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func versionCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version, the commit and the protocol versions", Args: noArgs,
		Example: "  agent-ls version\n  agent-ls version --json",
		RunE: func(*cobra.Command, []string) error {
			info := struct {
				Version   string         `json:"version"`
				Commit    string         `json:"commit,omitempty"`
				Go        string         `json:"go"`
				Platform  string         `json:"platform"`
				Protocols map[string]any `json:"protocols"`
			}{version(), commit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, map[string]any{"acp": acpVersion}}
			if asJSON {
				return printJSON(io.out, info)
			}
			fmt.Fprintf(io.out, "agent-ls %s\n", info.Version)
			if info.Commit != "" {
				fmt.Fprintf(io.out, "commit    %s\n", info.Commit)
			}
			fmt.Fprintf(io.out, "built by  %s for %s\nprotocols ACP %d\n", info.Go, info.Platform, acpVersion)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func toolsCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "tools", Short: "List the tools that a model sees", Args: noArgs,
		Example: "  agent-ls tools\n  agent-ls tools --json | jq '.[] | select(.name == \"edit\").parameters'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			r := tools.NewRegistry()
			if err := builtin.Register(r, builtinOptions(c)); err != nil {
				return err
			}
			if asJSON {
				return printJSON(io.out, r.Schemas(nil))
			}
			for _, t := range r.List(nil) {
				fmt.Fprintf(io.out, "%-24s %s\n", t.Name, firstSentence(t.Description))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print names, descriptions and schemas as JSON")
	return cmd
}

// firstSentence is what a description says first, on one line.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	if head, more := strings.CutSuffix(s, ":"); more {
		s = head + "."
	}
	return s
}

// printJSON prints v indented, as a script or a person may want it.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printLines prints a list as JSON lines.
func printLines[T any](w io.Writer, list []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, v := range list {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	return nil
}
