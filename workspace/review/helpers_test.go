package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const path = "/w/a.txt"

var call = Attribution{Session: "s", Call: "c1"}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newLedger returns a ledger in memory whose clock stands still.
func newLedger(t testing.TB) *Ledger {
	t.Helper()
	l, err := OpenLedger(nil, LedgerOptions{Now: func() time.Time { return time.Unix(1, 0) }})
	must(t, err)
	return l
}

func file1(text string) State { return State{Exists: true, Text: text, Mode: 0o644} }

// edit records an agent's change of the text of path.
func edit(t testing.TB, l *Ledger, before, after string, by Attribution) {
	t.Helper()
	must(t, l.Record(Change{Path: path, Before: file1(before), After: file1(after)}, by))
	check(t, l)
}

// typed notes the user's text of path.
func typed(t testing.TB, l *Ledger, text string) {
	t.Helper()
	must(t, l.UserEdit(path, file1(text)))
	check(t, l)
}

// check fails when the marks of a file do not fit its texts.
func check(t testing.TB, l *Ledger) {
	t.Helper()
	ids := map[HunkID]bool{}
	for _, f := range l.files {
		if f.parked {
			continue
		}
		if !f.fits(f.baseText, f.text) {
			t.Fatalf("texts differ outside the hunks\nbase %q\ntext %q\n%s", f.baseText, f.text, f.describe())
		}
		for _, m := range f.marks {
			if ids[m.id] {
				t.Fatalf("id %s twice\n%s", m.id, f.describe())
			}
			ids[m.id] = true
			old, text := f.texts(m)
			if m.id == "" || m.status == pending && old == text {
				t.Fatalf("an empty hunk\n%s", f.describe())
			}
			if !lineStart(f.baseText, m.base.start) || !lineStart(f.text, m.here.start) {
				t.Fatalf("a hunk that starts within a line\nbase %q\ntext %q\n%s", f.baseText, f.text, f.describe())
			}
		}
	}
}

func lineStart(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

func (f *file) describe() string {
	var b strings.Builder
	for _, m := range f.marks {
		fmt.Fprintf(&b, "%s %s base %v here %v mixed %v other %q\n", m.id, m.status, m.base, m.here, m.mixed, m.other)
	}
	return b.String()
}

// apply carries out the steps of a plan as a workspace would, and returns the
// texts afterwards by path; a missing file is absent.
func apply(t testing.TB, l *Ledger, plan Plan) map[string]State {
	t.Helper()
	out := map[string]State{}
	for _, s := range plan.Steps {
		must(t, l.Settle(s, s.Before, s.After))
		at := s.Path
		if s.To != "" {
			out[s.Path] = State{}
			at = s.To
		}
		out[at] = s.After
		check(t, l)
	}
	return out
}

// show writes hunks as "line-endline old|new" lists.
func show(t testing.TB, l *Ledger, p string) string {
	t.Helper()
	hunks, err := l.Hunks(p)
	must(t, err)
	text, _ := l.Text(p)
	var parts []string
	for _, h := range hunks {
		part := fmt.Sprintf("%d-%d %q>%q", h.Line, h.EndLine, h.OldText, text[h.Start:h.End])
		if h.Kind != KindText {
			part = string(h.Kind)
		}
		if h.Mixed {
			part += " mixed"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func wantHunks(t testing.TB, l *Ledger, want string) {
	t.Helper()
	if got := show(t, l, path); got != want {
		t.Fatalf("hunks\n got %s\nwant %s", got, want)
	}
}

func ids(t testing.TB, l *Ledger) []HunkID {
	t.Helper()
	return l.IDs("")
}

// seeded returns a generator whose seed the test prints.
func seeded(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

func lines(s string) []string { return slices.Collect(strings.Lines(s)) }
