package review

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func openCheckpoints(t testing.TB, dir string, o CheckpointOptions) *Checkpoints {
	t.Helper()
	c, err := OpenCheckpoints(openStore(t, dir), o)
	must(t, err)
	return c
}

func newMark(t testing.TB, c *Checkpoints, session, prompt string) string {
	t.Helper()
	id := c.Mark(session, prompt)
	must(t, c.Flush())
	return id
}

func TestCheckpointsOfASession(t *testing.T) {
	dir := t.TempDir()
	c := openCheckpoints(t, dir, CheckpointOptions{})
	must(t, c.Keep("s", map[string]State{"/early": file1("no checkpoint yet\n")}))
	first := newMark(t, c, "s", "first")
	must(t, c.Keep("s", map[string]State{"/a": file1("a0\n")}))
	must(t, c.Keep("s", map[string]State{"/a": file1("a1\n")})) // only the first counts
	other := newMark(t, c, "other", "its own")
	must(t, c.Keep("other", map[string]State{"/a": file1("of another\n")}))
	second := newMark(t, c, "s", "second")
	must(t, c.Keep("s", map[string]State{"/a": file1("a2\n"), "/new": {}, "/b": {Exists: true, Text: "\xff", Mode: 0o755}}))

	c = openCheckpoints(t, dir, CheckpointOptions{})
	var got []string
	for _, k := range c.List("s") {
		got = append(got, fmt.Sprint(k.ID, k.Prompt, k.Files))
	}
	want := []string{fmt.Sprint(first, "first", []string{"/a"}), fmt.Sprint(second, "second", []string{"/a", "/b", "/new"})}
	if !slices.Equal(got, want) {
		t.Errorf("list %v, want %v", got, want)
	}
	if id, ok := c.Newest("s"); !ok || id != second {
		t.Errorf("newest %s, want %s", id, second)
	}
	for id, want := range map[string]map[string]State{
		first:  {"/a": file1("a0\n"), "/new": {}, "/b": {Exists: true, Text: "\xff", Mode: 0o755}},
		second: {"/a": file1("a2\n"), "/new": {}, "/b": {Exists: true, Text: "\xff", Mode: 0o755}},
		other:  {"/a": file1("of another\n")},
	} {
		files, missing, err := c.Restore(id)
		must(t, err)
		got := map[string]State{}
		for _, f := range files {
			got[f.Path] = f.State
		}
		if !maps.Equal(got, want) || len(missing) > 0 {
			t.Errorf("restore of %s: %v, want %v (missing %v)", id, got, want, missing)
		}
	}
	must(t, c.Forget("s"))
	if _, _, err := c.Restore(first); !errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("forgotten: %v", err)
	}
	if _, err := c.Get(other); err != nil {
		t.Errorf("the other session's: %v", err)
	}
}

// TestRestoreCanBeRestored goes back, then forth, as the caller of Restore does.
func TestRestoreCanBeRestored(t *testing.T) {
	c := openCheckpoints(t, t.TempDir(), CheckpointOptions{})
	disk := map[string]string{"/a": "a0", "/b": "b0"}
	write := func(texts map[string]string) {
		states := map[string]State{}
		for p := range texts {
			if text, there := disk[p]; there {
				states[p] = file1(text)
			} else {
				states[p] = State{}
			}
		}
		must(t, c.Keep("s", states))
		maps.Copy(disk, texts)
	}
	restore := func(id string) {
		files, _, err := c.Restore(id)
		must(t, err)
		newMark(t, c, "s", "restore")
		texts := map[string]string{}
		for _, f := range files {
			if text, there := disk[f.Path]; there != f.Exists || text != f.Text {
				texts[f.Path] = f.Text
			}
		}
		write(texts)
		for _, f := range files {
			if !f.Exists {
				delete(disk, f.Path)
			}
		}
	}
	first := newMark(t, c, "s", "1")
	write(map[string]string{"/a": "a1"})
	newMark(t, c, "s", "2")
	write(map[string]string{"/a": "a2", "/b": "b2", "/n": "n2"})
	after := maps.Clone(disk)
	restore(first)
	if want := map[string]string{"/a": "a0", "/b": "b0"}; !maps.Equal(disk, want) {
		t.Errorf("restored %v, want %v", disk, want)
	}
	newest, _ := c.Newest("s")
	restore(newest)
	if !maps.Equal(disk, after) {
		t.Errorf("restored back %v, want %v", disk, after)
	}
	restore(first)
	if want := map[string]string{"/a": "a0", "/b": "b0"}; !maps.Equal(disk, want) {
		t.Errorf("restored once more %v, want %v", disk, want)
	}
}

