package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// busyTurn is a turn with a text, a batch and an end.
func busyTurn() []response {
	return []response{
		says(Finish{}, text("first "), text("words"), Delta{Thought: "hm"}, callOf("echo", args("a")), callOf("fail", args("b"))),
		says(Finish{}, text("done")),
	}
}

func TestNothingIsSavedBeforeTheFirstPrompt(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	if err := s.SetMode("ask"); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(w.dir); err != nil || len(entries) != 0 {
		t.Fatalf("state folder holds %v, %v", entries, err)
	}
	if ok, err := s.Saved(); !ok {
		t.Errorf("Saved: %v", err)
	}
	w.run(s, "hello", EndTurn)
	s.Close()
	_, history := w.reopen().load(s.ID())
	want := []string{"mode_changed", "turn_started", "title_changed", "user_message", "turn_ended"}
	if got := kinds(history); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("history %v, want %v", got, want)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes are not those of Unix")
	}
	w := newWorld(t, model())
	w.run(w.session(), "hello", EndTurn)
	err := filepath.WalkDir(filepath.Join(w.dir, "sessions"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestARecordIsWrittenBeforeItIsShown(t *testing.T) {
	w := newWorld(t, model(busyTurn()...))
	w.sink.hook = func(s *Session, r Record) {
		path, _ := w.hub.store.Path(s.ID())
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte(asJSON(t, r)+"\n")) {
			t.Errorf("%T was shown before it was written (%v)", r.Event, err)
		}
	}
	w.run(w.session(), "go", EndTurn)
}

// storedTurn runs a busy turn and returns what was shown and the log's bytes.
func storedTurn(t *testing.T) (w *world, id string, shown []Record, path string, whole []byte) {
	w = newWorld(t, model(busyTurn()...))
	s := w.session()
	w.run(s, "go", EndTurn)
	w.hub.Close()
	path, _ = w.hub.store.Path(s.ID())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return w, s.ID(), w.sink.all(), path, whole
}

// TestCutAtEveryByte is what a crash at any moment leaves: the records of the
// whole lines, and the rest is known to be torn.
func TestCutAtEveryByte(t *testing.T) {
	_, id, shown, _, whole := storedTurn(t)
	header := bytes.IndexByte(whole, '\n') + 1
	for size := range len(whole) + 1 {
		stored, err := readLog(id, bytes.NewReader(whole[:size]))
		if size < header {
			if !errors.Is(err, ErrUnknownSession) {
				t.Fatalf("cut at %d, inside the header: %v", size, err)
			}
			continue
		}
		if err != nil || stored.unreadable > 0 {
			t.Fatalf("cut at %d: %v, %d lines unreadable", size, err, stored.unreadable)
		}
		if lines := bytes.Count(whole[header:size], []byte("\n")); len(stored.records) != min(lines, len(shown)) {
			t.Fatalf("cut at %d: %d records of %d lines", size, len(stored.records), lines)
		}
		if stored.torn != (whole[size-1] != '\n') {
			t.Fatalf("cut at %d: torn is %v", size, stored.torn)
		}
	}
}

// TestLoadAfterACut opens what a crash left, cut at and around the end of
// every line and inside of it: what it says is a prefix of what was shown,
// plus the closing of what was open.
func TestLoadAfterACut(t *testing.T) {
	w, id, shown, path, whole := storedTurn(t)
	var sizes []int
	for at, line := 0, []byte(nil); at < len(whole); at += len(line) {
		line = whole[at : at+bytes.IndexByte(whole[at:], '\n')+1]
		if at > 0 {
			sizes = append(sizes, at, at+1, at+len(line)/2, at+len(line)-1)
		}
	}
	for _, size := range sizes {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		o := w.other()
		loaded, history := o.load(id)
		checkCut(t, size, shown, history)
		if n := len(loaded.state.calls); n != 0 || loaded.state.turn != "" {
			t.Fatalf("cut at %d: %d calls open, turn %q", size, n, loaded.state.turn)
		}
		o.hub.Close()
		if _, records, err := o.hub.store.Read(id); err != nil || asJSON(t, records) != asJSON(t, history) {
			t.Fatalf("cut at %d: the repaired log reads differently: %v", size, err)
		}
	}
}

// checkCut compares what was shown with what a cut log gives.
func checkCut(t *testing.T, size int, shown, history []Record) {
	t.Helper()
	n := 0
	for n < len(shown) && n < len(history) && asJSON(t, shown[n]) == asJSON(t, history[n]) {
		n++
	}
	for _, r := range history[n:] {
		switch e := r.Event.(type) {
		case Notice, TurnEnded:
		case ToolCallFinished:
			if !e.Result.IsError || !strings.Contains(resultText(e.Result), "interrupted") {
				t.Fatalf("cut at %d: an open call was closed with %q", size, resultText(e.Result))
			}
		default:
			t.Fatalf("cut at %d: %T behind the common prefix of %d records", size, r.Event, n)
		}
	}
	for i, r := range history {
		if r.Seq != int64(i+1) {
			t.Fatalf("cut at %d: record %d has number %d", size, i+1, r.Seq)
		}
	}
}

func TestATornLineIsSaidAndCutOff(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "one", EndTurn)
	w.hub.Close()
	path, _ := w.hub.store.Path(s.ID())
	appendTo(t, path, `{"torn":"li`)
	o := w.other()
	s2, history := o.load(s.ID())
	if notices := eventsOf[Notice](history); len(notices) != 1 || !strings.Contains(notices[0].Title, "cut off") {
		t.Errorf("notices %v", notices)
	}
	o.run(s2, "two", EndTurn)
	_, history = o.reopen().load(s.ID())
	if n := len(eventsOf[Notice](history)); n != 1 {
		t.Errorf("%d notices after another load", n)
	}
	if users := eventsOf[UserMessage](history); len(users) != 2 {
		t.Errorf("prompts %v", users)
	}
}

