package conformance

import (
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agent-ls/agent-ls/acp"
)

var fileReports = []report{
	{35, lineEndsStay}, {37, foreignBytesStay}, {38, byteOrderMarkStays}, {40, staleBuffers}, {41, changesAreNoticed},
	{43, writesMayBlock}, {44, newFilesThroughTheClient},
}

// changing is a change of one file.
type changing struct {
	name, before, prompt, after string
}

// check runs each change in a session and compares bytes.
func (c changing) check(t *testing.T, s *session) {
	t.Helper()
	s.h.file("f.txt", c.before)
	s.run(c.prompt)
	completed(t, s.lastEdit())
	if got := s.h.text("f.txt"); got != c.after {
		t.Errorf("%s: %q, want %q", c.name, clip(got), clip(c.after))
	}
}

var lineEndCases = []changing{
	{"CRLF patched", "one\r\ntwo\r\nthree\r\n", all(read("f.txt"), patch("*** Update File: f.txt", "@@", " one", "-two", "+TWO", "+and", " three")), "one\r\nTWO\r\nand\r\nthree\r\n"},
	{"CRLF edited", "one\r\ntwo\r\nthree\r\n", edit("f.txt", "two\nthree", "TWO\nTHREE\nFOUR"), "one\r\nTWO\r\nTHREE\r\nFOUR\r\n"},
	{"CRLF lines replaced", "one\r\ntwo\r\nthree\r\n", all(read("f.txt"), tool("edit", args{"file_path": "f.txt", "start_line": 2, "end_line": 2, "content": "TWO\nand"})), "one\r\nTWO\r\nand\r\nthree\r\n"},
	{"CRLF, several edits", "one\r\ntwo\r\nthree\r\n", all(read("f.txt"), tool("edit", args{"file_path": "f.txt", "edits": []args{{"old_string": "one", "new_string": "ONE"}, {"old_string": "three\n", "new_string": "THREE\n"}}})), "ONE\r\ntwo\r\nTHREE\r\n"},
	{"CRLF, every one", "a\r\nb\r\na\r\n", all(read("f.txt"), tool("edit", args{"file_path": "f.txt", "old_string": "a\n", "new_string": "A\n", "replace_all": true})), "A\r\nb\r\nA\r\n"},
	{"mixed, edited", "a\r\nb\nc\r\nd", edit("f.txt", "b", "B"), "a\r\nB\nc\r\nd"},
	{"mixed, patched", "a\r\nb\nc\r\nd", all(read("f.txt"), patch("*** Update File: f.txt", "@@", " a", "-b", "+B")), "a\r\nB\nc\r\nd"},
	{"no final newline", "x\ny", edit("f.txt", "x", "X"), "X\ny"},
	{"no final newline, last line", "x\r\ny", edit("f.txt", "y", "Y"), "x\r\nY"},
	{"no final newline, patched", "x\ny", all(read("f.txt"), patch("*** Update File: f.txt", "@@", " x", "-y", "+Y")), "x\nY"},
	{"lone CR", "a\rb\nc\n", edit("f.txt", "c", "C"), "a\rb\nC\n"},
	{"tabs and trailing spaces", "\ta  \n  b\t\n", edit("f.txt", "b", "B"), "\ta  \n  B\t\n"},
}

func lineEndsStay(t *testing.T) {
	h := newHome(t)
	for name, s := range map[string]*session{"disk": h.start(options{}).newSession(), "normalising client": editor(h, &files{unix: true}, options{})} {
		for _, c := range lineEndCases {
			c.name = name + ": " + c.name
			c.check(t, s)
		}
	}
}

// keptOrRefused runs a change that may be refused, but not damage the file.
func keptOrRefused(t *testing.T, s *session, c changing) {
	t.Helper()
	s.h.file("f.txt", c.before)
	s.run(c.prompt)
	want := c.after
	if k := s.lastEdit(); k.status == acp.StatusFailed {
		want = c.before
	}
	if got := s.h.text("f.txt"); got != want {
		t.Errorf("%s: %q, want %q", c.name, clip(got), clip(want))
	}
}

