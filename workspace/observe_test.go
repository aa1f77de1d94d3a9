package workspace

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		after func(f *fixture) // what happens after the session read a.txt
		code  string           // "" is no error
	}{
		{"nothing", func(*fixture) {}, ""},
		{"other process writes", func(f *fixture) { f.onDisk("a.txt", "other\n") }, FSStaleVersion},
		{"other process writes the same text", func(f *fixture) { f.onDisk("a.txt", "one\ntwo\nthree\nfour\nfive\n") }, ""},
		{"other process removes it", func(f *fixture) { f.remove("a.txt") }, FSStaleVersion},
		{"own write", func(f *fixture) { f.apply(update(f.open("a.txt"), "one", "ONE")) }, ""},
		{"own write, then another's", func(f *fixture) {
			f.apply(update(f.open("a.txt"), "one", "ONE"))
			f.onDisk("a.txt", "other\n")
		}, FSStaleVersion},
		{"another's write, read again", func(f *fixture) { f.onDisk("a.txt", "other\n"); f.read("a.txt") }, ""},
		{"another view writes", func(f *fixture) {
			v := f.w.View(ViewOptions{Cwd: f.root})
			h := f.open("a.txt")
			_, err := v.Apply(f.t.Context(), []Change{update(h, "one", "ONE")})
			must(f.t, err)
		}, FSStaleVersion},
		{"user types", func(f *fixture) { f.docs.hold(f.path("a.txt"), "typed\n", true) }, ""},
		{"user types and saves", func(f *fixture) {
			f.docs.hold(f.path("a.txt"), "typed\n", true)
			f.docs.save(f.t, f.path("a.txt"))
		}, ""},
		{"user saves, then another writes", func(f *fixture) {
			f.docs.hold(f.path("a.txt"), "typed\n", true)
			f.docs.save(f.t, f.path("a.txt"))
			f.onDisk("a.txt", "other\n")
		}, FSStaleVersion},
		{"user types, another writes", func(f *fixture) {
			f.docs.hold(f.path("a.txt"), "typed\n", true)
			f.onDisk("a.txt", "other\n")
		}, FSStaleVersion},
		{"own delete", func(f *fixture) { f.apply(Change{Op: OpDelete, Base: f.open("a.txt")}) }, ""},
		{"own move away, another makes it again", func(f *fixture) {
			f.apply(Change{Op: OpMove, Base: f.open("a.txt"), MoveTo: f.path("b.txt")})
			f.onDisk("a.txt", "other\n")
		}, FSStaleVersion},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n"})
			wantCode(t, f.Check(f.open("a.txt")), FSNotObserved)
			f.read("a.txt")
			test.after(f)
			err := f.Check(f.open("a.txt"))
			if test.code == "" && err != nil {
				t.Errorf("Check: %v", err)
			}
			if test.code != "" {
				wantCode(t, err, test.code)
			}
		})
	}
}

func TestCheckOfUnsavedTextThatWasSaved(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "disk\n"})
	f.docs.hold(f.path("a.txt"), "typed\n", true)
	f.read("a.txt")
	// The editor goes away right after saving: nobody is left who knows that
	// it was the editor, but the text is what the session saw.
	f.onDisk("a.txt", "typed\n")
	f.docs.docs = map[string]Handle{}
	if err := f.Check(f.open("a.txt")); err != nil {
		t.Error(err)
	}
}

func TestSightsAreOfOneView(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "x"})
	f.read("a.txt")
	other := f.w.View(ViewOptions{Cwd: f.root})
	wantCode(t, other.Check(f.open("a.txt")), FSNotObserved)
}

func TestSightsFollowLinks(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a.txt": "x"})
	f.link("a.txt", "link")
	f.read("link")
	if err := f.Check(f.open("a.txt")); err != nil {
		t.Error(err)
	}
}

func TestSeen(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one"})
	f.docs.hold(f.path("a.txt"), "typed", true)
	_, err := f.Seen(f.open("a.txt"))
	wantCode(t, err, FSNotObserved)
	f.read("a.txt")
	if err := f.CheckText(f.open("a.txt")); err != nil {
		t.Error(err)
	}
	f.docs.hold(f.path("a.txt"), "typed on", true)
	if h, err := f.Seen(f.open("a.txt")); err != nil || h.Content() != "typed" {
		t.Errorf("Seen = %q, %v", h.Content(), err)
	}
	wantCode(t, f.CheckText(f.open("a.txt")), FSStaleVersion)
	f.View.forget(f.View.sightOf(f.open("a.txt").Real))
	_, err = f.Seen(f.open("a.txt"))
	wantCode(t, err, FSStaleVersion)
	f.docs.hold(f.path("a.txt"), "typed", true)
	if h, err := f.Seen(f.open("a.txt")); err != nil || h.Content() != "typed" {
		t.Errorf("Seen = %q, %v", h.Content(), err)
	}
}

// TestSeenTextIsAGoodBase plans against the text seen last while the
// editor shows another one, as line edits do (contract §7.11).
func TestSeenTextIsAGoodBase(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"})
	f.docs.hold(f.path("a.txt"), "typed\none\ntwo\nthree\nfour\n", true)
	f.read("a.txt")
	f.docs.hold(f.path("a.txt"), "typed\nmore\none\ntwo\nthree\nfour\n", true)
	f.View.appliers = []Applier{&fakeEditor{docs: f.docs}}
	base, err := f.Seen(f.open("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got := f.apply(update(base, "four", "FOUR"))
	if got[0].After.Content() != "typed\nmore\none\ntwo\nthree\nFOUR\n" || !got[0].Rebased {
		t.Errorf("after %q", got[0].After.Content())
	}
}

func TestKeptTextsAreBounded(t *testing.T) {
	f := newFixture(t, nil)
	const size = 8 << 20
	text := strings.Repeat("x", size)
	for i := range maxKeptBytes/size + 3 {
		f.Observe(NewHandle(f.path(fmt.Sprint(i)), text))
		f.Observe(NewHandle(f.path(fmt.Sprint(i)), text)) // again: counted once
	}
	if f.kept.bytes > maxKeptBytes || f.kept.order.Len() != maxKeptBytes/size {
		t.Errorf("%d texts of %d bytes are kept", f.kept.order.Len(), f.kept.bytes)
	}
	if s := f.sightOf(f.path("0")); s.kept != nil {
		t.Error("the oldest text is kept")
	}
	if err := f.Check(NewHandle(f.path("0"), text)); err != nil {
		t.Errorf("that it was seen is forgotten: %v", err)
	}
}

func TestSteps(t *testing.T) {
	var s steps
	if s.lead("a", "a") {
		t.Error("no writes lead anywhere")
	}
	s.add("a", "b")
	s.add("b", "b")
	s.add("b", "c")
	for _, from := range []string{"a", "b", "c"} {
		if !s.lead(from, "c") {
			t.Errorf("%s does not lead to c", from)
		}
	}
	if s.lead("a", "b") {
		t.Error("b is not the newest")
	}
	s.add("x", "y") // other hands were between c and x
	if s.lead("a", "y") || !s.lead("x", "y") {
		t.Errorf("steps %q", s)
	}
	for i := range 3 * maxSteps {
		s.add(fmt.Sprint(i), fmt.Sprint(i+1))
	}
	if len(s) > maxSteps || !s.lead(fmt.Sprint(3*maxSteps-5), fmt.Sprint(3*maxSteps)) {
		t.Errorf("%d steps", len(s))
	}
}
