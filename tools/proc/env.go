package proc

import (
	"runtime"
	"strings"
)

// secretWords mark the variables that commands must not see (contract §7,
// settled 17).
var secretWords = []string{"KEY", "SECRET", "TOKEN"}

// quiet are the variables that keep commands from paging, colouring and
// prompting. The editor is a program that fails, so that `git commit` without
// a message ends at once (field report 86).
var quiet = []string{
	"NO_COLOR=1",
	"TERM=dumb",
	"PAGER=cat",
	"GIT_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0",
	"EDITOR=false",
	"VISUAL=false",
	"GIT_EDITOR=false",
}

// Environment returns what a command sees: base without secrets, then the
// variables that keep it quiet, then extra, which wins over both
// (tools.md §3.10.5). A name occurs once.
func Environment(base, extra []string) []string {
	env := make([]string, 0, len(base)+len(quiet)+len(extra))
	at := make(map[string]int, cap(env))
	add := func(entry string) {
		name := variableName(entry)
		if i, ok := at[name]; ok {
			env[i] = entry
			return
		}
		at[name] = len(env)
		env = append(env, entry)
	}
	for _, entry := range base {
		if !isSecret(entry) {
			add(entry)
		}
	}
	for _, entry := range quiet {
		add(entry)
	}
	for _, entry := range extra {
		add(entry)
	}
	return env
}

// isSecret says whether the name of entry holds one of the secret words.
func isSecret(entry string) bool {
	name := strings.ToUpper(variableName(entry))
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// variableName returns the name in NAME=VALUE, folded where the system folds
// it. Windows has names that begin with "=".
func variableName(entry string) string {
	name := entry
	if i := strings.IndexByte(entry[min(1, len(entry)):], '='); i >= 0 {
		name = entry[:i+1]
	}
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
