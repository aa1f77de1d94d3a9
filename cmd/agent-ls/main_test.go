package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program where it is called by its name,
// so that tests run it as a process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agent-ls": main, mcpServerName: serveMCP})
}

// quiet is a test that scripts do not log to when they pass, also with -v.
type quiet struct{ *testing.T }

// Log leaves the log of a script that passed out.
func (t quiet) Log(args ...any) {
	if text := fmt.Sprint(args...); !strings.HasSuffix(strings.TrimSpace(text), "PASS") {
		t.T.Log(text)
	}
}

// Run runs a script as a subtest.
func (t quiet) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(quiet{t}) })
}

// Verbose says no.
func (quiet) Verbose() bool { return false }

// TestScript runs the scripts of testdata/script, each in a folder of its own
// with a home of its own.
func TestScript(t *testing.T) {
	testscript.RunT(quiet{t}, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			e.Vars = append(e.Vars, homeEnv(home)...)
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "setid": setID},
	})
}

// homeEnv makes home the only place where the program looks and writes.
func homeEnv(home string) []string {
	return []string{
		"HOME=" + home, "USERPROFILE=" + home, "LOCALAPPDATA=" + filepath.Join(home, "local"), "APPDATA=" + filepath.Join(home, "roaming"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"GORACE=atexit_sleep_ms=0", // else a program with the race detector takes a second to end
	}
}

// exits runs a program that must end with an exit code: exits CODE PROGRAM [ARG…].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// id matches the id of a session or a grant at the beginning of a line, and in
// JSON.
var id = regexp.MustCompile(`(?mi)(?:^|"id": ")([0-9a-z-]{6,})(?:"|  )`)

// setID puts the first id of the last output into the variable ID.
func setID(ts *testscript.TestScript, neg bool, args []string) {
	found := id.FindStringSubmatch(ts.ReadFile("stdout"))
	if neg || len(args) > 0 || found == nil {
		ts.Fatalf("usage: setid, after a list that holds an id")
	}
	ts.Setenv("ID", found[1])
}
