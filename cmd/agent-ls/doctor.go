package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/tools/confine"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/proc"
)

func doctorCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what was found and what is missing",
		Long: `Says which settings are in force and where they come from, and checks what
sessions need. Exit status 1 when something that is needed is broken.`,
		Example: `  agent-ls doctor
  agent-ls doctor --model openai:gpt-5   # is there a key?
  agent-ls doctor --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := systemSources(cmd)
			if err != nil {
				return err
			}
			c, loadErr := config.Load(s)
			d := diagnose(cmd.Context(), c, loadErr)
			if asJSON {
				err = printJSON(io.out, d)
			} else {
				d.print(io.out)
			}
			if err == nil && d.broken() {
				return &exitError{code: exitFailed}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// finding is one thing that doctor looked at.
type finding struct {
	Name string `json:"name"`
	// State is ok, missing (works without it) or broken.
	State string `json:"state"`
	Text  string `json:"text"`
}

// diagnosis is what doctor says.
type diagnosis struct {
	Findings []finding         `json:"findings"`
	Settings []settingFound    `json:"settings"`
	Platform map[string]string `json:"platform"`
}

type settingFound struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

func diagnose(ctx context.Context, c config.Config, loadErr error) diagnosis {
	d := diagnosis{Platform: map[string]string{"os": runtime.GOOS, "arch": runtime.GOARCH, "version": version()}}
	d.workingFolder(c.Cwd)
	d.configuration(c, loadErr)
	d.model(ctx, c)
	d.stateFolder(c.StateDir)
	d.grants(filepath.Join(c.StateDir, grantsFile))
	d.shell()
	d.sandbox(confine.Mode(c.Bash.Sandbox))
	d.program("git", "ignored files are found without it, too")
	d.program("rg", "the built-in search is used")
	for _, s := range c.Report() {
		d.Settings = append(d.Settings, settingFound{s.Key, s.Value, s.Origin.String()})
	}
	return d
}

func (d *diagnosis) add(name, state, format string, args ...any) {
	d.Findings = append(d.Findings, finding{name, state, fmt.Sprintf(format, args...)})
}

func (d *diagnosis) broken() bool {
	for _, f := range d.Findings {
		if f.State == "broken" {
			return true
		}
	}
	return false
}

func (d *diagnosis) workingFolder(dir string) {
	if err := checkFolder(dir); err != nil {
		d.add("working folder", "broken", "%v", err)
		return
	}
	d.add("working folder", "ok", "%s", dir)
}

func (d *diagnosis) configuration(c config.Config, err error) {
	switch _, statErr := os.Stat(c.File); {
	case err != nil:
		d.add("configuration", "broken", "%v", err)
	case statErr == nil:
		d.add("configuration", "ok", "%s", c.File)
	default:
		d.add("configuration", "ok", "no file at %s: defaults, flags and variables count", c.File)
	}
	for _, w := range c.Warnings {
		d.add("configuration", "missing", "%s", w)
	}
}

func (d *diagnosis) model(ctx context.Context, c config.Config) {
	if hosted, ok, err := hostedAgent(c, c.Model); err != nil {
		d.add("model", "broken", "%v", err)
		return
	} else if ok {
		d.add("model", "ok", "%s: the agent %s is installed", c.Model, hosted.Command)
		return
	}
	m := newModels(c, slog.New(slog.DiscardHandler))
	defer m.close()
	if text, err := m.check(ctx, c.Model); err != nil {
		d.add("model", "broken", "%s: %v", c.Model, err)
	} else {
		d.add("model", "ok", "%s", text)
	}
}

// stateFolder checks that sessions can be saved.
func (d *diagnosis) stateFolder(dir string) {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".doctor-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		d.add("state folder", "broken", "%s: sessions work but are not saved: %v", dir, err)
		return
	}
	d.add("state folder", "ok", "%s", dir)
}

// grants checks that remembered answers can be read.
func (d *diagnosis) grants(path string) {
	list, err := permission.OpenGrants(path).List()
	if err != nil {
		d.add("grants", "broken", "remembered answers cannot be read, so everything is asked again: %v", err)
		return
	}
	d.add("grants", "ok", "%d remembered, see agent-ls permissions list", len(list))
}

func (d *diagnosis) shell() {
	sh := proc.FindShell()
	path, err := exec.LookPath(sh.Path)
	if err != nil {
		d.add("shell", "broken", "no shell was found: commands cannot run: %v", err)
		return
	}
	d.add("shell", "ok", "%s", path)
}

// sandbox says whether commands can be confined; it is broken only where they
// are to be.
func (d *diagnosis) sandbox(wanted confine.Mode) {
	partial, err := confine.Check()
	switch {
	case err != nil && wanted != confine.Off:
		d.add("sandbox", "broken", "bash.sandbox is %s, but %v: no command runs below the mode full-access", wanted, err)
	case err != nil:
		d.add("sandbox", "missing", "%v; bash.sandbox is off", err)
	case partial != "":
		d.add("sandbox", "missing", "commands can be confined in part (bash.sandbox is %s): %s", wanted, partial)
	default:
		d.add("sandbox", "ok", "commands can be confined by Landlock (bash.sandbox is %s)", wanted)
	}
}

func (d *diagnosis) program(name, without string) {
	path, err := exec.LookPath(name)
	if err != nil {
		d.add(name, "missing", "not found; %s", without)
		return
	}
	d.add(name, "ok", "%s", filepath.Clean(path))
}

func (d *diagnosis) print(w io.Writer) {
	marks := map[string]string{"ok": "✓", "missing": "–", "broken": "✗"}
	fmt.Fprintf(w, "agent-ls %s on %s/%s\n\n", d.Platform["version"], d.Platform["os"], d.Platform["arch"])
	for _, f := range d.Findings {
		fmt.Fprintf(w, "%s %-14s %s\n", marks[f.State], f.Name, f.Text)
	}
	fmt.Fprintf(w, "\nSettings\n")
	const widest = 60 // a longer value moves its own line alone
	width := 0
	for _, s := range d.Settings {
		if n := utf8.RuneCountInString(s.Value); n <= widest {
			width = max(width, n)
		}
	}
	for _, s := range d.Settings {
		if s.Value != "" {
			fmt.Fprintf(w, "  %-24s %-*s  %s\n", s.Key, width, s.Value, s.Origin)
		}
	}
}
