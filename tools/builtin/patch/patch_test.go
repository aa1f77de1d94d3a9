package patch

import (
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// envelopeOf puts the markers around lines.
func envelopeOf(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

func TestParse(t *testing.T) {
	files, err := Parse(envelopeOf(
		"*** Add File: a/new.txt", "+one", "+", "+two",
		"*** Delete File: gone.txt",
		"*** Update File: u.txt", "*** Move to: v.txt", "@@ func f() {", " ctx", "-old", "+new", "", "@@", "+tail", "*** End of File"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Fatalf("%d files", len(files))
	}
	if f := files[0]; f.Action != Add || f.Path != "a/new.txt" || f.Content != "one\n\ntwo\n" {
		t.Errorf("add: %+v", f)
	}
	if f := files[1]; f.Action != Delete || f.Path != "gone.txt" {
		t.Errorf("delete: %+v", f)
	}
	f := files[2]
	if f.Action != Update || f.MoveTo != "v.txt" || len(f.Chunks) != 2 {
		t.Fatalf("update: %+v", f)
	}
	if c := f.Chunks[0]; c.Context != "func f() {" || len(c.Lines) != 3 || c.AtEnd {
		t.Errorf("chunk: %+v", c)
	}
	if c := f.Chunks[1]; !c.AtEnd || len(c.Lines) != 1 {
		t.Errorf("anchored chunk: %+v", c)
	}
}

func TestParseLenient(t *testing.T) {
	tests := map[string]string{
		"here-document":         "apply_patch <<'EOF'\n" + envelopeOf("*** Add File: a", "+x") + "EOF\n",
		"CRLF":                  strings.ReplaceAll(envelopeOf("*** Update File: a", "@@", "-x", "+y"), "\n", "\r\n"),
		"markers with blanks":   "  *** Begin Patch  \n*** Add File: a\n+x\n *** End Patch \n\n",
		"no header on chunk 1":  envelopeOf("*** Update File: a", "-x", "+y"),
		"empty file":            envelopeOf("*** Add File: a"),
		"move only":             envelopeOf("*** Update File: a", "*** Move to: b"),
		"blank context line":    envelopeOf("*** Update File: a", "@@", " x", "", "-y", "+z"),
		"context-only chunk":    envelopeOf("*** Update File: a", "@@", " x", "@@", "-y", "+z"),
		"blank before a header": envelopeOf("*** Update File: a", "@@", "-y", "+z", "", "*** Delete File: b"),
	}
	for name, text := range tests {
		if _, err := Parse(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "Patch parse failed: the patch is empty"},
		{"no begin", "*** Add File: a\n+x\n*** End Patch", `line 1: the first line must be "*** Begin Patch"`},
		{"no end", "*** Begin Patch\n*** Add File: a\n+x", `line 3: the last line must be "*** End Patch"`},
		{"begin only", "*** Begin Patch", "the last line must be"},
		{"no change", envelopeOf(), "the patch changes no file"},
		{"missing path", envelopeOf("*** Add File:", "+x"), "line 2: the path is missing"},
		{"missing move path", envelopeOf("*** Update File: a", "*** Move to: "), "line 3: the path is missing"},
		{"outside a section", envelopeOf("+x"), `unexpected line "+x" outside a file section`},
		{"marker", envelopeOf("*** Update File: a", "@@", "*x"), `line 4: invalid change marker "*"`},
		{"second chunk without header", envelopeOf("*** Update File: a", "@@", "-a", "*** End of File", "-b"), "a chunk starts with"},
		{"context only", envelopeOf("*** Update File: a", "@@", " x"), "line 2: update file section must contain at least one '+' or '-' change"},
		{"no chunks", envelopeOf("*** Update File: a"), "update file section must contain"},
		{"add without plus", envelopeOf("*** Add File: a", "x"), "line 3: every line of an added file must start with '+'"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

// updateOf parses a patch of one updated file.
func updateOf(t *testing.T, lines ...string) *File {
	t.Helper()
	files, err := Parse(envelopeOf(append([]string{"*** Update File: f.txt"}, lines...)...))
	if err != nil {
		t.Fatal(err)
	}
	return &files[0]
}

func applied(t *testing.T, text string, edits []diff.Edit) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			t.Fatalf("edit %+v out of order or range", e)
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	return b.String() + text[at:]
}

func TestApply(t *testing.T) {
	tests := []struct {
		name, text string
		patch      []string
		want       string
	}{
		{"insertion first, then a later match", "alpha\nbeta\ngamma\n", []string{"@@", "+intro", "@@", " beta", "-gamma", "+delta"}, "intro\nalpha\nbeta\ndelta\n"},
		{"context-only chunk advances", "alpha\nbeta\ngamma\n", []string{"@@", " alpha", " beta", "@@", "-gamma", "+delta"}, "alpha\nbeta\ndelta\n"},
		{"repeated block, told apart by its header", "func a() {\n\tx\n}\nfunc b() {\n\tx\n}\n", []string{"@@ func b() {", "-\tx", "+\ty"}, "func a() {\n\tx\n}\nfunc b() {\n\ty\n}\n"},
		{"insertion after a header", "a\nb\nc\n", []string{"@@ b", "+new"}, "a\nb\nnew\nc\n"},
		{"insertion at the end", "a\nb\n", []string{"@@", "+c", "*** End of File"}, "a\nb\nc\n"},
		{"trailing white space in the file", "a  \nb\n", []string{"@@", " a", "-b", "+B"}, "a  \nB\n"},
		{"indentation differs: context stays", "\t\ta\n\t\tb\n", []string{"@@", " a", "-b", "+\t\tB"}, "\t\ta\n\t\tB\n"},
		{"dash in context", "x — y\nb\n", []string{"@@", " x - y", "-b", "+B"}, "x — y\nB\n"},
		{"CRLF file, LF patch", "one\r\ntwo\r\nthree\r\n", []string{"@@", " one", "-two", "+TWO", "+and", " three"}, "one\r\nTWO\r\nand\r\nthree\r\n"},
		{"mixed endings", "a\r\nb\nc\r\nd", []string{"@@", " a", "-b", "+B"}, "a\r\nB\nc\r\nd"},
		{"no final newline, changed last line", "a\nb", []string{"@@", "-b", "+B"}, "a\nB"},
		{"no final newline, appended", "a\nb", []string{"@@", " b", "+c"}, "a\nb\nc"},
		{"no final newline, last line deleted", "a\nb", []string{"@@", " a", "-b"}, "a"},
		{"file emptied", "a\nb\n", []string{"@@", "-a", "-b"}, ""},
		{"empty file filled", "", []string{"@@", "+a"}, "a\n"},
		{"BOM", "\ufeffone\ntwo\n", []string{"@@", "-one", "+ONE"}, "\ufeffONE\ntwo\n"},
		{"end anchor prefers the last place", "x\na\nx\n", []string{"@@", "-x", "+y", "*** End of File"}, "x\na\ny\n"},
		{"end anchor elsewhere, one place", "x\na\n", []string{"@@", "-x", "+y", "*** End of File"}, "y\na\n"},
		{"two changes in one chunk", "a\nb\nc\nd\n", []string{"@@", "-a", "+A", " b", " c", "-d", "+D"}, "A\nb\nc\nD\n"},
		{"exact before trimmed", "  a\na\n", []string{"@@", "-a", "+b"}, "  a\nb\n"},
		{"Latin-1 context", "caf\xe9\nx\n", []string{"@@", "-x", "+y"}, "caf\xe9\ny\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edits, err := updateOf(t, tt.patch...).Apply(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := applied(t, tt.text, edits); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestApplyErrors(t *testing.T) {
	tests := []struct {
		name, text string
		patch      []string
		want       string
	}{
		{"header", "a\n", []string{"@@ nope", "+x"}, "Patch apply failed: context 'nope' not found in f.txt"},
		{"lines", "a\nb\nc\n", []string{"@@", " a", "-X", "+y"}, `Patch apply failed: expected lines not found in f.txt; nearest at line 1, first difference at line 2: file "b", patch "X"`},
		{"order", "a\nb\n", []string{"@@", "-b", "+B", "@@", "-a", "+A"}, "chunks must be in the order of the file"},
		{"end anchor, several places", "x\nx\na\n", []string{"@@", "-x", "+y", "*** End of File"}, "expected lines not found in f.txt at its end, but in several other places"},
		{"part of a line", "one two three\n", []string{"@@", "-two", "+2"}, "expected lines not found in f.txt"},
		{"long line", strings.Repeat("x", 9000) + "\nb\n", []string{"@@", "-" + strings.Repeat("x", 8000), " b", "+c"}, "first difference at line 1: file \"" + strings.Repeat("x", 160) + "…\", patch"},
	}
	for _, tt := range tests {
		_, err := updateOf(t, tt.patch...).Apply(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
		if tt.name != "order" && strings.Contains(err.Error(), "order of the file") {
			t.Errorf("%s: error %v is about the order", tt.name, err)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add(envelopeOf("*** Update File: a", "@@ x", " a", "-b", "+c", "*** End of File"), "x\na\nb\n")
	f.Add(envelopeOf("*** Add File: a", "+x", "*** Delete File: /etc/passwd"), "")
	f.Add(envelopeOf("*** Update File: ../a", "*** Move to: b", "@@", "+"), "\ufeffa\r\nb")
	f.Add("*** Begin Patch\r*** End Patch", "\xff\n")
	f.Fuzz(func(t *testing.T, text, file string) {
		files, err := Parse(text)
		if err != nil {
			return
		}
		for _, sec := range files {
			if sec.Path == "" {
				t.Fatal("a section without a path")
			}
			if sec.Action != Update {
				continue
			}
			if edits, err := sec.Apply(file); err == nil {
				applied(t, file, edits)
			}
		}
	})
}
