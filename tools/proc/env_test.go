package proc

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	base := []string{
		"HOME=/home/u", "OPENAI_API_KEY=1", "my_secret_thing=2", "GithubToken=3", "MONKEY=4",
		"PAGER=less", "EDITOR=vim", "HOME=/home/v", "EMPTY=", "GO111MODULE=on",
	}
	env := Environment(base, []string{"PAGER=more", "API_TOKEN=given"})
	want := map[string]string{
		"HOME": "/home/v", "EMPTY": "", "GO111MODULE": "on",
		"NO_COLOR": "1", "TERM": "dumb", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
		"EDITOR": "false", "VISUAL": "false", "GIT_EDITOR": "false",
		"PAGER": "more", "API_TOKEN": "given",
	}
	got := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if _, twice := got[name]; twice {
			t.Errorf("%s occurs twice", name)
		}
		got[name] = value
	}
	for name, value := range want {
		if v, ok := got[name]; !ok || v != value {
			t.Errorf("%s=%q (%v), want %q", name, v, ok, value)
		}
	}
	for _, name := range []string{"OPENAI_API_KEY", "my_secret_thing", "GithubToken", "MONKEY"} {
		if _, ok := got[name]; ok {
			t.Errorf("%s was not scrubbed", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("environment %v, want %v", got, want)
	}
}

func TestVariableName(t *testing.T) {
	for entry, want := range map[string]string{"A=b": "A", "A": "A", "": "", "A=b=c": "A", `=C:=C:\x`: "=C:"} {
		if got := variableName(entry); !strings.EqualFold(got, want) {
			t.Errorf("variableName(%q) = %q, want %q", entry, got, want)
		}
	}
}

func TestFindShell(t *testing.T) {
	have := func(names ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			if slices.Contains(names, name) {
				return "/bin/" + name, nil
			}
			return "", errors.New("not found")
		}
	}
	tests := []struct {
		goos  string
		have  []string
		spec  string
		name  string
		path  string
		first string
	}{
		{"linux", []string{"bash"}, "", "bash", "/bin/bash", "-c"},
		{"darwin", nil, "", "sh", "/bin/sh", "-c"},
		{"windows", []string{"bash", "powershell"}, "", "PowerShell", "/bin/powershell", "-NoLogo"},
		{"windows", []string{"pwsh", "powershell"}, "", "PowerShell", "/bin/pwsh", "-NoLogo"},
		{"windows", nil, `C:\W\cmd.exe`, "cmd", `C:\W\cmd.exe`, "/d"},
		{"windows", nil, "", "cmd", "cmd.exe", "/d"},
	}
	for _, tt := range tests {
		s := findShell(tt.goos, have(tt.have...), func(string) string { return tt.spec })
		if s.Name != tt.name || s.Path != tt.path || s.Args[0] != tt.first {
			t.Errorf("%s with %v: %+v", tt.goos, tt.have, s)
		}
	}
}

func TestCheckLine(t *testing.T) {
	for line, want := range map[string]string{
		"":                             "empty",
		" \n\t":                        "empty",
		"echo a\x00b":                  "NUL",
		strings.Repeat("x", maxLine+1): "script file",
	} {
		err := checkLine(line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("checkLine(%.20q) = %v, want %q", line, err, want)
		}
	}
	if err := checkLine(strings.Repeat("x", maxLine)); err != nil {
		t.Error(err)
	}
}
