package review

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSweepOfOtherWorkspaces(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"new": 0, "old": 48 * time.Hour, "old-pending": 48 * time.Hour, "old-damaged": 48 * time.Hour} {
		c := openCheckpoints(t, filepath.Join(dir, name), CheckpointOptions{})
		newMark(t, c, "s", "p")
		must(t, c.Keep("s", map[string]State{"/a": file1("a\n")}))
		if name == "old-pending" {
			l, err := OpenLedger(c.store, LedgerOptions{})
			must(t, err)
			edit(t, l, "1\n", "2\n", call)
			must(t, l.Flush())
		}
		if name == "old-damaged" {
			must(t, os.WriteFile(filepath.Join(dir, name, ledgerName), []byte("{"), 0o600))
		}
		for _, file := range []string{ledgerName, checkpointsName, "lock"} {
			if err := os.Chtimes(filepath.Join(dir, name, file), now.Add(-age), now.Add(-age)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	SweepStores(dir, 24*time.Hour, now, slog.New(slog.DiscardHandler))
	entries, err := os.ReadDir(dir)
	must(t, err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); got != "new old-damaged old-pending" {
		t.Errorf("left: %s", got)
	}
	if c := openCheckpoints(t, filepath.Join(dir, "new"), CheckpointOptions{}); len(c.List("s")) != 1 {
		t.Error("new checkpoints were swept")
	}
	if c := openCheckpoints(t, filepath.Join(dir, "old-pending"), CheckpointOptions{}); len(c.List("s")) != 0 {
		t.Error("old checkpoints were left")
	}
	if got := show(t, openLedger(t, filepath.Join(dir, "old-pending"), LedgerOptions{}), path); got != `0-1 "1\n">"2\n"` {
		t.Errorf("pending hunks of an old workspace: %s", got)
	}
	SweepStores(filepath.Join(dir, "none"), 0, now, slog.New(slog.DiscardHandler))
}

func TestOldCheckpointsAreSweptAtStart(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(1e9, 0)
	o := CheckpointOptions{MaxAge: time.Hour, Now: func() time.Time { return now }}
	c := openCheckpoints(t, dir, o)
	for _, text := range []string{"old\n", "newer\n"} {
		newMark(t, c, "s", text)
		must(t, c.Keep("s", map[string]State{"/a": file1(text)}))
	}
	now = now.Add(2 * time.Hour)
	c = openCheckpoints(t, dir, o)
	if list := c.List("s"); len(list) != 0 {
		t.Errorf("left %v", list)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "texts")); err != nil || len(entries) != 0 {
		t.Errorf("texts %v, %v", entries, err)
	}
}
