package workspace

import "context"

// Witness follows files that somebody else changes for the session, such as a
// hosted agent that writes to the disk itself. The view's recorder is told of
// it as of changes of the view's own, so that they can be reviewed and undone.
// It is for one goroutine at a time.
type Witness struct {
	v       *View
	before  []Handle
	settled func([]Applied)
}

// Saw is a file that was seen to change.
type Saw struct {
	Path          string // as it was asked for
	Before, After Handle
}

// Witness begins to follow files, before somebody changes them. Files outside
// the roots, with unsaved text, or that cannot be read are left out: nobody
// could tell there what the other has changed. Settle must be called.
func (v *View) Witness(ctx context.Context, paths []string) *Witness {
	w := &Witness{v: v}
	seen := map[string]bool{}
	for _, path := range paths {
		h, err := v.Open(ctx, path)
		if err != nil || !h.Inside || h.Dirty || seen[h.Real] {
			continue
		}
		seen[h.Real] = true
		w.before = append(w.before, h)
	}
	w.settled = w.tell(w.before)
	return w
}

// tell announces changes to the recorder, which cannot refuse them.
func (w *Witness) tell(files []Handle) (done func([]Applied)) {
	if w.v.recorder == nil || len(files) == 0 {
		return func([]Applied) {}
	}
	done, err := w.v.recorder.Changing(files)
	if err != nil {
		w.v.w.log.Warn("a change of another program is not kept", "error", err)
	}
	if done == nil {
		return func([]Applied) {}
	}
	return done
}

// Follows reports whether the file at path is among those that are followed.
func (w *Witness) Follows(path string) bool {
	real, _, err := w.v.Resolve(path)
	for _, h := range w.before {
		if err == nil && pathKey(h.Real) == pathKey(real) {
			return true
		}
	}
	return false
}

// Before returns the text of a file when it began to be followed.
func (w *Witness) Before(path string) (text string, ok bool) {
	real, _, err := w.v.Resolve(path)
	for _, h := range w.before {
		if err == nil && pathKey(h.Real) == pathKey(real) {
			return h.Content(), true
		}
	}
	return "", false
}

// Settle looks at the files again, tells the recorder what became of them and
// returns those that are others now. earlier, when set, is asked about files
// that are as they were: whether they had been changed before they were
// followed, and what they held then; existed false is a file that was not
// there.
func (w *Witness) Settle(ctx context.Context, earlier func(path, now string) (text string, existed, ok bool)) []Saw {
	var saw []Saw
	var applied []Applied
	var late []Handle
	for _, before := range w.before {
		now, err := w.v.Open(ctx, before.Path)
		if err != nil || now.Dirty {
			continue
		}
		if !before.sameText(now) {
			saw = append(saw, Saw{before.Path, before, now})
			applied = append(applied, seenChange(before, now))
		} else if then, ok := asBefore(now, earlier); ok {
			saw = append(saw, Saw{before.Path, then, now})
			late = append(late, then)
		}
		w.v.Observe(now)
	}
	w.settled(applied)
	w.settleLate(saw, late)
	w.before, w.settled = nil, func([]Applied) {}
	return saw
}

// settleLate tells of changes that came before their announcement.
func (w *Witness) settleLate(saw []Saw, late []Handle) {
	if len(late) == 0 {
		return
	}
	done := w.tell(late)
	var applied []Applied
	for _, h := range late {
		for _, s := range saw {
			if s.Before.Real == h.Real {
				applied = append(applied, seenChange(s.Before, s.After))
			}
		}
	}
	done(applied)
}

// asBefore is a file as it was before a change that is in it already.
func asBefore(now Handle, earlier func(path, now string) (string, bool, bool)) (Handle, bool) {
	if earlier == nil || !now.Exists {
		return Handle{}, false
	}
	text, existed, ok := earlier(now.Path, now.Content())
	if !ok {
		return Handle{}, false
	}
	then := now
	then.Exists = existed
	then.text, then.disk = &content{text: text}, nil
	if existed {
		then.disk = then.text
	}
	return then, !then.sameText(now)
}

func seenChange(before, after Handle) Applied {
	c := Change{Op: OpUpdate, Base: before}
	switch {
	case !after.Exists:
		c.Op = OpDelete
	case !before.Exists:
		c.Op, c.Text = OpCreate, after.Content()
	}
	return Applied{Change: c, Before: before, After: after, Door: DoorDisk}
}
