package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// TestTwoProcesses: a session that one process has open is refused to another,
// which is told who holds it; when it is free again, it can be opened (contract
// §8).
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	first, _ := visit(t, options{})
	second := first.h.start(options{})
	p := params{"sessionId": first.id, "cwd": first.h.cwd, "mcpServers": []any{}}
	holder := fmt.Sprint(first.cmd.Process.Pid)
	for _, method := range []string{acp.MethodSessionLoad, acp.MethodSessionResume, acp.MethodSessionDelete} {
		if e := second.refused(method, p); !has(e.Message, holder) {
			t.Errorf("%s: %s does not name the holder %s", method, e.Message, holder)
		}
	}
	first.run("/read a.txt") // undisturbed
	if ids := second.list(params{}); len(ids) != 1 || ids[0] != first.id {
		t.Errorf("the other process lists %v", ids)
	}
	first.call(acp.MethodSessionClose, params{"sessionId": first.id}, nil)
	taken := second.load(first.id)
	taken.run("/read a.txt")
	first.refused(acp.MethodSessionLoad, p)
	second.kill() // a crash leaves no lock
	back := first.load(first.id)
	if n := len(back.cards()); n != 3 {
		t.Errorf("%d cards of two processes", n)
	}
	back.run("hello")
}

// TestNewerLog: the log of a newer version is refused, and not touched.
func TestNewerLog(t *testing.T) {
	t.Parallel()
	c, id := reopened(t)
	path := c.h.log(id)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, rest, _ := strings.Cut(string(data), "\n")
	newer := strings.Replace(header, `"format":1`, `"format":9999`, 1) + "\n" + rest
	if newer == string(data) {
		t.Fatalf("the header is %s", header)
	}
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := c.refused(acp.MethodSessionLoad, params{"sessionId": id, "cwd": c.h.cwd, "mcpServers": []any{}}); !has(e.Message, "newer") {
		t.Errorf("refused with %s", e.Message)
	}
	if after, _ := os.ReadFile(path); string(after) != newer {
		t.Error("the log was changed")
	}
}

// TestDamagedLog: lines in the middle of a log that cannot be read are left
// out, and the user is told.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	s, _ := visit(t, options{})
	s.run("/read a.txt")
	s.leave()
	path := s.h.log(s.id)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	half := len(lines) / 2
	damaged := strings.Join(lines[:half], "") + "\x00\xff not JSON\n" + strings.Join(lines[half:], "")
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	caps := acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}
	loaded := s.h.start(options{caps: caps}).load(s.id)
	loaded.settledCards()
	if n := len(loaded.cards()); n != 2 {
		t.Errorf("%d cards", n)
	}
	loaded.run("hello")
}
