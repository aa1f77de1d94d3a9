package builtin

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// FuzzEditAndBack edits a file by the tool and takes the edit back in two
// ways: by the diff that the result reports, and by writing the old text. A
// refused edit leaves the file alone.
func FuzzEditAndBack(f *testing.F) {
	f.Add("alpha\r\nbeta\ngamma", "beta\n", "BETA\nmore\n", false)
	f.Add("\ufeffa\nb\na\n", "a", "", true)
	f.Add("caf\xe9\nx=1\n", "x=1", "x=2\r\n", false)
	f.Add("one", "", "two\n", false)
	f.Add("  a  \n\tb\t\n", "a\nb", "c", false)
	f.Add("x\n\n\n\ny\n", "\n\n", "\n", true)
	f.Fuzz(func(t *testing.T, before, old, replacement string, all bool) {
		if !utf8.ValidString(old + replacement) {
			t.Skip("JSON holds no such text")
		}
		s := newSession(t, Options{})
		s.write("f", before)
		r := s.call("edit", args{"file_path": "f", "old_string": old, "new_string": replacement, "replace_all": all, "expected_hash": hash(before)})
		after := s.file("f")
		if r.IsError {
			if after != before {
				t.Fatalf("the edit fails and leaves %q: %s", after, text(r))
			}
			return
		}
		if !utf8.ValidString(before + after) {
			return
		}
		var details struct {
			Diff      string `json:"diff"`
			Truncated bool   `json:"diff_truncated"`
		}
		if err := json.Unmarshal(r.Details, &details); err != nil {
			t.Fatal(err)
		}
		if !details.Truncated {
			if back := unpatched(t, after, details.Diff); back != before {
				t.Fatalf("the diff leads back to %q\n%s", back, details.Diff)
			}
		}
		r = s.call("edit", args{"file_path": "f", "old_string": "", "new_string": before, "expected_hash": hash(after)})
		if back := s.file("f"); !r.IsError && back != before {
			t.Fatalf("writing the old text leaves %q", back)
		} else if r.IsError && r.Error.Code != "FS_NOT_TEXT" {
			t.Fatalf("writing the old text: %s", text(r))
		}
	})
}

// unpatched takes a unified diff of one file back.
func unpatched(t *testing.T, after, unified string) string {
	t.Helper()
	if unified == "" {
		return after
	}
	files, err := diff.Parse(unified)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v:\n%s", len(files), err, unified)
	}
	lines := strings.SplitAfter(after, "\n")
	var b strings.Builder
	at := 0
	for _, h := range files[0].Hunks {
		start := h.NewStart - 1
		if h.NewLines == 0 {
			start++
		}
		b.WriteString(strings.Join(lines[at:start], ""))
		for _, l := range h.Lines {
			if l.Op != '+' {
				b.WriteString(l.Text + l.EOL)
			}
		}
		at = start + h.NewLines
	}
	return b.String() + strings.Join(lines[at:], "")
}
