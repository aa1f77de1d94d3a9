package permission

import (
	"strings"
	"testing"
)

func TestModesAreFour(t *testing.T) {
	want := []Mode{ReadOnly, AskMode, AcceptEdits, FullAccess}
	got := Modes()
	if len(got) != len(want) {
		t.Fatalf("%d modes", len(got))
	}
	for i, m := range got {
		if m.ID != want[i] || m.Name == "" || m.Description == "" {
			t.Errorf("mode %d: %+v, want %s", i, m, want[i])
		}
		if parsed, err := ParseMode(string(m.ID)); parsed != m.ID || err != nil {
			t.Errorf("ParseMode(%q) = %q, %v", m.ID, parsed, err)
		}
	}
}

func TestParseModeNamesTheNearest(t *testing.T) {
	for word, nearest := range map[string]string{
		"full-acess": "full-access", "": "ask", "ASK": "ask", "readonly": "read-only", "yolo": "ask", "accept": "accept-edits",
	} {
		mode, err := ParseMode(word)
		if err == nil || mode != "" {
			t.Errorf("ParseMode(%q) = %q, %v", word, mode, err)
			continue
		}
		if !strings.Contains(err.Error(), `did you mean "`+nearest+`"`) || !strings.Contains(err.Error(), "read-only, ask, accept-edits, full-access") {
			t.Errorf("ParseMode(%q): %v", word, err)
		}
	}
}
