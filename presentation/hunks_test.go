package presentation

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// numbered returns n lines, some of them replaced.
func numbered(n int, eol string, replaced map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		line := fmt.Sprintf("line%d", i)
		if s, ok := replaced[i]; ok {
			line = s
		}
		b.WriteString(line + eol)
	}
	return b.String()
}

// span returns numbered lines first to last as a card shows them.
func span(first, last int, replaced map[int]string) string {
	var lines []string
	for i := first; i <= last; i++ {
		line := fmt.Sprintf("line%d", i)
		if s, ok := replaced[i]; ok {
			line = s
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestHunks has every row of tools.md Appendix A.3, and the edges of §3.11.
func TestHunks(t *testing.T) {
	four, ten := map[int]string{4: "X"}, map[int]string{10: "X"}
	two := map[int]string{3: "X", 16: "Y"}
	tests := []struct {
		name          string
		before, after string
		isNew         bool
		want          []FileDiff
	}{
		{
			name: "line 4 of 8", before: numbered(8, "\n", nil), after: numbered(8, "\n", four),
			want: []FileDiff{{OldText: ptr(span(1, 7, nil)), NewText: span(1, 7, four), Line: 4}},
		},
		{
			name: "lines 3 and 16 of 20", before: numbered(20, "\n", nil), after: numbered(20, "\n", two),
			want: []FileDiff{
				{OldText: ptr(span(1, 6, nil)), NewText: span(1, 6, two), Line: 3},
				{OldText: ptr(span(13, 19, nil)), NewText: span(13, 19, two), Line: 16},
			},
		},
		{name: "identical", before: "a\n", after: "a\n", want: []FileDiff{}},
		{name: "identical and empty", want: []FileDiff{}},
		{
			name: "bytes that are no UTF-8", before: "caf\xe9\xe8\nx=1\n", after: "caf\xe9\xe8\nx=\xff\n",
			want: []FileDiff{{OldText: ptr("caf\uFFFD\nx=1"), NewText: "caf\uFFFD\nx=\uFFFD", Line: 2}},
		},
		{
			name: "new file", after: "brand new\n", isNew: true,
			want: []FileDiff{{NewText: "brand new", Change: ChangeAdd, Line: 1}},
		},
		{
			name: "text gone", before: "gone\n", after: "",
			want: []FileDiff{{OldText: ptr("gone"), NewText: "", Line: 1}},
		},
		{
			name: "no final newlines", before: "x", after: "y",
			want: []FileDiff{{OldText: ptr("x"), NewText: "y", Line: 1}},
		},
		{
			name: "line 10 of 20", before: numbered(20, "\n", nil), after: numbered(20, "\n", ten),
			want: []FileDiff{{OldText: ptr(span(7, 13, nil)), NewText: span(7, 13, ten), Line: 10}},
		},
		{
			name: "new and empty", isNew: true,
			want: []FileDiff{{Change: ChangeAdd, Line: 1}},
		},
		{
			name: "new with CRLF", after: "a\r\nb\r\n", isNew: true,
			want: []FileDiff{{NewText: "a\nb", Change: ChangeAdd, Line: 1}},
		},
		{
			name: "an empty file is no new one", before: "", after: "a\n",
			want: []FileDiff{{OldText: ptr(""), NewText: "a", Line: 1}},
		},
		{
			name: "CRLF shows as LF", before: "a\r\nb\r\n", after: "a\r\nB\r\n",
			want: []FileDiff{{OldText: ptr("a\nb"), NewText: "a\nB", Line: 2}},
		},
		{
			name: "endings changed besides the text", before: numbered(20, "\r\n", nil), after: numbered(20, "\n", ten),
			want: []FileDiff{{OldText: ptr(span(7, 13, nil)), NewText: span(7, 13, ten), Line: 10}},
		},
		{
			name: "nothing but endings changed", before: "a\r\nb\n", after: "a\nb\n",
			want: []FileDiff{{OldText: ptr("a\r\nb\n"), NewText: "a\nb\n", Line: 1}},
		},
		{
			name: "nothing but the last newline changed", before: "a\nb", after: "a\nb\n",
			want: []FileDiff{{OldText: ptr("a\nb"), NewText: "a\nb\n", Line: 2}},
		},
		{
			name: "deletion at the end", before: "a\nb\n", after: "a\n",
			want: []FileDiff{{OldText: ptr("a\nb"), NewText: "a", Line: 1}},
		},
		{
			name: "an empty line appears", before: "", after: "\n",
			want: []FileDiff{{OldText: ptr(""), NewText: "\n", Line: 1}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.want {
				tt.want[i].Path = "f"
			}
			if got := Hunks("f", tt.before, tt.after, !tt.isNew); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Hunks = %s\nwant %s", show(got), show(tt.want))
			}
		})
	}
}

func show(diffs []FileDiff) string {
	var b strings.Builder
	for _, d := range diffs {
		old := "null"
		if d.OldText != nil {
			old = fmt.Sprintf("%q", *d.OldText)
		}
		fmt.Fprintf(&b, "[%s%s:%d %s -> %q]", d.Path, d.Change, d.Line, old, d.NewText)
	}
	return b.String()
}

// A one-line change in a large CRLF file is a hunk of seven lines at most,
// whatever the tool did to the endings.
func TestHunkOfALargeCRLFFile(t *testing.T) {
	changed := map[int]string{2500: "changed"}
	for _, eol := range []string{"\r\n", "\n"} {
		got := Hunks("f", numbered(5000, "\r\n", nil), numbered(5000, eol, changed), true)
		want := []FileDiff{{Path: "f", OldText: ptr(span(2497, 2503, nil)), NewText: span(2497, 2503, changed), Line: 2500}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("ending %q: %s, want %s", eol, show(got), show(want))
		}
	}
}

func TestHunksOfAGeneratedFile(t *testing.T) {
	const lines = 400_000
	before, after := numbered(lines, "\n", nil), strings.ReplaceAll(numbered(lines, "\n", nil), "line", "other")
	head, tail := "head\n", "tail\n"
	got := Hunks("f", head+before+tail, head+after+tail, true)
	if len(got) != 1 || *got[0].OldText != before || got[0].NewText != after || got[0].Line != 2 {
		t.Fatalf("%d diffs, want one of all that lies between the first and the last line", len(got))
	}
	kept, omitted := Bound(got, DiffLimit)
	if len(kept) != 0 || omitted == "" {
		t.Errorf("Bound keeps %d diffs and says %q", len(kept), omitted)
	}
	one := Hunks("f", head+before+tail, head+before+"TAIL\n", true)
	if len(one) != 1 || one[0].Line != lines+2 || len(one[0].NewText) > 100 {
		t.Errorf("one line of many changed: %d diffs", len(one))
	}
}

func BenchmarkHunks(b *testing.B) {
	code := numbered(5000, "\r\n", nil)
	large := strings.Repeat("a line of a generated file, as long as most\n", 20<<20/44)
	tests := []struct{ name, before, after string }{
		{"one line of 5000", code, numbered(5000, "\r\n", map[int]string{2500: "X"})},
		{"20MB rewritten", large, strings.ReplaceAll(large, "most", "others")},
		{"20MB with one change", large, large + "end\n"},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Bound(Hunks("f", tt.before, tt.after, true), DiffLimit)
			}
		})
	}
}
