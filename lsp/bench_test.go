package lsp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// openIn opens a text as an unsaved document.
func openIn(docs *Documents, text string) uri.URI {
	u := uri.URI("untitled:bench")
	docs.open(protocol.TextDocumentItem{URI: u, Version: 1, Text: text})
	return u
}

// typing inserts a letter at a position, as its own notification.
func typing(line, column int) []protocol.TextDocumentContentChangeEvent {
	p := protocol.Position{Line: uint32(line), Character: uint32(column)}
	return []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangePartial{Range: protocol.Range{Start: p, End: p}, Text: "x"}}
}

const benchLine = "the quick brown fox jumps over the lazy dog 0123456789 é\n"

// BenchmarkKeystroke types into 20 MB; the goal is a median under 1 ms.
func BenchmarkKeystroke(b *testing.B) {
	docs := newDocuments()
	lines := (20 << 20) / len(benchLine)
	u := openIn(docs, strings.Repeat(benchLine, lines))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := docs.change(u, int32(i+2), typing((i*7919)%lines, 12)); !ok {
			b.Fatal("change not taken")
		}
	}
}

// BenchmarkBurst takes 5,000 changes of 1 MB from the wire; the goal is 250 ms.
func BenchmarkBurst(b *testing.B) {
	lines := (1 << 20) / len(benchLine)
	r := rand.New(rand.NewPCG(1, 1))
	bodies := make([][]byte, 5000)
	for i := range bodies {
		bodies[i] = fmt.Appendf(nil, `{"textDocument":{"uri":"untitled:bench","version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":3},"end":{"line":%[2]d,"character":5}},"text":"new 😀"}]}`, i+2, r.IntN(lines))
	}
	text := strings.Repeat(benchLine, lines)
	b.ReportAllocs()
	for b.Loop() {
		s := &Server{docs: newDocuments(), follow: &follower{}, logger: discard}
		openIn(s.docs, text)
		for _, body := range bodies {
			if _, err := on(func(s *Server, _ context.Context, p *protocol.DidChangeTextDocumentParams) (any, error) {
				s.didChange(p)
				return nil, nil
			})(s, nil, body); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkEditToRequest makes the request of an edit of 2,000 lines; the goal
// is 5 ms.
func BenchmarkEditToRequest(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.txt")
	text := strings.Repeat(benchLine, 2000)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	docs := newDocuments()
	docs.open(protocol.TextDocumentItem{URI: uri.File(path), Version: 1, Text: text})
	real := docs.files()[0]
	at := len(benchLine) * 1000
	f := fileWrite(real, text, diff.Edit{Start: at, End: at + len(benchLine), New: "another line\n"})
	d := door{&Server{docs: docs, client: features{documentChanges: true}}}
	b.ReportAllocs()
	for b.Loop() {
		t, _ := docs.await(real, f.After)
		edits, err := t.edits(f)
		if err != nil || len(edits) != 1 {
			b.Fatal(err)
		}
		if _, err := protocol.Marshal(d.params(t, edits)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDocuments opens 200 documents of 2,000 lines and reports the memory
// that they hold; the goal is 60 MB.
func BenchmarkDocuments(b *testing.B) {
	text := strings.Repeat(benchLine, 2000)
	var held uint64
	for b.Loop() {
		before := heap()
		docs := newDocuments()
		for i := range 200 {
			docs.open(protocol.TextDocumentItem{URI: uri.URI(fmt.Sprint("untitled:", i)), Version: 1, Text: strings.Clone(text)})
		}
		held = heap() - before
		runtime.KeepAlive(docs)
	}
	b.ReportMetric(float64(held)/(1<<20), "MB")
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
