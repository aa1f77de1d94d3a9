package conformance

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// hostileEditors are clients whose files do not do what they say.
var hostileEditors = []scenario{
	{"reads fail", readsFail}, {"reads are wrong", readsAreWrong}, {"writes come late", writesComeLate}, {"writes lie", writesLie},
	{"writes are formatted", writesAreFormatted}, {"reads block until a cancel", readsBlock}, {"buffers move while asked", buffersMove},
}

func readsFail(t *testing.T) {
	h := newHome(t)
	s := editor(h, &files{read: func(string) (string, *rpcError, bool) {
		return "", &rpcError{Code: -32603, Message: "no\nsuch luck"}, true
	}}, options{})
	h.file("a.txt", "on disk\n")
	s.run(all("/read a.txt", "/grep disk", replaceText("a.txt", "disk", "DISK")))
	for _, k := range s.cards() {
		completed(t, k)
	}
	if h.text("a.txt") != "on DISK\n" {
		t.Errorf("the file holds %q", h.text("a.txt"))
	}
}

// readsAreWrong: an answer that is no text of a file is no reason to stop.
func readsAreWrong(t *testing.T) {
	for _, result := range []string{"null", "{}", `{"content":5}`, `{"content":null}`, `[]`, `"text"`, `{"content":"x","content":"y"}`} {
		h := newHome(t)
		s := h.start(options{caps: fsCaps, files: &files{raw: result}}).newSession()
		h.file("a.txt", "on disk\n")
		s.run("/read a.txt")
		if k := s.last(acp.KindRead); !k.over() || strings.TrimSpace(k.text()) == "" {
			t.Errorf("%s: card %s", result, k.facts())
		}
		s.run("!true")
	}
}

// writesComeLate: the answer to a write comes when its turn was cancelled and
// another one runs.
func writesComeLate(t *testing.T) {
	answer := make(chan struct{})
	h := newHome(t)
	f := &files{write: func(path, _ string) (*rpcError, bool) {
		if strings.HasSuffix(path, "late.txt") {
			<-answer
		}
		return nil, false
	}}
	s := editor(h, f, options{})
	turn := s.prompt(write("late.txt", "x\n"))
	s.until("the write", func() bool { _, writes := f.ops(); return len(writes) == 1 })
	s.cancelled(turn)
	next := s.prompt("!while [ ! -e go ]; do sleep 0.01; done")
	s.untilRunning()
	close(answer)
	if !poll(func() bool { return h.exists("late.txt") }) {
		t.Error("the client did not write")
	}
	h.file("go", "")
	stop(t, next)
	s.run(all(read("late.txt"), write("other.txt", "y\n")))
	completed(t, s.lastEdit())
}

// writesLie: the client says that it saved, and did not.
func writesLie(t *testing.T) {
	h := newHome(t)
	s := editor(h, &files{write: func(string, string) (*rpcError, bool) { return nil, true }}, options{})
	h.file("a.txt", "one\n")
	s.run(edit("a.txt", "one", "ONE"))
	if k := s.lastEdit(); k.status == acp.StatusCompleted && h.text("a.txt") == "one\n" {
		t.Errorf("the card says that the file was changed, and it was not: %s", k.facts())
	}
}

// writesAreFormatted: the client formats what it saves; what is edited next is
// what is there.
func writesAreFormatted(t *testing.T) {
	h := newHome(t)
	f := &files{}
	f.write = func(path, content string) (*rpcError, bool) {
		os.WriteFile(path, []byte(strings.ReplaceAll(content, "\t", "    ")), 0o644)
		return nil, true
	}
	s := editor(h, f, options{})
	h.file("a.txt", "one\n")
	s.run(edit("a.txt", "one", "\tONE"))
	if !s.lastEdit().over() || h.text("a.txt") != "    ONE\n" {
		t.Fatalf("card %s, file %q", s.lastEdit().facts(), h.text("a.txt"))
	}
	s.run(edit("a.txt", "    ONE", "two"))
	if completed(t, s.lastEdit()); h.text("a.txt") != "two\n" {
		t.Errorf("the file holds %q", h.text("a.txt"))
	}
}

func readsBlock(t *testing.T) {
	answer := make(chan struct{})
	defer close(answer)
	h := newHome(t)
	f := &files{read: func(string) (string, *rpcError, bool) { <-answer; return "", nil, false }}
	s := editor(h, f, options{})
	h.file("a.txt", "on disk\n")
	turn := s.prompt("/read a.txt")
	s.until("the read", func() bool { reads, _ := f.ops(); return len(reads) > 0 })
	s.cancelled(turn)
	s.until("the withdrawal of the read", func() bool { return len(s.withdrawn) > 0 })
	s.run("!true")
}

// buffersMove: the user types into the file while its change is asked about.
func buffersMove(t *testing.T) {
	const typed = "typed meanwhile\n"
	h, f := newHome(t), &files{}
	s := editor(h, f, options{permission: always(answerHang)})
	path := h.file("a.txt", "one\ntwo\n")
	f.open(path, "one\ntwo\n")
	turn := s.prompt(edit("a.txt", "two", "TWO"))
	q := s.untilAsked(1)
	f.open(path, typed+"one\ntwo\n")
	s.settle(q, choice(acp.AllowOnce))
	stop(t, turn)
	if buffer, _ := f.buffer(path); !has(buffer, typed) {
		t.Errorf("what was typed is lost: the buffer holds %q, card %s", buffer, s.lastEdit().facts())
	}
}
