package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// TestMain lets the test's own program be the second start.
func TestMain(m *testing.M) {
	Intercept(os.Args)
	os.Exit(m.Run())
}

// runConfined runs a command line in mode with one root.
func runConfined(t *testing.T, mode Mode, root, line string) proc.Exit {
	t.Helper()
	bounds, err := For(mode, []string{root})
	if err != nil {
		t.Fatal(err)
	}
	local := proc.NewLocal(proc.LocalOptions{})
	t.Cleanup(local.Close)
	p, err := local.Start(t.Context(), proc.Command{Line: line, Dir: root, Confine: bounds})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

// needSystem ends a test where the system cannot confine, after it has seen that
// this is said.
func needSystem(t *testing.T) {
	t.Helper()
	if _, err := Check(); err == nil {
		return
	}
	_, err := For(ReadOnly, nil)
	var e *proc.Error
	if !errors.As(err, &e) || e.Code != proc.CodeSandboxUnavailable || e.Hint == "" {
		t.Fatalf("a system that cannot confine says %v", err)
	}
	t.Skip("this system cannot confine")
}

func TestOffIsNothing(t *testing.T) {
	for _, mode := range []Mode{Off, ""} {
		if bounds, err := For(mode, nil); bounds != nil || err != nil {
			t.Errorf("%q: %v, %v", mode, bounds, err)
		}
	}
}

func TestModes(t *testing.T) {
	needSystem(t)
	outside := t.TempDir()
	// The folder for temporary files may be written, so what may not must lie
	// elsewhere.
	t.Setenv("TMPDIR", t.TempDir())
	root := filepath.Join(outside, "root")
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "theirs"), []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, line string
		mode       Mode
		code       int
		denied     string
	}{
		{"writes below the root", "echo a > a && mv a sub/a && rm sub/a", WorkspaceWrite, 0, ""},
		{"writes a temporary file", "f=$(mktemp) && echo a > $f && rm $f", WorkspaceWrite, 0, ""},
		{"writes outside", "echo a > ../b", WorkspaceWrite, 1, "workspace-write"},
		{"writes outside through a link", "ln -s ../theirs link; echo a > link", WorkspaceWrite, 1, "workspace-write"},
		{"empties a file outside", "truncate -s 0 ../theirs", WorkspaceWrite, 1, "workspace-write"},
		{"removes a file outside", "rm -f ../theirs", WorkspaceWrite, 1, "workspace-write"},
		{"moves a file in", "mv ../theirs .", WorkspaceWrite, 1, "workspace-write"},
		{"a child writes outside", "bash -c 'bash -c \"echo a > ../b\"'", WorkspaceWrite, 1, "workspace-write"},
		{"reads outside", "cat ../theirs > /dev/null", ReadOnly, 0, ""},
		{"writes below the root, read-only", "echo a > a", ReadOnly, 1, "read-only"},
		{"makes a folder, read-only", "mkdir d", ReadOnly, 1, "read-only"},
		{"writes a device", "echo a > /dev/null", ReadOnly, 0, ""},
		{"fails for another reason", "exit 3", ReadOnly, 3, ""},
		{"fails with its own message", "echo permission granted; exit 3", ReadOnly, 3, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			exit := runConfined(t, tt.mode, root, tt.line)
			if exit.Code == nil || *exit.Code != tt.code || exit.Denied != tt.denied {
				t.Errorf("%+v", exit)
			}
			if got, err := os.ReadFile(filepath.Join(outside, "theirs")); err != nil || string(got) != "theirs" {
				t.Errorf("the file outside: %q, %v", got, err)
			}
		})
	}
}

func TestBrokenRulesRunNothing(t *testing.T) {
	needSystem(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	local := proc.NewLocal(proc.LocalOptions{})
	t.Cleanup(local.Close)
	for name, argv := range map[string][]string{
		"no rules":       {program, marker, "{", "/bin/sh", "-c", "echo ran"},
		"no such folder": {program, marker, `{"write":["/no/such/folder"]}`, "/no/such/shell"},
	} {
		bounds := &proc.Confinement{Name: "test", Denied: denied, Wrap: func([]string) []string { return argv }}
		p, err := local.Start(t.Context(), proc.Command{Line: "x", Dir: t.TempDir(), Confine: bounds})
		if err != nil {
			t.Fatal(err)
		}
		exit, err := p.Wait(t.Context())
		if err != nil || exit.Code == nil || *exit.Code != notRun || !strings.Contains(exit.Stderr.Text, "was not run") || exit.Stdout.Text != "" {
			t.Errorf("%s: %+v, %v", name, exit, err)
		}
	}
}