func TestDamageInTheMiddleIsLeftOut(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "one", EndTurn)
	w.hub.Close()
	path, _ := w.hub.store.Path(s.ID())
	appendTo(t, path, "\x00\x00garbage\n{\"seq\":9,\"type\":\"from_the_future\"}\n")
	o := w.other()
	s2, history := o.load(s.ID())
	notices := eventsOf[Notice](history)
	if len(notices) != 1 || !strings.Contains(notices[0].Text, "2 lines") {
		t.Errorf("notices %v", notices)
	}
	o.run(s2, "two", EndTurn)
}

func TestANewerFormatIsRefusedAndUntouched(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "one", EndTurn)
	w.hub.Close()
	path, _ := w.hub.store.Path(s.ID())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := append(bytes.Replace(data, []byte(`"format":1`), []byte(`"format":2`), 1), "torn"...)
	if err := os.WriteFile(path, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	o := w.other()
	_, _, err = o.hub.Load(t.Context(), s.ID(), o.options())
	var format *FormatError
	if !errors.As(err, &format) || format.Format != 2 || !strings.Contains(err.Error(), "update agent-ls") {
		t.Errorf("Load: %v", err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, newer) {
		t.Error("the file was touched")
	}
	if page, _, err := o.hub.List("", "", 0); err != nil || len(page) != 0 {
		t.Errorf("List: %v, %v", page, err)
	}
}

func TestAnUnwritableFolderIsSaidOnce(t *testing.T) {
	w := newWorld(t, model(busyTurn()...))
	// A file where the folder should be: it fails for root too.
	if err := os.WriteFile(filepath.Join(w.dir, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.session()
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	ok, err := s.Saved()
	if ok || err == nil {
		t.Error("Saved says yes")
	}
	notices := eventsOf[Notice](w.sink.all())
	if len(notices) != 1 || !strings.Contains(notices[0].Text, err.Error()) {
		t.Errorf("notices %v, want one with %v", notices, err)
	}
	if got := len(s.History()); got == 0 {
		t.Error("the session does not work")
	}
	if _, _, err := w.hub.Load(t.Context(), s.ID(), w.options()); err == nil || !strings.Contains(err.Error(), "not saved") {
		t.Errorf("Load of a session that is not saved: %v", err)
	}
	if _, ok := w.hub.Get(s.ID()); !ok {
		t.Error("the failed Load closed the session")
	}
}

func TestAFullDiskLeavesAWholeLog(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "one", EndTurn)
	s.recMu.Lock()
	s.log.file.Close() // every write fails from now on
	s.recMu.Unlock()
	w.run(s, "two", EndTurn)
	if ok, _ := s.Saved(); ok {
		t.Error("Saved says yes")
	}
	_, history := w.reopen().load(s.ID())
	if users := eventsOf[UserMessage](history); len(users) != 1 {
		t.Errorf("prompts %v", users)
	}
}

func TestARecordThatCannotBeEncodedBreaksNothingElse(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "one", EndTurn)
	s.record(MetadataChanged{Key: "k", Value: json.RawMessage("{")})
	w.run(s, "two", EndTurn)
	if ok, err := s.Saved(); !ok {
		t.Errorf("Saved: %v", err)
	}
	_, history := w.reopen().load(s.ID())
	if users := eventsOf[UserMessage](history); len(users) != 2 || has[MetadataChanged](history) {
		t.Errorf("history %v", kinds(history))
	}
}

func TestWithoutAStateFolder(t *testing.T) {
	w := newWorld(t, model(), func(c *Config) { c.StateDir = "" })
	s := w.session()
	w.run(s, "one", EndTurn)
	if ok, err := s.Saved(); ok || !errors.Is(err, errNoStateDir) {
		t.Errorf("Saved: %v, %v", ok, err)
	}
	if has[Notice](w.sink.all()) {
		t.Error("a notice about what the user chose")
	}
	if page, _, err := w.hub.List("", "", 0); err != nil || len(page) != 1 {
		t.Errorf("List: %v, %v", page, err)
	}
	if err := w.hub.Delete(s.ID()); err != nil {
		t.Error(err)
	}
	if _, _, err := w.hub.Load(t.Context(), s.ID(), w.options()); !errors.Is(err, ErrUnknownSession) {
		t.Errorf("Load: %v", err)
	}
}

func TestManyRecordsBeforeTheFirstPromptAreBounded(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	for range 2000 {
		s.Notify(Notice{Severity: "info", Title: strings.Repeat("x", 100)})
	}
	s.recMu.Lock()
	held := len(s.log.pending)
	s.recMu.Unlock()
	if held > 2*lazyLimit {
		t.Errorf("%d bytes held in memory", held)
	}
}

func TestLargeRecordsSurvive(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	big := strings.Repeat("line of text\n", 200_000)
	w.run(s, big, EndTurn)
	info := s.Info()
	w.hub.Close()
	o := w.other()
	page, _, err := o.hub.List("", "", 0)
	if err != nil || len(page) != 1 || page[0].Title != info.Title || !page[0].Updated.Equal(info.Updated) {
		t.Errorf("List: %+v, %v; want %+v", page, err, info)
	}
	_, history := o.load(s.ID())
	if got := eventsOf[UserMessage](history)[0].Blocks; len(got) != 1 || got[0].Text != big {
		t.Error("the prompt came back changed")
	}
}

// FuzzReadLog checks that no file makes the reader panic, and that what it
// takes for records is whole lines.
func FuzzReadLog(f *testing.F) {
	f.Add([]byte(`{"format":1,"session":"s","cwd":"/"}` + "\n" + `{"seq":1,"type":"tools_changed"}` + "\n{\"torn"))
	f.Add([]byte("\n\n"))
	f.Add([]byte(`{"format":1}` + "\n" + `{"type":"summary","title":"x","updated":"2026-05-04T03:02:01Z"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		stored, err := readLog("s", bytes.NewReader(data))
		if err != nil {
			return
		}
		if stored.end > int64(len(data)) || data[stored.end-1] != '\n' || stored.torn != (stored.end < int64(len(data))) {
			t.Fatalf("end %d of %d, torn %v", stored.end, len(data), stored.torn)
		}
		if _, _, err := summaryOf("s", bytes.NewReader(data), int64(len(data)), testTime); err != nil {
			t.Fatalf("readLog reads it, summaryOf does not: %v", err)
		}
	})
}

func appendTo(t *testing.T, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(s)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
