package lsp

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

func readAll(t *testing.T, f *framer) (bodies []string, err error) {
	t.Helper()
	for {
		body, err := f.read()
		if errors.Is(err, errTooLong) {
			bodies = append(bodies, "(too long)")
			continue
		}
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, string(body))
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		err      error
	}{
		{"one", "Content-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"two in one write", "Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]", []string{"{}", "[]"}, io.EOF},
		{"content type", "Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"letter case, spaces, bare line ends", "content-length:2 \n\n{}", []string{"{}"}, io.EOF},
		{"a line that is no header", "this is no header\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"a header without a length", "Content-Type: text/plain\r\n\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"a negative length", "Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"over the cap", "Content-Length: 20\r\n\r\n01234567890123456789Content-Length: 2\r\n\r\n{}", []string{"(too long)", "{}"}, io.EOF},
		{"empty body", "Content-Length: 0\r\n\r\n", []string{""}, io.EOF},
		{"nothing", "", nil, io.EOF},
		{"end in the header", "Content-Le", nil, io.ErrUnexpectedEOF},
		{"end in the body", "Content-Length: 9\r\n\r\n{}", nil, io.ErrUnexpectedEOF},
		{"end in a long body", "Content-Length: 99\r\n\r\n{}", nil, io.ErrUnexpectedEOF},
		{"no end of a line", strings.Repeat("x", 70<<10), nil, errNoLength},
		{"no end of headers", strings.Repeat("x: y\r\n", 20<<10), nil, errNoLength},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				got, err := readAll(t, newFramer(r, 16))
				if !errors.Is(err, c.err) || strings.Join(got, "|") != strings.Join(c.want, "|") {
					t.Fatalf("got %q, %v; want %q, %v", got, err, c.want, c.err)
				}
			}
		})
	}
}

// FuzzFrames feeds hostile bytes: what is read was framed, and it ends.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 99999999999999999999\r\n\r\n{}"))
	f.Add([]byte("\r\n\r\n\r\nContent-Length: 1\n\nx"))
	f.Add([]byte("Content-Length: 1073741824\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		fr := newFramer(bytes.NewReader(in), 1<<16)
		for range len(in) + 1 {
			body, err := fr.read()
			if errors.Is(err, errTooLong) {
				continue
			}
			if err != nil {
				return
			}
			if len(body) > 1<<16 || !bytes.Contains(in, body) {
				t.Fatalf("a body that was not sent: %q", body)
			}
		}
		t.Fatal("more messages than bytes")
	})
}

func TestWhatIsNoMessageIsAnswered(t *testing.T) {
	s := start(t, "bare", world{change: func(o *Options, _ *Backend) {
		if o != nil {
			o.MaxMessage = 64 << 10
		}
	}})
	bad := map[string]int{
		`{"jsonrpc":"2.0","id":5,"method":`: -32700, `}{`: -32700, "\xff": -32700,
		`null`: -32600, `[]`: -32600, `7`: -32600, `{"jsonrpc":"2.0"}`: -32600, strings.Repeat("x", 65<<10): -32600,
	}
	want := map[int]int{}
	for body, code := range bad {
		s.raw(frame([]byte(body)))
		want[code]++
	}
	s.until("an answer to each", func() bool {
		got := map[int]int{}
		for _, c := range s.unread {
			got[c]++
		}
		return maps.Equal(got, want)
	})
	s.raw([]byte("Content-Type: text/plain\r\n\r\n"))
	if _, err := s.request("no/such", nil); code(err) != -32601 {
		t.Fatalf("the connection is not alive: %v", err)
	}
}
