package lsp

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// docWorld is a store with one document of a real file.
type docWorld struct {
	t       *testing.T
	docs    *Documents
	path    string
	uri     uri.URI
	version int32
	now     time.Time
}

func newDocWorld(t *testing.T, disk string) *docWorld {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &docWorld{t: t, docs: newDocuments(), path: filepath.Join(dir, "a.txt"), now: time.Now().Add(-time.Hour)}
	w.uri = uri.File(w.path)
	w.write(disk)
	return w
}

// write gives the file a text, and each time another time stamp.
func (w *docWorld) write(text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.now = w.now.Add(time.Second)
	if err := os.Chtimes(w.path, w.now, w.now); err != nil {
		w.t.Fatal(err)
	}
}

func (w *docWorld) open(text string) {
	w.version = 1
	w.docs.open(protocol.TextDocumentItem{URI: w.uri, Version: 1, Text: text})
}

func (w *docWorld) set(text string) cause {
	w.t.Helper()
	w.version++
	c, ok := w.docs.change(w.uri, w.version, []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: text}})
	if !ok {
		w.t.Fatal("change not taken")
	}
	return c.Cause
}

func (w *docWorld) handle() workspace.Handle {
	w.t.Helper()
	h, ok := w.docs.Document(w.path)
	if !ok {
		w.t.Fatal("not open")
	}
	return h
}

func (w *docWorld) expect(content string, dirty, diskChanged bool) {
	w.t.Helper()
	h := w.handle()
	if h.Content() != content || h.Dirty != dirty || h.DiskChanged != diskChanged || h.SameAsDisk == dirty || h.Version != w.version {
		w.t.Fatalf("content %q, dirty %v, disk changed %v, version %d; want %q, %v, %v, %d",
			h.Content(), h.Dirty, h.DiskChanged, h.Version, content, dirty, diskChanged, w.version)
	}
}

func TestDirty(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.expect("one\n", false, false)
	if c := w.set("one!\n"); c != causeTyping {
		t.Fatalf("typing is %d", c)
	}
	w.expect("one!\n", true, false)
	w.set("one\n") // the user's undo
	w.expect("one\n", false, false)
}

func TestDiskChangesUnderABuffer(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.write("two\n")
	w.expect("one\n", false, false) // clean: the view takes the disk
	w.set("one typed\n")
	w.expect("one typed\n", true, true)
}

func TestReloads(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.write("two\n")
	if c := w.set("two\n"); c != causeReload {
		t.Fatalf("a reload is %d", c)
	}
	w.expect("two\n", false, false)
	if c := w.set("one\n"); c != causeTyping { // undo of a reload
		t.Fatalf("going back is %d", c)
	}
	w.expect("one\n", true, false)
}

func TestLateReload(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.docs.expectDisk(w.path, "two\n")
	w.write("two\n")
	w.docs.expectDisk(w.path, "three\n")
	w.write("three\n")
	for _, text := range []string{"two\n", "three\n"} {
		if c := w.set(text); c != causeReload {
			t.Fatalf("the late reload to %q is %d", text, c)
		}
		w.expect(text, false, false)
	}
}

func TestExternalTextsAreNoticed(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.write("two\n")
	w.docs.touched(w.path)
	w.write("three\n")
	if c := w.set("two\n"); c != causeReload {
		t.Fatalf("a reload after two changes is %d", c)
	}
}

func TestSave(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.set("saved\n")
	w.write("saved\n")
	w.docs.save(w.uri)
	w.expect("saved\n", false, false)
	if got := w.handle().SavedHash; got != workspace.HashText("saved\n") {
		t.Fatalf("saved hash %q", got)
	}
}

func TestByteOrderMarkAndLineEndings(t *testing.T) {
	w := newDocWorld(t, bom+"a\r\nb\r\n")
	w.open("a\r\nb\r\n") // as editors give it
	w.expect(bom+"a\r\nb\r\n", false, false)
	w.set("a\r\nB\r\n")
	w.expect(bom+"a\r\nB\r\n", true, false)

	w = newDocWorld(t, "a\r\nb\nc")
	w.open("a\nb\nc\n") // mixed endings made one, a last line end added
	w.expect("a\nb\nc\n", false, false)
}

func TestBufferWithoutAFile(t *testing.T) {
	w := newDocWorld(t, "")
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.open("")
	w.expect("", true, false)
	w.write("made\n")
	if c := w.set("made\n"); c != causeReload {
		t.Fatalf("the first save by others is %d", c)
	}
}

func TestVersionsMustGrow(t *testing.T) {
	w := newDocWorld(t, "one\n")
	w.open("one\n")
	w.set("two\n")
	for _, version := range []int32{2, 1, -1} {
		if _, ok := w.docs.change(w.uri, version, nil); ok {
			t.Errorf("version %d after 2 was taken", version)
		}
	}
	if _, ok := w.docs.change("file:///not/open", 9, nil); ok {
		t.Error("a change of a closed document was taken")
	}
}

