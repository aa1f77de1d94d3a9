package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %02d\n", i+1)
	}
	return b.String()
}

// TestHunks is about which hunks changes make: of agents (A) and users (U), in
// order, from the text "1 2 3 4 5", a word a line.
func TestHunks(t *testing.T) {
	for _, tc := range []struct{ name, steps, want string }{
		{"replace", "A 1 2 x 4 5", `2-3 "3\n">"x\n"`},
		{"insert", "A 1 2 x y 3 4 5", `2-4 "">"x\ny\n"`},
		{"delete", "A 1 4 5", `1-1 "2\n3\n">""`},
		{"two places", "A x 2 3 4 y", `0-1 "1\n">"x\n"; 4-5 "5\n">"y\n"`},
		{"two calls side by side", "A 1 x 3 4 5; A 1 x y 4 5", `1-2 "2\n">"x\n"; 2-3 "3\n">"y\n"`},
		{"a call over another's", "A 1 x 3 4 5; A 1 y 3 4 5", `1-2 "2\n">"y\n"`},
		{"a call takes another's back", "A 1 x 3 4 5; A 1 2 3 4 5", ``},
		{"a call takes a part back", "A x 2 y 4 5; A x 2 3 4 5", `0-1 "1\n">"x\n"`},
		{"typing elsewhere", "A 1 x 3 4 5; U 1 x 3 4 u 5", `1-2 "2\n">"x\n"`},
		{"typing above", "A 1 2 x 4 5; U u 1 2 x 4 5", `3-4 "3\n">"x\n"`},
		{"typing in between", "A 1 x y 4 5; U 1 x u y 4 5", `1-2 "2\n3\n">"x\n"; 3-4 "">"y\n"`},
		{"typing in a hunk's line", "A 1 x 3 4 5; U 1 xu 3 4 5", `1-2 "2\n">"xu\n" mixed`},
		{"and back", "A 1 x 3 4 5; U 1 xu 3 4 5; U 1 x 3 4 5", `1-2 "2\n">"x\n"`},
		{"deleting from a hunk", "A 1 x y 4 5; U 1 y 4 5", `1-2 "2\n3\n">"y\n"`},
		{"deleting a whole hunk", "A 1 2 x 3 4 5; U 1 2 3 4 5", ``},
		{"deleting over an edge", "A 1 2 x y 4 5; U 1 y 4 5", `1-2 "3\n">"y\n"`},
		{"the user's own undo", "A 1 x 3 4 5; U 1 2 3 4 5", ``},
		{"replacing over an edge", "A 1 2 x 4 5; U 1 u 4 5", `1-2 "2\n3\n">"u\n" mixed`},
		{"an agent in mixed lines", "A 1 x 3 4 5; U 1 xu 3 4 5; A 1 xv 3 4 5", `1-2 "2\n">"xv\n" mixed`},
		{"the same line above", "A 1 x y 4 5; U 1 x u x y 4 5", `3-5 "2\n3\n">"x\ny\n"`},
		{"the same line below", "A 1 x y 4 5; U 1 x y u y 4 5", `1-3 "2\n3\n">"x\ny\n"`},
		{"everything", "A x", `0-1 "1\n2\n3\n4\n5\n">"x\n"`},
		{"emptied", "A ", `0-0 "1\n2\n3\n4\n5\n">""`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLedger(t)
			now := spell("1 2 3 4 5")
			for i, step := range strings.Split(tc.steps, "; ") {
				who, words, _ := strings.Cut(step, " ")
				if who == "U" {
					typed(t, l, spell(words))
				} else {
					edit(t, l, now, spell(words), Attribution{"s", fmt.Sprint("c", i)})
				}
				now = spell(words)
			}
			wantHunks(t, l, tc.want)
		})
	}
}

// spell puts each word on a line.
func spell(words string) string {
	var b strings.Builder
	for _, w := range strings.Fields(words) {
		b.WriteString(w + "\n")
	}
	return b.String()
}

