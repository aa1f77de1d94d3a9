package review

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Limits of checkpoints, unless options say otherwise.
const (
	DefaultMaxCheckpoints     = 200
	DefaultMaxCheckpointBytes = 512 << 20
	DefaultCheckpointAge      = 30 * 24 * time.Hour
	// maxPrompt is how many bytes of a prompt are kept.
	maxPrompt = 1000
)

// CheckpointOptions configure Checkpoints; every field may be zero.
type CheckpointOptions struct {
	// MaxCheckpoints, MaxBytes and MaxAge bound what is kept of a workspace: the
	// oldest go first. What is over MaxBytes within one checkpoint is not kept,
	// and a restore says so.
	MaxCheckpoints int
	MaxBytes       int64
	MaxAge         time.Duration
	Now            func() time.Time
}

// Checkpoint is a moment of a session that can be gone back to. It is a copy.
type Checkpoint struct {
	ID      string
	Session string
	// Prompt is what followed it: the beginning of a prompt's text, or what was
	// restored.
	Prompt string
	Time   time.Time
	// Files are the paths that were changed after it, before the session's next
	// checkpoint; sorted.
	Files []string
}

// ErrNoCheckpoint says that a session has no such checkpoint.
var ErrNoCheckpoint = errors.New("there is no such checkpoint")

// Checkpoints are the files of sessions as they were before each prompt. Only
// files that agents change through the workspace are kept; what a command does
// to others is not known here. Safe for concurrent use.
type Checkpoints struct {
	store *Store
	o     CheckpointOptions

	mu    sync.Mutex
	list  []*checkpoint // oldest first
	saved stamp
}

// checkpoint is a checkpoint as stored.
type checkpoint struct {
	ID      string               `json:"id"`
	Session string               `json:"session"`
	Prompt  string               `json:"prompt"`
	Time    time.Time            `json:"time"`
	Files   map[string]fileState `json:"files,omitempty"` // by pathKey

	fresh bool // not stored yet
}

