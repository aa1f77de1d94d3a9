package review

import (
	"testing"
)

// FuzzLedger gives a ledger three texts in turn, by an agent, the user and an
// agent. Whatever they are, the texts agree outside the hunks, undoing gives
// what the hunks say, and taking that back gives the text again.
func FuzzLedger(f *testing.F) {
	for _, s := range [][4]string{
		{"1\n2\n3\n", "1\nx\n3\n", "1\nxu\n3\n", "1\nxv\n3\n"},
		{"a\nb", "a", "ab", "ab\nz"},
		{"", "x\ny\n", "x\nu\ny\n", "x\nu\n"},
		{"a\r\nb\r\n", "a\nb\r\n", "a\nb\n", ""},
		{"\xff\n}\n}\n", "}\n}\n}\n", "}\nu\n}\n}\n", "}\n"},
	} {
		f.Add(s[0], s[1], s[2], s[3])
	}
	f.Fuzz(func(t *testing.T, start, agent, user, again string) {
		l := newLedger(t)
		edit(t, l, start, agent, call)
		must(t, l.UserEdit(path, file1(user)))
		check(t, l)
		edit(t, l, user, again, Attribution{"s", "c2"})
		text := again
		plan, err := l.Undo(ids(t, l)...)
		must(t, err)
		for i := range plan.Steps {
			if plan.Steps[i].Before.Text != text {
				t.Fatalf("the step starts from %q, the text is %q", plan.Steps[i].Before.Text, text)
			}
		}
		apply(t, l, plan)
		if len(plan.Steps) == 0 {
			return
		}
		back, err := l.UndoDecision()
		must(t, err)
		got := apply(t, l, back)
		if len(back.Refused) == 0 && got[path].Text != text {
			t.Fatalf("taken back %q, want %q", got[path].Text, text)
		}
	})
}