func foreignBytesStay(t *testing.T) {
	h := newHome(t)
	patched := all(read("f.txt"), patch("*** Update File: f.txt", "@@", "-x=1", "+x=2"))
	for name, s := range map[string]*session{"disk": h.start(options{}).newSession(), "client": editor(h, &files{}, options{})} {
		for _, c := range []changing{
			{"Latin-1", "caf\xe9\nx=1\n", edit("f.txt", "x=1", "x=2"), "caf\xe9\nx=2\n"},
			{"GBK", "\xc4\xe3\xba\xc3\r\nx=1\r\n", edit("f.txt", "x=1", "x=2"), "\xc4\xe3\xba\xc3\r\nx=2\r\n"},
			{"Latin-1, patched", "caf\xe9\nx=1\n", patched, "caf\xe9\nx=2\n"},
			{"the same line", "\xe9 x=1 \xff\n", edit("f.txt", "x=1", "x=2"), "\xe9 x=2 \xff\n"},
			{"lone surrogate", "\xed\xa0\x80\nx=1\n", edit("f.txt", "x=1", "x=2"), "\xed\xa0\x80\nx=2\n"},
			{"U+FFFD that was there", "\ufffd\nx=1\n", edit("f.txt", "x=1", "x=2"), "\ufffd\nx=2\n"},
			{"NUL", "a\x00b\nx=1\n", edit("f.txt", "x=1", "x=2"), "a\x00b\nx=2\n"},
		} {
			c.name = name + ": " + c.name
			keptOrRefused(t, s, c)
		}
	}
}

func byteOrderMarkStays(t *testing.T) {
	const bom = "\ufeff"
	h := newHome(t)
	for name, s := range map[string]*session{"disk": h.start(options{}).newSession(), "normalising client": editor(h, &files{unix: true}, options{})} {
		for _, c := range []changing{
			{"edited", bom + "one\ntwo\n", edit("f.txt", "one", "ONE"), bom + "ONE\ntwo\n"},
			{"patched", bom + "one\r\ntwo\r\n", all(read("f.txt"), patch("*** Update File: f.txt", "@@", "-one", "+ONE")), bom + "ONE\r\ntwo\r\n"},
		} {
			c.name = name + ": " + c.name
			c.check(t, s)
		}
	}
	s := open(t, options{})
	wide := func(text string, order func(u uint16) []byte) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(bom + text)) {
			b = append(b, order(u)...)
		}
		return string(b)
	}
	little := func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }
	big := func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }
	for name, order := range map[string]func(uint16) []byte{"UTF-16LE": little, "UTF-16BE": big} {
		keptOrRefused(t, s, changing{name, wide("one\ntwo\n", order), edit("f.txt", "one", "ONE"), wide("ONE\ntwo\n", order)})
	}
}

func staleBuffers(t *testing.T) {
	// A client whose clean buffer lags: it goes on answering "one" after our own
	// command wrote "two".
	h, f := newHome(t), &files{}
	s := editor(h, f, options{})
	f.open(h.file("a.txt", "one\n"), "one\n")
	s.run(all(read("a.txt"), `!printf 'two\n' > a.txt`, read("a.txt")))
	if text := s.last(acp.KindRead).text(); !has(text, "two") || has(text, "one") {
		t.Errorf("read after the command shows %q", text)
	}
	s.run(replaceText("a.txt", "one", "ONE"))
	if got := h.text("a.txt"); s.lastEdit().status != acp.StatusFailed || got != "two\n" {
		t.Errorf("an edit of the stale text: %s, file %q", s.lastEdit().status, got)
	}
	s.run(edit("a.txt", "two", "three"))
	if got := h.text("a.txt"); got != "three\n" {
		t.Errorf("after an edit of the fresh text the file holds %q", got)
	}
}

func changesAreNoticed(t *testing.T) {
	s := open(t, options{})
	for name, change := range map[string]string{
		"edit": replaceText("a.txt", "two", "TWO"), "write": write("a.txt", "all new\n"),
		"lines": tool("edit", args{"file_path": "a.txt", "start_line": 2, "end_line": 2, "content": "TWO"}),
	} {
		s.h.file("a.txt", "one\ntwo\n")
		s.run(read("a.txt"))
		s.h.file("a.txt", "one\ntwo\nadded by the user\n")
		s.run(change)
		k := s.lastEdit()
		if got := s.h.text("a.txt"); got != "one\ntwo\nadded by the user\n" {
			t.Errorf("%s: the file holds %q", name, got)
		}
		if failed(t, k); !has(strings.ToLower(k.text()), "changed", "read") {
			t.Errorf("%s: the card says %s", name, k.text())
		}
	}
	changedWhileAsked(t)
	typedSinceTheRead(t)
}