func TestIdentity(t *testing.T) {
	l := newLedger(t)
	start := numbered(9)
	after := strings.Replace(strings.Replace(start, "line 03", "three", 1), "line 07", "seven", 1)
	edit(t, l, start, after, call)
	first := ids(t, l)
	if len(first) != 2 || first[0] == first[1] {
		t.Fatalf("ids %v", first)
	}
	again := newLedger(t)
	edit(t, again, start, after, call)
	if !slices.Equal(ids(t, again), first) {
		t.Error("the same change has other ids elsewhere")
	}
	typed(t, l, "above\n"+after)
	if !slices.Equal(ids(t, l), first) {
		t.Error("typing above changed the ids")
	}
	edit(t, l, "above\n"+after, "above\n"+strings.Replace(after, "seven", "SEVEN", 1), Attribution{"s", "c2"})
	if now := ids(t, l); now[0] != first[0] || now[1] == first[1] {
		t.Errorf("ids after an agent's change of the second: %v, were %v", now, first)
	}
	hunks, err := l.Hunks(path)
	must(t, err)
	if by := hunks[1].By; !slices.Equal(by, []Attribution{call, {"s", "c2"}}) {
		t.Errorf("the second hunk is by %v", by)
	}
	plan, err := l.Undo(first[1])
	must(t, err)
	if len(plan.Steps) != 0 || len(plan.Refused) != 1 || !strings.Contains(plan.Refused[0].Why, string(first[1])) {
		t.Errorf("an old id: %+v", plan)
	}
}

// TestUndoInEveryOrder undoes three hunks of different heights in every order,
// with a last line that has no ending.
func TestUndoInEveryOrder(t *testing.T) {
	start := strings.TrimSuffix(numbered(9), "\n")
	after := strings.NewReplacer("line 02\n", "", "line 05", "five\r\nand more", "line 09", "nine\n").Replace(start)
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		l := newLedger(t)
		edit(t, l, start, after, call)
		all := ids(t, l)
		text := after
		for _, i := range order {
			plan, err := l.Undo(all[i])
			must(t, err)
			text = apply(t, l, plan)[path].Text
		}
		if text != start {
			t.Errorf("order %v gave %q", order, text)
		}
		for range order {
			plan, err := l.UndoDecision()
			must(t, err)
			text = apply(t, l, plan)[path].Text
		}
		if text != after || !slices.Equal(ids(t, l), all) {
			t.Errorf("order %v taken back gave %q", order, text)
		}
	}
}

func TestKeptIsNeverUndone(t *testing.T) {
	l := newLedger(t)
	start, after := spell("1 2 3 4 5"), spell("x 2 y 4 z")
	edit(t, l, start, after, call)
	plan, err := l.Keep(ids(t, l)[1])
	must(t, err)
	if plan.Done != 1 {
		t.Fatalf("%+v", plan)
	}
	plan, err = l.Undo(ids(t, l)...)
	must(t, err)
	if got := apply(t, l, plan)[path].Text; got != spell("1 2 y 4 5") {
		t.Errorf("undo of the rest gave %q", got)
	}
	if base, ok := l.Base(path); !ok || base != spell("1 2 y 4 5") {
		t.Errorf("base %q", base)
	}
}

