package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// splitLines is what a LineReader reads, the plain way.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range lines {
		lines[i] = validUTF8([]byte(strings.TrimSuffix(lines[i], "\r")))
	}
	return lines
}

func TestLineReader(t *testing.T) {
	for _, in := range []string{
		"", "\n", "a", "a\n", "a\nb", "a\nb\n", "\n\n", "a\r\nb\r\n", "a\r", "\r\n", "x\n\ny", "caf\xe9\nb", "≤\n你",
		strings.Repeat("long", lineBuffer) + "\nshort\n" + strings.Repeat("é", lineBuffer),
	} {
		want := splitLines(in)
		for skip := 0; skip <= len(want)+1; skip++ {
			l := NewLineReader(iotest.OneByteReader(strings.NewReader(in)))
			if len(in) > 1000 {
				l = NewLineReader(strings.NewReader(in))
			}
			n, err := l.Skip(int64(skip))
			if err != nil || n != int64(min(skip, len(want))) {
				t.Fatalf("%.20q: skipped %d of %d, %v", in, n, skip, err)
			}
			for i := skip; i < len(want); i++ {
				if more, err := l.More(); !more || err != nil {
					t.Errorf("%.20q: line %d: more %v, %v", in, i+1, more, err)
				}
				line, err := l.Next(len(in) + 1)
				if err != nil || line.Text != want[i] || line.Cut || line.Number != int64(i+1) {
					t.Errorf("%.20q: line %d: %.20q %+v, %v", in, i+1, line.Text, line.Number, err)
				}
			}
			if _, err := l.Next(10); err != io.EOF {
				t.Errorf("%.20q: after the end: %v", in, err)
			}
			if l.Lines() != int64(len(want)) {
				t.Errorf("%.20q: %d lines", in, l.Lines())
			}
		}
	}
}