func TestCheckpointLimits(t *testing.T) {
	now := time.Unix(1e9, 0)
	o := CheckpointOptions{MaxCheckpoints: 3, MaxBytes: 100, MaxAge: time.Hour, Now: func() time.Time { return now }}
	prompts := func(c *Checkpoints) string {
		var out []string
		for _, k := range c.List("s") {
			out = append(out, k.Prompt)
		}
		return strings.Join(out, " ")
	}
	t.Run("number", func(t *testing.T) {
		c := openCheckpoints(t, t.TempDir(), o)
		for i := range 5 {
			newMark(t, c, "s", fmt.Sprint(i))
		}
		if got := prompts(c); got != "2 3 4" {
			t.Errorf("left %s", got)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		c := openCheckpoints(t, t.TempDir(), o)
		for i := range 3 {
			newMark(t, c, "s", fmt.Sprint(i))
			must(t, c.Keep("s", map[string]State{"/a": file1(strings.Repeat(fmt.Sprint(i), 40))}))
		}
		if got := prompts(c); got != "1 2" {
			t.Errorf("left %s", got)
		}
	})
	t.Run("one file too large", func(t *testing.T) {
		c := openCheckpoints(t, t.TempDir(), o)
		id := newMark(t, c, "s", "0")
		must(t, c.Keep("s", map[string]State{"/a": file1(strings.Repeat("x", 60))}))
		must(t, c.Keep("s", map[string]State{"/b": file1(strings.Repeat("y", 60))}))
		files, missing, err := c.Restore(id)
		must(t, err)
		if len(files) != 1 || len(missing) != 1 || missing[0].Path != "/b" || !strings.Contains(missing[0].Why, "60 bytes") {
			t.Errorf("files %v, missing %v", files, missing)
		}
	})
	t.Run("age", func(t *testing.T) {
		c := openCheckpoints(t, t.TempDir(), o)
		newMark(t, c, "s", "old")
		now = now.Add(2 * time.Hour)
		newMark(t, c, "s", "new")
		if got := prompts(c); got != "new" {
			t.Errorf("left %s", got)
		}
	})
}

func TestDropIsForCheckpointsThatLeadNowhere(t *testing.T) {
	c := openCheckpoints(t, t.TempDir(), CheckpointOptions{})
	used, empty := newMark(t, c, "s", "used"), newMark(t, c, "s", "empty")
	must(t, c.Drop(empty))
	must(t, c.Keep("s", map[string]State{"/a": {}}))
	must(t, c.Drop(used))
	if list := c.List("s"); len(list) != 1 || list[0].ID != used {
		t.Errorf("list %v", list)
	}
}

func TestLongPromptsAreCut(t *testing.T) {
	c := openCheckpoints(t, t.TempDir(), CheckpointOptions{})
	newMark(t, c, "s", "x"+strings.Repeat("ü", maxPrompt))
	if p := c.List("s")[0].Prompt; len(p) > maxPrompt+4 || !strings.HasSuffix(p, "ü…") {
		t.Errorf("prompt of %d bytes ends %q", len(p), p[len(p)-8:])
	}
}

// TestMarksOfTwoProcesses keeps those that are not stored yet.
func TestMarksOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := openCheckpoints(t, dir, CheckpointOptions{}), openCheckpoints(t, dir, CheckpointOptions{})
	mine := a.Mark("s", "a")
	newMark(t, b, "s", "b")
	must(t, a.Keep("s", map[string]State{"/a": file1("a\n")}))
	list := openCheckpoints(t, dir, CheckpointOptions{}).List("s")
	if len(list) != 2 || list[1].ID != mine || len(list[1].Files) != 1 {
		t.Errorf("list %v", list)
	}
}
