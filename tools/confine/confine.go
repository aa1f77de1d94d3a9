package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// Mode says what commands may write (tools.md §3.12.1).
type Mode string

// The modes, from wide to narrow.
const (
	// Off leaves commands alone.
	Off Mode = "off"
	// WorkspaceWrite lets commands write below the session's roots and the
	// folder for temporary files.
	WorkspaceWrite Mode = "workspace-write"
	// ReadOnly lets commands write nothing but devices such as /dev/null.
	ReadOnly Mode = "read-only"
)

// Modes are the modes from wide to narrow.
func Modes() []string { return []string{string(Off), string(WorkspaceWrite), string(ReadOnly)} }

// marker is the first argument of the second start.
const marker = "__confined"

// policy is the second argument: the folders that may be written.
type policy struct {
	Write []string `json:"write"`
}

// errUnsupported is what Check wraps where the system cannot confine.
var errUnsupported = errors.New("this system cannot confine commands")

// Check returns an error that says why commands cannot be confined here, nil
// where they can. partial says what the kernel leaves open, "" for nothing.
func Check() (partial string, err error) { return check() }

// For returns how a command is confined in mode, nil for Off. roots are the
// folders of the session. It fails with SANDBOX_UNAVAILABLE where the system
// cannot do it.
func For(mode Mode, roots []string) (*proc.Confinement, error) {
	if mode == Off || mode == "" {
		return nil, nil
	}
	if _, err := check(); err != nil {
		return nil, &proc.Error{
			Code: proc.CodeSandboxUnavailable, Err: err,
			Message: fmt.Sprintf("commands are to be confined to %s, but %v", mode, err),
			Hint:    "Nothing was run. The user can set bash.sandbox to off, or choose the mode full-access",
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, &proc.Error{Code: proc.CodeSandboxUnavailable, Message: "the program to confine commands with was not found: " + err.Error(), Hint: "Nothing was run", Err: err}
	}
	p := policy{}
	if mode == WorkspaceWrite {
		p.Write = append(append(p.Write, roots...), os.TempDir())
	}
	rules, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("confine: %w", err)
	}
	return &proc.Confinement{Name: string(mode), Wrap: func(argv []string) []string {
		return append([]string{program, marker, string(rules)}, argv...)
	}, Denied: denied}, nil
}

// signatures are what programs say when the system refuses a write.
var signatures = []string{"Permission denied", "permission denied", "Operation not permitted", "Read-only file system", "EACCES", "EPERM"}

// denied reports whether output looks like that of a refused write.
func denied(output string) bool {
	for _, s := range signatures {
		if strings.Contains(output, s) {
			return true
		}
	}
	return false
}

// Intercept turns this process into a confined command when it was started as
// one (args are the process's arguments with its name); else it returns at once.
// A command that cannot be confined is not run: the process ends with 125.
func Intercept(args []string) {
	if len(args) < 4 || args[1] != marker {
		return
	}
	err := become(args[2], args[3:])
	fmt.Fprintf(os.Stderr, "agent-ls: the command was not run: %v\n", err)
	os.Exit(notRun)
}

// notRun is the exit status of a command that could not be confined.
const notRun = 125

// become confines the process and replaces it by argv; it returns only errors.
func become(rules string, argv []string) error {
	var p policy
	if err := json.Unmarshal([]byte(rules), &p); err != nil {
		return fmt.Errorf("the rules of its confinement are broken: %w", err)
	}
	if err := restrict(p); err != nil {
		return fmt.Errorf("it could not be confined: %w", err)
	}
	return execute(argv)
}