// TestWholeFiles is about files that are created, deleted, moved: undone, and
// the undo taken back.
func TestWholeFiles(t *testing.T) {
	old := State{Exists: true, Text: "a\nb", Mode: 0o755}
	for _, tc := range []struct {
		name    string
		changes []Change
		hunks   string            // at the last path
		undone  map[string]string // by path; "-" for no file
	}{
		{"create", []Change{{Path: "/n", After: file1("x\ny\n")}}, `0-2 "">"x\ny\n"`, map[string]string{"/n": "-"}},
		{"create empty", []Change{{Path: "/n", After: file1("")}}, `create`, map[string]string{"/n": "-"}},
		{"create, edit", []Change{{Path: "/n", After: file1("x\n")}, {Path: "/n", Before: file1("x\n"), After: file1("x\ny\n")}}, `0-1 "">"x\n"; 1-2 "">"y\n"`, map[string]string{"/n": "-"}},
		{"create, move", []Change{{Path: "/n", After: file1("x\n")}, {Path: "/m", From: "/n", Before: file1("x\n"), After: file1("x\n")}}, `0-1 "">"x\n"`, map[string]string{"/m": "-"}},
		{"delete", []Change{{Path: "/n", Before: old}}, `0-0 "a\nb">""`, map[string]string{"/n": "a\nb"}},
		{"delete empty", []Change{{Path: "/n", Before: file1("")}}, `delete`, map[string]string{"/n": ""}},
		{"delete, create", []Change{{Path: "/n", Before: old}, {Path: "/n", After: file1("a\nc\n")}}, `1-2 "b">"c\n"`, map[string]string{"/n": "a\nb"}},
		{"move", []Change{{Path: "/m", From: "/n", Before: old, After: old}}, `move`, map[string]string{"/m": "-", "/n": "a\nb"}},
		{"move and edit", []Change{{Path: "/m", From: "/n", Before: old, After: file1("c\nb")}}, `move; 0-1 "a\n">"c\n"`, map[string]string{"/m": "-", "/n": "a\nb"}},
		{"move there and back", []Change{{Path: "/m", From: "/n", Before: old, After: old}, {Path: "/n", From: "/m", Before: old, After: old}}, ``, map[string]string{}},
		{"edit, delete", []Change{{Path: "/n", Before: old, After: file1("a\nc\n")}, {Path: "/n", Before: file1("a\nc\n")}}, `0-0 "a\nb">""`, map[string]string{"/n": "a\nb"}},
		{"delete, move over it", []Change{{Path: "/m", Before: file1("m\n")}, {Path: "/m", From: "/n", Before: old, After: old}}, `0-2 "m\n">"a\nb"`, map[string]string{"/m": "m\n", "/n": "a\nb"}},
		{"come and gone", []Change{{Path: "/n", After: file1("x\n")}, {Path: "/n", Before: file1("x\n")}}, ``, map[string]string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLedger(t)
			disk := map[string]State{}
			for _, c := range tc.changes {
				must(t, l.Record(c, call))
				check(t, l)
				if c.From != "" {
					disk[c.From] = State{}
				}
				disk[c.Path] = c.After
			}
			at := tc.changes[len(tc.changes)-1].Path
			if got := show(t, l, at); got != tc.hunks {
				t.Errorf("hunks %s, want %s", got, tc.hunks)
			}
			before := ids(t, l)
			plan, err := l.Undo(before...)
			must(t, err)
			got := map[string]string{}
			for p, s := range apply(t, l, plan) {
				got[p] = "-"
				if s.Exists {
					got[p] = s.Text
				}
				disk[p] = s
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.undone) {
				t.Errorf("undone %v, want %v", got, tc.undone)
			}
			if len(l.Pending()) > 0 {
				t.Errorf("pending after undo: %v", l.Pending())
			}
			if len(before) == 0 {
				return
			}
			plan, err = l.UndoDecision()
			must(t, err)
			after := apply(t, l, plan)
			if len(plan.Refused) > 0 || !slices.Equal(ids(t, l), before) || show(t, l, at) != tc.hunks {
				t.Errorf("taken back: %+v, hunks %s", plan.Refused, show(t, l, at))
			}
			if want := tc.changes[len(tc.changes)-1].After; after[at].Text != want.Text || after[at].Exists != want.Exists {
				t.Errorf("taken back the file is %+v, want %+v", after[at], want)
			}
		})
	}
}

func TestUndoOfADeletionRestoresTheMode(t *testing.T) {
	l := newLedger(t)
	must(t, l.Record(Change{Path: path, Before: State{Exists: true, Text: "#!\n", Mode: 0o755}}, call))
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	if s := plan.Steps[0].After; s.Mode != 0o755 || s.Text != "#!\n" {
		t.Errorf("%+v", s)
	}
}

func TestCreatedFileWithTheUsersText(t *testing.T) {
	l := newLedger(t)
	must(t, l.Record(Change{Path: path, After: file1(spell("x y z"))}, call))
	typed(t, l, spell("x y mine z"))
	wantHunks(t, l, `0-2 "">"x\ny\n"; 3-4 "">"z\n"`)
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	if s := apply(t, l, plan)[path]; !s.Exists || s.Text != "mine\n" {
		t.Errorf("undone %+v", s)
	}
	if len(l.Pending()) > 0 {
		t.Error("the user's own file is pending")
	}
	plan, err = l.UndoDecision()
	must(t, err)
	if s := apply(t, l, plan)[path]; s.Text != spell("x y mine z") {
		t.Errorf("taken back %+v", s)
	}
}