func TestLineReaderCuts(t *testing.T) {
	in := "abcdef\nab\r\nabc\r\n≤≤\n" + strings.Repeat("x", 3*lineBuffer) + "\nend"
	want := []Line{{1, "abc", true}, {2, "ab", false}, {3, "abc", false}, {4, "≤", true}, {5, "xxx", true}, {6, "end", false}}
	l := NewLineReader(strings.NewReader(in))
	for _, w := range want {
		most := 3
		if w.Number == 4 {
			most = 5
		}
		if got, err := l.Next(most); got != w || err != nil {
			t.Errorf("got %+v, %v, want %+v", got, err, w)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	reader := func() io.Reader { return io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)) }
	if _, err := NewLineReader(reader()).Skip(5); !errors.Is(err, broken) {
		t.Errorf("skip: %v", err)
	}
	l := NewLineReader(reader())
	_, _ = l.Next(9)
	if _, err := l.Next(9); !errors.Is(err, broken) {
		t.Errorf("next: %v", err)
	}
	if _, err := ReadPage(reader(), 0, 0); !errors.Is(err, broken) {
		t.Errorf("page: %v", err)
	}
	if _, err := ReadSegment(reader(), 2, 0, 10); !errors.Is(err, broken) {
		t.Errorf("segment: %v", err)
	}
	for _, o := range []GrepOptions{{Pattern: "x"}, {Pattern: "x+", Regex: true}} {
		if _, err := Grep(&seekable{reader()}, o); !errors.Is(err, broken) {
			t.Errorf("grep %+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(broken)
	if _, err := ReadPage(WithContext(ctx, strings.NewReader("a")), 0, 0); !errors.Is(err, broken) {
		t.Errorf("cancelled: %v", err)
	}
}

type seekable struct{ io.Reader }

func (*seekable) Seek(int64, int) (int64, error) { return 0, nil }

func TestReadPage(t *testing.T) {
	three := "one\ntwo\nthree\n"
	huge := strings.Repeat("A", 60_000)
	wide := strings.Repeat("あ", 50_000)
	zalgo := strings.Repeat("e"+strings.Repeat("\u0301", 40), 2000)
	tests := []struct {
		name          string
		in            string
		offset, limit int64
		lines         int
		first         string // the first line's text, "" for not looked at
		more, full    bool
		beyond        bool
		cut           int // lines that are clipped
	}{
		{"all", three, 0, 0, 3, "one", false, false, false, 0},
		{"limit", three, 0, 1, 1, "one", true, false, false, 0},
		{"offset", three, 2, 5, 1, "three", false, false, false, 0},
		{"limit to the end", three, 1, 2, 2, "two", false, false, false, 0},
		{"offset is the number of lines", three, 3, 0, 0, "", false, false, true, 0},
		{"offset beyond", three, 400, 0, 0, "", false, false, true, 0},
		{"negative offset", three, -5, 1, 1, "one", true, false, false, 0},
		{"nothing stored", "", 0, 0, 0, "", false, false, true, 0},
		{"line of 60k", huge, 0, 0, 1, huge[:1000] + "...", false, false, false, 1},
		{"wide line", wide + "\nx", 0, 0, 2, strings.Repeat("あ", 1000) + "...", false, false, false, 1},
		{"exactly 1000 clusters", huge[:1000], 0, 0, 1, huge[:1000], false, false, false, 0},
		{"70k empty lines", strings.Repeat("\n", 70_000), 0, 0, 8192, "", true, true, false, 0},
		{"a line too large for a page", zalgo + "\nmore", 0, 0, 1, "", true, true, false, 1},
		{"a line too large, and the last", zalgo, 0, 0, 1, "", false, true, false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ReadPage(strings.NewReader(tt.in), tt.offset, tt.limit)
			if err != nil {
				t.Fatal(err)
			}
			size, cut := 0, 0
			for i, l := range p.Lines {
				size += len(Numbered(l)) + 1
				if l.Cut {
					cut++
				}
				if l.Number != max(tt.offset, 0)+int64(i)+1 || !utf8.ValidString(l.Text) {
					t.Fatalf("line %d has number %d", i, l.Number)
				}
			}
			if len(p.Lines) != tt.lines || p.More != tt.more || p.Full != tt.full || p.Beyond != tt.beyond || cut != tt.cut {
				t.Errorf("%d lines, %d cut, more %v full %v beyond %v", len(p.Lines), cut, p.More, p.Full, p.Beyond)
			}
			if size > MaxPageBytes {
				t.Errorf("%d bytes", size)
			}
			if tt.first != "" && p.Lines[0].Text != tt.first {
				t.Errorf("first line %.30q", p.Lines[0].Text)
			}
		})
	}
}

func TestNumbered(t *testing.T) {
	for n, want := range map[int64]string{1: "    1  x", 99999: "99999  x", 123456: "123456  x"} {
		if got := Numbered(Line{Number: n, Text: "x"}); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func FuzzLineReader(f *testing.F) {
	f.Add("a\r\nb\n\nc", uint8(1), uint8(3))
	f.Add("\xe2\x89\n\xff\r", uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, in string, skip, most uint8) {
		want := splitLines(in)
		l := NewLineReader(iotest.HalfReader(strings.NewReader(in)))
		if _, err := l.Skip(int64(skip)); err != nil {
			t.Fatal(err)
		}
		for i := int(skip); i < len(want); i++ {
			line, err := l.Next(int(most))
			if err != nil || line.Number != int64(i+1) || !utf8.ValidString(line.Text) {
				t.Fatalf("line %d: %+v, %v", i+1, line, err)
			}
			if !line.Cut && line.Text != want[i] {
				t.Fatalf("line %d: %q, want %q", i+1, line.Text, want[i])
			}
		}
		if _, err := l.Next(1); err != io.EOF {
			t.Fatal(err)
		}
	})
}

func ExampleNumbered() {
	fmt.Println(Numbered(Line{Number: 7, Text: "text"}))
	// Output:     7  text
}
