package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestList(t *testing.T) {
	now := testTime
	w := newWorld(t, model(), func(c *Config) {
		c.Now = func() time.Time { now = now.Add(time.Second); return now }
	})
	var want []string
	for i := range 7 {
		s := w.session()
		w.run(s, fmt.Sprint("prompt ", i), EndTurn)
		want = append([]string{s.ID()}, want...)
		if i%2 == 0 {
			s.Close()
		}
	}
	idle := w.session()
	want = append([]string{idle.ID()}, want...)
	var got []string
	cursor := ""
	for pages := 0; ; pages++ {
		page, next, err := w.hub.List("", cursor, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page {
			got = append(got, i.ID)
		}
		if next == "" {
			if pages != 2 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
		cursor = next
	}
	if !slices.Equal(got, want) {
		t.Errorf("order\n got %v\nwant %v", got, want)
	}
	all, next, err := w.hub.List("", "", 0)
	if err != nil || len(all) != 8 || next != "" || all[1].Title != "prompt 6" {
		t.Errorf("all: %v, %q, %v", all, next, err)
	}
	for _, bad := range []string{"x", "e30=", "!!!"} {
		if _, _, err := w.hub.List("", bad, 3); !errors.Is(err, ErrCursor) {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
	// A session that was never used is gone with its process.
	if page, _, _ := w.reopen().hub.List("", "", 0); len(page) != 7 {
		t.Errorf("%d sessions in another process", len(page))
	}
}

func TestListComparesFoldersByWhereTheyAre(t *testing.T) {
	w := newWorld(t, model())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.cwd, link); err != nil {
		t.Skip("no symlinks: ", err)
	}
	through := w.session(func(o *SessionOptions) { o.Cwd = link })
	real := w.session()
	w.run(through, "x", EndTurn)
	w.run(real, "x", EndTurn)
	through.Close()
	for _, cwd := range []string{w.cwd, link, w.cwd + string(filepath.Separator), filepath.Join(w.cwd, "sub", "..")} {
		page, _, err := w.hub.List(cwd, "", 0)
		if err != nil || len(page) != 2 {
			t.Errorf("List(%s): %v, %v", cwd, page, err)
		}
		for _, i := range page {
			if i.Cwd != cwd {
				t.Errorf("listed with cwd %s, asked %s", i.Cwd, cwd)
			}
		}
	}
	if page, _, _ := w.hub.List(t.TempDir(), "", 0); len(page) != 0 {
		t.Errorf("another folder has %v", page)
	}
	if runtime.GOOS == "windows" {
		if page, _, _ := w.hub.List(strings.ToUpper(w.cwd), "", 0); len(page) != 2 {
			t.Error("letter case counts on Windows")
		}
	}
}

func TestDelete(t *testing.T) {
	var forgot []string
	w := newWorld(t, model(blocks("a")), func(c *Config) {
		c.Forget = func(s SessionInfo) error { forgot = append(forgot, s.ID); return nil }
	})
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-w.started
	if err := w.hub.Delete(s.ID()); err != nil {
		t.Fatal(err)
	}
	if reason, _ := wait(); reason != StopCancelled {
		t.Errorf("the turn ended with %q", reason)
	}
	if left, _ := os.ReadDir(filepath.Join(w.dir, "sessions")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	if err := w.hub.Delete(s.ID()); err != nil {
		t.Errorf("deleting twice: %v", err)
	}
	if !slices.Contains(forgot, s.ID()) {
		t.Error("the rest of it was not forgotten")
	}
	if err := w.hub.Delete("../x"); err != nil || slices.Contains(forgot, "../x") {
		t.Errorf("a path as an id: %v, forgot %v", err, forgot)
	}
}

// storeSessions writes n closed sessions into the state of w.
func storeSessions(tb testing.TB, dir, cwd string, n int) {
	store := NewStore(dir, nil)
	for i := range n {
		id := fmt.Sprintf("session-%04d", i)
		at := testTime.Add(time.Duration(i) * time.Second)
		l := store.create(logHeader{Session: id, Cwd: cwd, RealCwd: cwd, Created: at})
		for _, e := range []Event{TurnStarted{Turn: "t"}, TitleChanged{Title: id}, UserMessage{Blocks: prompt(id)}, TurnEnded{Turn: "t", Reason: EndTurn}} {
			if err := l.append(Record{Seq: 1, Time: at, Event: e}); err != nil {
				tb.Fatal(err)
			}
		}
		if err := l.summarize(logSummary{Title: id, Cwd: cwd, RealCwd: cwd, Updated: at}); err != nil {
			tb.Fatal(err)
		}
		l.close()
	}
}

func TestAThousandSessionsAreListed(t *testing.T) {
	w := newWorld(t, model())
	storeSessions(t, w.dir, w.cwd, 1000)
	page, next, err := w.hub.List(w.cwd, "", 50)
	if err != nil || len(page) != 50 || next == "" || page[0].Title != "session-0999" {
		t.Errorf("%d entries, %v", len(page), err)
	}
}

func BenchmarkListThousand(b *testing.B) {
	w := newWorld(b, model())
	storeSessions(b, w.dir, w.cwd, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := w.hub.List(w.cwd, "", 50); err != nil {
			b.Fatal(err)
		}
	}
}