// fileState is a file as it was before its first change.
type fileState struct {
	Path   string      `json:"path"`
	Exists bool        `json:"exists"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	Text   string      `json:"text,omitempty"` // names a text
	Size   int64       `json:"size,omitempty"`
	// TooLarge says that the text was not kept.
	TooLarge bool `json:"too_large,omitempty"`
}

// OpenCheckpoints returns the checkpoints that are kept in the store. A
// *DamagedError comes with Checkpoints that can be used.
func OpenCheckpoints(s *Store, o CheckpointOptions) (*Checkpoints, error) {
	o.MaxCheckpoints = cmp.Or(max(o.MaxCheckpoints, 0), DefaultMaxCheckpoints)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxCheckpointBytes)
	o.MaxAge = cmp.Or(max(o.MaxAge, 0), DefaultCheckpointAge)
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Checkpoints{store: s, o: o}
	err := s.locked(c.start)
	var damaged *DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return nil, err
	}
	return c, err
}

// start reads what is stored and sweeps what is too old. The lock is held.
func (c *Checkpoints) start() error {
	if err := c.adopt(); err != nil {
		return err
	}
	had := len(c.list)
	tooOld := c.o.Now().Add(-c.o.MaxAge)
	c.list = slices.DeleteFunc(c.list, func(k *checkpoint) bool { return k.Time.Before(tooOld) })
	if len(c.list) == had {
		return nil
	}
	if err := c.write(); err != nil {
		return err
	}
	return c.store.sweep()
}

// write stores the list. The lock is held.
func (c *Checkpoints) write() error {
	at, err := c.store.save(checkpointsName, c.saved, c.list)
	if err != nil {
		return err
	}
	c.saved = at
	for _, k := range c.list {
		k.fresh = false
	}
	return nil
}

// adopt reads what another process stored. The lock is held.
func (c *Checkpoints) adopt() error {
	if !c.store.changed(checkpointsName, c.saved) {
		return nil
	}
	var list []*checkpoint
	at, err := c.store.load(checkpointsName, &list)
	if !at.read {
		return err
	}
	if err != nil && c.saved.read {
		c.store.log.Warn("the stored checkpoints are written anew", "error", err)
		c.saved = at
		return nil
	}
	list = slices.DeleteFunc(list, func(k *checkpoint) bool { return k == nil || k.ID == "" })
	for _, k := range c.list {
		if k.fresh {
			list = append(list, k)
		}
	}
	c.list, c.saved = list, at
	return err
}

// update changes and stores the list.
func (c *Checkpoints) update(fn func() error) error {
	return c.store.locked(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := c.adopt(); err != nil {
			return err
		}
		if err := fn(); err != nil {
			return err
		}
		c.prune()
		return c.write()
	})
}

// Mark makes a checkpoint of a session: of what its next prompt changes. It is
// stored with the first file that Keep adds to it, or by Flush.
func (c *Checkpoints) Mark(session, prompt string) (id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &checkpoint{ID: rand.Text(), Session: session, Prompt: shorten(prompt), Time: c.o.Now(), fresh: true}
	c.list = append(c.list, k)
	c.prune()
	return k.ID
}

// Flush stores the checkpoints that were made since the last time.
func (c *Checkpoints) Flush() error {
	c.mu.Lock()
	idle := !slices.ContainsFunc(c.list, func(k *checkpoint) bool { return k.fresh })
	c.mu.Unlock()
	if idle {
		return nil
	}
	return c.update(func() error { return nil })
}

// shorten bounds a prompt, in whole characters.
func shorten(s string) string {
	if len(s) <= maxPrompt {
		return s
	}
	end := maxPrompt
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Keep stores what files hold that a session is about to change, where it has
// not changed them since its newest checkpoint. Without a checkpoint nothing is
// kept. States are by path.
func (c *Checkpoints) Keep(session string, states map[string]State) error {
	c.mu.Lock()
	k := c.newest(session)
	known := k == nil
	if !known {
		known = true
		for path := range states {
			_, have := k.Files[pathKey(path)]
			known = known && have
		}
	}
	c.mu.Unlock()
	if known {
		return nil
	}
	return c.update(func() error {
		k := c.newest(session)
		if k == nil {
			return nil
		}
		if k.Files == nil {
			k.Files = map[string]fileState{}
		}
		for path, s := range states {
			if _, have := k.Files[pathKey(path)]; have {
				continue
			}
			state, err := c.keep(path, s, c.o.MaxBytes-k.size())
			if err != nil {
				return err
			}
			k.Files[pathKey(path)] = state
		}
		return nil
	})
}

// keep stores one state, its text when that is within room bytes.
func (c *Checkpoints) keep(path string, s State, room int64) (out fileState, err error) {
	out.Path = path
	if !s.Exists {
		return out, nil
	}
	out.Exists, out.Mode, out.Size = true, s.Mode, int64(len(s.Text))
	if out.Size > room {
		out.TooLarge = true
		return out, nil
	}
	out.Text, err = c.store.keepText(s.Text)
	return out, err
}

// size is how many bytes the texts of k have.
func (k *checkpoint) size() (n int64) {
	for _, s := range k.Files {
		if !s.TooLarge {
			n += s.Size
		}
	}
	return n
}

// newest returns the newest checkpoint of a session, nil for none.
func (c *Checkpoints) newest(session string) *checkpoint {
	for _, k := range slices.Backward(c.list) {
		if k.Session == session {
			return k
		}
	}
	return nil
}

// Newest returns the id of a session's newest checkpoint.
func (c *Checkpoints) Newest(session string) (id string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.newest(session)
	if k == nil {
		return "", false
	}
	return k.ID, true
}

// Get returns a checkpoint, or ErrNoCheckpoint.
func (c *Checkpoints) Get(id string) (Checkpoint, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.list {
		if k.ID == id {
			return k.copy(), nil
		}
	}
	return Checkpoint{}, ErrNoCheckpoint
}

// List returns the checkpoints of a session, oldest first.
func (c *Checkpoints) List(session string) []Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []Checkpoint{}
	for _, k := range c.list {
		if k.Session == session {
			out = append(out, k.copy())
		}
	}
	return out
}

func (k *checkpoint) copy() Checkpoint {
	out := Checkpoint{ID: k.ID, Session: k.Session, Prompt: k.Prompt, Time: k.Time, Files: []string{}}
	for _, s := range k.Files {
		out.Files = append(out.Files, s.Path)
	}
	slices.Sort(out.Files)
	return out
}

// Restored is what a file held at a checkpoint.
type Restored struct {
	Path string
	State
}

// Restore returns what the files held at a checkpoint that its session has
// changed since, sorted by path; the caller makes a checkpoint and writes those
// that differ. A text that was not kept, or is lost, is an entry of missing.
// ErrNoCheckpoint when there is none with that id.
func (c *Checkpoints) Restore(id string) (files []Restored, missing []Refusal, err error) {
	err = c.store.locked(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.adopt()
	})
	if err != nil {
		return nil, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.list, func(k *checkpoint) bool { return k.ID == id })
	if at < 0 {
		return nil, nil, ErrNoCheckpoint
	}
	states := map[string]fileState{}
	for _, k := range slices.Backward(c.list[at:]) {
		if k.Session == c.list[at].Session {
			maps.Copy(states, k.Files)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(states)) {
		s := states[key]
		text, err := c.text(s)
		if err != nil {
			missing = append(missing, Refusal{Path: s.Path, Why: err.Error()})
			continue
		}
		files = append(files, Restored{s.Path, State{Exists: s.Exists, Text: text, Mode: s.Mode}})
	}
	return files, missing, nil
}

// text returns the text of a state.
func (c *Checkpoints) text(s fileState) (string, error) {
	switch {
	case !s.Exists:
		return "", nil
	case s.TooLarge:
		return "", fmt.Errorf("it had %d bytes, and a checkpoint keeps %d in all", s.Size, c.o.MaxBytes)
	}
	return c.store.texts.get(s.Text)
}

// Drop removes a checkpoint after which nothing was changed.
func (c *Checkpoints) Drop(id string) error {
	return c.update(func() error {
		c.list = slices.DeleteFunc(c.list, func(k *checkpoint) bool { return k.ID == id && len(k.Files) == 0 })
		return nil
	})
}

// Forget removes the checkpoints of a session.
func (c *Checkpoints) Forget(session string) error {
	c.mu.Lock()
	none := c.newest(session) == nil
	c.mu.Unlock()
	if none {
		return nil
	}
	return c.update(func() error {
		c.list = slices.DeleteFunc(c.list, func(k *checkpoint) bool { return k.Session == session })
		return nil
	})
}

// prune removes the oldest checkpoints beyond the limits; the newest stays.
func (c *Checkpoints) prune() {
	var bytes int64
	counted := map[string]bool{}
	oldest := c.o.Now().Add(-c.o.MaxAge)
	for i, k := range slices.Backward(c.list) {
		for _, s := range k.Files {
			if !counted[s.Text] && !s.TooLarge {
				counted[s.Text] = true
				bytes += s.Size
			}
		}
		tooMany := len(c.list)-i > c.o.MaxCheckpoints
		if i < len(c.list)-1 && (tooMany || bytes > c.o.MaxBytes || k.Time.Before(oldest)) {
			c.list = slices.Delete(c.list, 0, i+1)
			return
		}
	}
}
