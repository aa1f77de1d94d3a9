package presentation

import "testing"

func TestFileDiffForPeople(t *testing.T) {
	old := "a\nb\nc\nd\ne\nf\ng\nh\ni\n"
	for _, tc := range []struct {
		d       FileDiff
		heading string
		hunks   int
	}{
		{FileDiff{Path: "x", NewText: "a\n", Change: ChangeAdd}, "x (new file)", 1},
		{FileDiff{Path: "x", OldText: &old, Change: ChangeDelete}, "x (deleted)", 1},
		{FileDiff{Path: "y", OldPath: "x", OldText: &old, NewText: old, Change: ChangeMove}, "x → y", 0},
		{FileDiff{Path: "x", OldText: &old, NewText: "A\nb\nc\nd\ne\nf\ng\nh\nI\n"}, "x", 2},
	} {
		if got := tc.d.Heading(); got != tc.heading {
			t.Errorf("heading %q, want %q", got, tc.heading)
		}
		if got := tc.d.Hunks(); len(got) != tc.hunks {
			t.Errorf("%s: %d hunks, want %d", tc.heading, len(got), tc.hunks)
		}
	}
}