func TestNoFiles(t *testing.T) {
	docs := newDocuments()
	for _, u := range []string{"untitled:Untitled-1", "git:/a.txt?x", "vscode-notebook-cell:/x.ipynb#W0", "file:///"} {
		docs.open(protocol.TextDocumentItem{URI: parseURI(u), Version: 1, Text: "x"})
		if _, ok := docs.change(parseURI(u), 2, []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: "y"}}); !ok {
			t.Errorf("%s: change not taken", u)
		}
		docs.save(parseURI(u))
	}
	if n := len(docs.Documents()); n != 0 {
		t.Fatalf("%d of them are files", n)
	}
}

func TestMarksAreBounded(t *testing.T) {
	var d diskMarks
	for i := range 3 * maxMarks {
		d.add(fingerprint{size: i})
	}
	if len(d.list) != maxMarks || d.find(fingerprint{size: 0}) != 0 || d.find(fingerprint{size: 3*maxMarks - 1}) != d.state() {
		t.Fatalf("%d marks, state %d", len(d.list), d.state())
	}
}

var textPieces = []string{"a", "é", "e\u0301", "中", "😀", "👩‍👩‍👧", "🇫🇷", "\n", "\r\n", "\r", "word "}

func randomPieces(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(textPieces[r.IntN(len(textPieces))])
	}
	return b.String()
}

// TestChangesAgainstFullText makes random changes in three encodings, several
// in one notification, and compares with the whole text.
func TestChangesAgainstFullText(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, enc := range []diff.Encoding{diff.UTF8, diff.UTF16, diff.UTF32} {
		w := newDocWorld(t, "")
		w.docs.setEncoding(enc)
		want := randomPieces(r, 400)
		w.open(want)
		for range 300 {
			var changes []protocol.TextDocumentContentChangeEvent
			for range 1 + r.IntN(4) {
				var c protocol.TextDocumentContentChangeEvent
				c, want = randomChange(r, want, enc)
				changes = append(changes, c)
			}
			w.version++
			if _, ok := w.docs.change(w.uri, w.version, changes); !ok {
				t.Fatal("change not taken")
			}
			if got := w.handle().Content(); got != want {
				t.Fatalf("encoding %d: the texts differ after version %d", enc, w.version)
			}
		}
	}
}

// randomChange changes a random part of s.
func randomChange(r *rand.Rand, s string, enc diff.Encoding) (protocol.TextDocumentContentChangeEvent, string) {
	insert := randomPieces(r, r.IntN(4))
	if r.IntN(50) == 0 {
		return &protocol.TextDocumentContentChangeWholeDocument{Text: insert}, insert
	}
	m := diff.NewMapper(s)
	at := func(offset int) int {
		for offset < len(s) && !utf8.RuneStart(s[offset]) {
			offset--
		}
		return m.Offset(m.Position(offset, enc), enc) // a place that has a position
	}
	start := at(r.IntN(len(s) + 1))
	end := max(start, at(min(len(s), start+r.IntN(30))))
	span := protocol.Range{Start: wirePosition(m.Position(start, enc)), End: wirePosition(m.Position(end, enc))}
	return &protocol.TextDocumentContentChangePartial{Range: span, Text: insert}, s[:start] + insert + s[end:]
}

func FuzzChange(f *testing.F) {
	f.Add("a\r\nb😀", uint32(0), uint32(1), uint32(1), uint32(2), "x", uint8(0))
	f.Add("", uint32(5), uint32(5), uint32(0), uint32(0), "\n", uint8(1))
	f.Add("é\n", uint32(0), uint32(4294967295), uint32(4294967295), uint32(0), "", uint8(2))
	f.Fuzz(func(t *testing.T, s string, l1, c1, l2, c2 uint32, insert string, e uint8) {
		s, insert = strings.ToValidUTF8(s, "?"), strings.ToValidUTF8(insert, "?")
		docs, u, enc := newDocuments(), uri.URI("untitled:x"), diff.Encoding(e%3)
		docs.setEncoding(enc)
		docs.open(protocol.TextDocumentItem{URI: u, Version: 1, Text: s})
		span := protocol.Range{Start: protocol.Position{Line: l1, Character: c1}, End: protocol.Position{Line: l2, Character: c2}}
		docs.change(u, 2, []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangePartial{Range: span, Text: insert}})
		m := diff.NewMapper(s)
		a, b := m.Offset(position(span.Start), enc), m.Offset(position(span.End), enc)
		a, b = min(a, b), max(a, b)
		if got, _, _ := docs.Text(u); got.String() != s[:a]+insert+s[b:] {
			t.Fatalf("got %q, want %q", got.String(), s[:a]+insert+s[b:])
		}
	})
}
