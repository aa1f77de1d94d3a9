package proc

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Shell is the program that interprets command lines.
type Shell struct {
	// Name is what the model is told, e.g. bash.
	Name string
	// Path is the program.
	Path string
	// Args come before the command line.
	Args []string
}

// FindShell returns the shell of this system: bash, else /bin/sh; on Windows
// PowerShell, else cmd. A Windows bash is not looked for, since the one that
// is usually found is another system's.
func FindShell() Shell {
	return findShell(runtime.GOOS, exec.LookPath, os.Getenv)
}

// findShell is FindShell with the world as arguments.
func findShell(goos string, look func(string) (string, error), getenv func(string) string) Shell {
	if goos != "windows" {
		if path, err := look("bash"); err == nil {
			return Shell{Name: "bash", Path: path, Args: []string{"-c"}}
		}
		return Shell{Name: "sh", Path: "/bin/sh", Args: []string{"-c"}}
	}
	for _, name := range []string{"pwsh", "powershell"} {
		if path, err := look(name); err == nil {
			return Shell{Name: "PowerShell", Path: path, Args: []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-Command"}}
		}
	}
	path := getenv("ComSpec")
	if path == "" {
		path = "cmd.exe"
	}
	return Shell{Name: "cmd", Path: path, Args: []string{"/d", "/s", "/c"}}
}

// maxLine is the longest command line, in bytes: what Linux takes as one
// argument.
const maxLine = 128<<10 - 1

// checkLine refuses command lines that no system can start.
func checkLine(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return &Error{Code: CodeBadCommand, Message: "the command is empty", Hint: "Give the command line to run"}
	case strings.ContainsRune(line, 0):
		return &Error{Code: CodeBadCommand, Message: "the command holds a NUL character", Hint: `Remove it, or let printf '\0' make it`}
	case len(line) > maxLine:
		return &Error{
			Code:    CodeBadCommand,
			Message: fmt.Sprintf("the command has %d bytes, %d are possible", len(line), maxLine),
			Hint:    "Write it to a script file and run that",
		}
	}
	return nil
}
