package presentation

import "testing"

func TestOneLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"go test ./...", "go test ./..."},
		{"\ta\tb\n", "\ta\tb"},
		{"ls # x\r\nrm -rf y\n\nz", "ls # x ⏎ rm -rf y ⏎ z"},
		{"\x1b]52;c;aGVsbG8=\x07x\x00\u009b", "�]52;c;aGVsbG8=�x��"},
		{"safe\u202egnp.\u2066x", "safe�gnp.�x"},
		{"עברית, العربية", "עברית, العربية"},
	} {
		if got := OneLine(tt.in); got != tt.want {
			t.Errorf("OneLine(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := Visible("a\n\tb\rc\x1b"), "a\n\tb�c�"; got != want {
		t.Errorf("Visible = %q, want %q", got, want)
	}
}
