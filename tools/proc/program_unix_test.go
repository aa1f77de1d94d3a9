//go:build unix

package proc

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// startProgram starts a shell script as a Program that is closed with the test.
func startProgram(t *testing.T, script string, change func(*Program)) *Child {
	t.Helper()
	p := Program{Path: "sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: Environment(os.Environ(), nil)}
	if change != nil {
		change(&p)
	}
	c, err := p.Start()
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ended waits until c has ended.
func ended(t *testing.T, c *Child) Exit {
	t.Helper()
	select {
	case <-c.Done():
		return c.Exit()
	case <-time.After(patience):
		t.Fatal("the program does not end")
		return Exit{}
	}
}

func TestProgramIsSpokenTo(t *testing.T) {
	c := startProgram(t, `while read line; do echo "got $line"; done; echo bye`, nil)
	out := bufio.NewReader(c)
	for _, word := range []string{"one", "two"} {
		if _, err := io.WriteString(c, word+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); line != "got "+word+"\n" {
			t.Errorf("answered %q, %v", line, err)
		}
	}
	c.Close()
	if e := ended(t, c); code(e) != "0" {
		t.Errorf("left with %+v, want 0: the end of its input ends it", e)
	}
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("a closed program takes input")
	}
}

func TestProgramOutcomes(t *testing.T) {
	tests := []struct{ script, out, stderr, code, signal string }{
		{"echo out; echo err >&2; exit 3", "out\n", "err\n", "3", ""},
		{"kill -9 $$", "", "", "none", "SIGKILL"},
		{"exec >&-; exit 0", "", "", "0", ""},
		{`printf 'caf\351' >&2`, "", "caf\uFFFD", "0", ""},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			var shown strings.Builder
			c := startProgram(t, tt.script, func(p *Program) { p.Stderr = func(text string) { shown.WriteString(text) } })
			out, err := io.ReadAll(c)
			e := ended(t, c)
			if string(out) != tt.out || err != nil || code(e) != tt.code || e.Signal != tt.signal {
				t.Errorf("wrote %q (%v) and ended with %+v", out, err, e)
			}
			if e.Stderr.Text != tt.stderr || shown.String() != tt.stderr {
				t.Errorf("stderr is %q, shown %q, want %q", e.Stderr.Text, shown.String(), tt.stderr)
			}
		})
	}
}

func TestProgramThatCannotStart(t *testing.T) {
	for _, p := range []Program{
		{Path: "/no/such/program", Dir: t.TempDir()},
		{Path: "no-such-program-anywhere", Dir: t.TempDir()},
		{Path: "sh", Dir: "/no/such/folder"},
		{Path: "sh", Dir: "relative"},
	} {
		_, err := p.Start()
		var coded *Error
		if !errors.As(err, &coded) || coded.Hint == "" {
			t.Errorf("%+v: %v, want an *Error with a next step", p, err)
		}
	}
}

func TestProgramCloseFromManySides(t *testing.T) {
	c := startProgram(t, "cat", nil)
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, c)
		read <- err
	}()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { c.Close() })
	}
	all.Wait()
	<-read // a blocked Read has been woken
}