func TestMoveAndTextAreDecidedApart(t *testing.T) {
	l := newLedger(t)
	must(t, l.Record(Change{Path: "/m", From: "/n", Before: file1(spell("1 2")), After: file1(spell("1 x"))}, call))
	all := ids(t, l)
	plan, err := l.Undo(all[0])
	must(t, err)
	if s := plan.Steps[0]; s.To != "/n" || s.After.Text != spell("1 x") {
		t.Fatalf("%+v", s)
	}
	apply(t, l, plan)
	if got := show(t, l, "/n"); got != `1-2 "2\n">"x\n"` {
		t.Errorf("hunks at the old name: %s", got)
	}
	plan, err = l.UndoDecision()
	must(t, err)
	apply(t, l, plan)
	_, err = l.Keep(all[0])
	must(t, err)
	if got := show(t, l, "/m"); got != `1-2 "2\n">"x\n"` {
		t.Errorf("hunks after the move was kept: %s", got)
	}
}

func TestTakingBackWhatChangedSince(t *testing.T) {
	l := newLedger(t)
	edit(t, l, spell("1 2 3 4 5"), spell("x 2 3 4 y"), call)
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	apply(t, l, plan)
	typed(t, l, spell("1 2 3 4 mine"))
	plan, err = l.UndoDecision()
	must(t, err)
	if got := apply(t, l, plan)[path].Text; got != spell("x 2 3 4 mine") {
		t.Errorf("taken back %q", got)
	}
	if len(plan.Refused) != 1 || !strings.Contains(plan.Refused[0].Why, "1 of 2") {
		t.Errorf("refused %+v", plan.Refused)
	}
	if _, err := l.UndoDecision(); !errors.Is(err, ErrNothingToTakeBack) {
		t.Errorf("once more: %v", err)
	}
}

func TestDroppedStepIsNotOfferedAgain(t *testing.T) {
	l := newLedger(t)
	edit(t, l, spell("1 2"), spell("1 x"), call)
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	apply(t, l, plan)
	plan, err = l.UndoDecision()
	must(t, err)
	must(t, l.Drop(plan.Steps[0]))
	if _, err := l.UndoDecision(); !errors.Is(err, ErrNothingToTakeBack) {
		t.Errorf("offered again: %v", err)
	}
}

func TestSettleWithTextTypedMeanwhile(t *testing.T) {
	l := newLedger(t)
	edit(t, l, spell("1 2 3 4"), spell("1 x 3 4"), call)
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	must(t, l.Settle(plan.Steps[0], file1(spell("u 1 x 3 4")), file1(spell("u 1 2 3 4 v"))))
	check(t, l)
	wantHunks(t, l, "")
	if base, _ := l.Base(path); base != spell("u 1 2 3 4 v") {
		t.Errorf("base %q", base)
	}
}

func TestFilesThatOthersMakeAnew(t *testing.T) {
	l := newLedger(t)
	must(t, l.Record(Change{Path: path, Before: file1("old\n")}, call))
	must(t, l.UserEdit(path, State{}))
	if len(l.Pending()) != 1 {
		t.Error("a file that is not there is no news")
	}
	typed(t, l, "the user's\n")
	if l.Tracks(path) {
		t.Error("the deletion of a file that was made anew is pending")
	}
}

func TestForgetfulness(t *testing.T) {
	l := newLedger(t)
	text := numbered(3)
	for i := range maxDecisions + 5 {
		next := text + fmt.Sprintf("more %d\n", i)
		edit(t, l, text, next, call)
		_, err := l.Keep(ids(t, l)...)
		must(t, err)
		text = next
	}
	if len(l.decisions) != maxDecisions {
		t.Errorf("%d decisions", len(l.decisions))
	}
	if n := len(l.files[pathKey(path)].marks); n > maxDecisions {
		t.Errorf("%d marks", n)
	}
}