// changedWhileAsked: the file changes while its diff is being looked at.
func changedWhileAsked(t *testing.T) {
	s := open(t, options{permission: always(answerHang)})
	s.h.file("b.txt", "one\ntwo\n")
	turn := s.prompt(edit("b.txt", "two", "TWO"))
	q := s.untilAsked(1)
	s.h.file("b.txt", "one\ntwo\nmeanwhile\n")
	s.settle(q, choice(acp.AllowOnce))
	stop(t, turn)
	failed(t, s.lastEdit())
	if got := s.h.text("b.txt"); got != "one\ntwo\nmeanwhile\n" {
		t.Errorf("the file holds %q", got)
	}
}

// typedSinceTheRead: unsaved text is never lost.
func typedSinceTheRead(t *testing.T) {
	const typed = "typed, not saved\n"
	h, f := newHome(t), &files{}
	s := editor(h, f, options{})
	path := h.file("c.txt", "one\ntwo\n")
	f.open(path, "one\ntwo\n")
	s.run(read("c.txt"))
	f.open(path, "one\ntwo\n"+typed)
	s.run(replaceText("c.txt", "two", "TWO"))
	buffer, _ := f.buffer(path)
	if disk := h.text("c.txt"); !has(buffer, typed) || disk != "one\ntwo\n" && !has(disk, typed) {
		t.Errorf("the buffer holds %q, the disk %q", buffer, disk)
	}
}

func writesMayBlock(t *testing.T) {
	h, f := newHome(t), &files{write: func(string, string) (*rpcError, bool) {
		return &rpcError{Code: -32603, Message: "the user rejected this edit"}, true
	}}
	s := editor(h, f, options{})
	h.file("a.txt", "one\n")
	s.run(edit("a.txt", "one", "ONE"))
	if failed(t, s.lastEdit()); h.text("a.txt") != "one\n" || !has(s.lastEdit().text(), "rejected this edit") {
		t.Errorf("the client refused; the card says %s, the file %q", s.lastEdit().text(), h.text("a.txt"))
	}

	answer := make(chan struct{})
	defer close(answer)
	h, f = newHome(t), &files{write: func(string, string) (*rpcError, bool) { <-answer; return nil, false }}
	s = editor(h, f, options{})
	h.file("b.txt", "one\n")
	turn := s.prompt(edit("b.txt", "one", "ONE"))
	s.until("the write", func() bool { _, writes := f.ops(); return len(writes) == 1 })
	other := s.newSession()
	other.run("hello")
	if turn.answered() {
		t.Error("the turn is over although the write was not answered")
	}
	s.cancelled(turn)
	s.until("the withdrawal of the write", func() bool { return len(s.withdrawn) > 0 })
	s.run("hello")
}

func newFilesThroughTheClient(t *testing.T) {
	h, f := newHome(t), &files{noParents: true}
	s := editor(h, f, options{})
	for _, prompt := range []string{write("d1/d2/new.txt", "new\n"), patch("*** Add File: d3/new.txt", "+new"), tool("edit", args{"file_path": "d4/new.txt", "old_string": "", "new_string": "new\n"})} {
		s.run(prompt)
		completed(t, s.lastEdit())
	}
	reads, writes := f.ops()
	if len(writes) != 3 {
		t.Errorf("%d writes", len(writes))
	}
	for _, op := range reads {
		if op.fails {
			t.Errorf("the client was asked for %s, which is not there", op.path)
		}
	}
	for i, name := range []string{"d1/d2/new.txt", "d3/new.txt", "d4/new.txt"} {
		if got, err := os.ReadFile(h.path(name)); string(got) != "new\n" || i < len(writes) && writes[i].disk != nil {
			t.Errorf("%s holds %q (%v)", name, got, err)
		}
	}
}
