package workspace

import (
	"container/list"
	"slices"
)

// maxKeptBytes bounds the texts that a view keeps of observed files.
const maxKeptBytes = 64 << 20

// maxSteps bounds the remembered own writes of one file: how many edits of
// one batch, all planned on the same text, can land.
const maxSteps = 1024

// sight is what a view knows of one file.
type sight struct {
	disk string // version of the disk when it was last read or written
	text string // hash of the text that was seen
	// handle holds the text that was seen; kept is its place among the kept
	// texts, nil when the text had to be forgotten.
	handle Handle
	kept   *list.Element
	// diskSteps and textSteps are the own writes of this view.
	diskSteps, textSteps steps
}

// steps are versions of one file, each made from the one before by this
// view, up to its newest write.
type steps []string

// add appends a write. A write that does not start where the last one ended
// begins anew: other hands were between.
func (s *steps) add(from, to string) {
	if from == to {
		return
	}
	if len(*s) == 0 || (*s)[len(*s)-1] != from {
		*s = append((*s)[:0], from)
	}
	*s = append(*s, to)
	if len(*s) > maxSteps {
		*s = slices.Delete(*s, 0, len(*s)-maxSteps)
	}
}

// lead reports whether own writes alone lead from one version to the other.
func (s steps) lead(from, to string) bool {
	return len(s) > 0 && s[len(s)-1] == to && slices.Contains(s, from)
}

// texts are the sights whose text is kept, the latest first.
type texts struct {
	order list.List
	bytes int
}

// Observe remembers that this session has seen h, for Check.
func (v *View) Observe(h Handle) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.observe(h)
}

// observe is Observe with v.mu held.
func (v *View) observe(h Handle) {
	s := v.sightOf(h.Real)
	s.disk, s.text = h.diskVersion(), h.Hash()
	v.forget(s)
	if h.disk != nil && h.disk != h.text {
		h.disk = &content{hash: h.disk.sum()} // its text is not needed again
	}
	s.handle = h
	s.kept = v.kept.order.PushFront(s)
	v.kept.bytes += len(h.Content())
	for v.kept.bytes > maxKeptBytes {
		v.forget(v.kept.order.Back().Value.(*sight))
	}
}

// sightOf returns the sight of a file, made when there is none; v.mu is held.
func (v *View) sightOf(real string) *sight {
	s, ok := v.seen[pathKey(real)]
	if !ok {
		s = &sight{}
		v.seen[pathKey(real)] = s
	}
	return s
}

// forget drops the kept text of s, not that it was seen; v.mu is held.
func (v *View) forget(s *sight) {
	if s.kept == nil {
		return
	}
	v.kept.order.Remove(s.kept)
	v.kept.bytes -= len(s.handle.Content())
	s.kept, s.handle = nil, Handle{}
}

// Seen returns the file of h with the text that this session last saw, h itself
// where that is the text: the base of an edit that names lines (contract
// §7.11). It fails as Check does, and with FS_STALE_VERSION when a user typed
// since and too much was seen meanwhile for the text to be kept.
func (v *View) Seen(h Handle) (Handle, error) {
	if err := v.Check(h); err != nil {
		return Handle{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.seen[pathKey(h.Real)]
	switch {
	case s.text == h.Hash():
		return h, nil
	case s.kept == nil:
		return Handle{}, typedOver(h)
	}
	return s.handle, nil
}

// CheckText fails as Check does, and with FS_STALE_VERSION when a user typed
// into the file since this session last saw it, for a change that would leave
// nothing of that.
func (v *View) CheckText(h Handle) error {
	seen, err := v.Seen(h)
	if err == nil && seen.Hash() != h.Hash() {
		return typedOver(h)
	}
	return err
}

// seenText returns the text of a file as it was last seen, nil when it is not
// kept. What holds that text still needs no copy and no new hash.
func (v *View) seenText(real string) *content {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s, ok := v.seen[pathKey(real)]; ok && s.kept != nil {
		return s.handle.text
	}
	return nil
}

// hasSeen reports whether this session has read or written a file.
func (v *View) hasSeen(real string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	s, ok := v.seen[pathKey(real)]
	return ok && s.disk != ""
}

// Check fails with FS_NOT_OBSERVED when this session has not seen the file at
// h.Real, and with FS_STALE_VERSION when the disk text changed since it last
// did by other hands than this view's.
func (v *View) Check(h Handle) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	s, ok := v.seen[pathKey(h.Real)]
	if !ok || s.disk == "" {
		return &Error{
			Code: FSNotObserved, Path: h.Path, Message: "this session has not read " + h.Path,
			Hint: "Read it first, then retry.",
		}
	}
	if v.foreign(s.disk, s.text, h) {
		return stale(h)
	}
	return nil
}

// foreign reports whether other hands than this view's and the editors'
// changed the disk from the version disk, seen with the text of hash text, to
// what now holds; v.mu is held.
func (v *View) foreign(disk, text string, now Handle) bool {
	version := now.diskVersion()
	switch {
	case version == disk:
		return false
	case !now.Dirty && now.Exists && now.Hash() == text:
		return false // an editor saved what was seen
	case now.SavedHash != "" && now.SavedHash == version:
		return false // an editor saved what its user typed
	}
	s, ok := v.seen[pathKey(now.Real)]
	return !ok || !s.diskSteps.lead(disk, version)
}

// ownText reports whether only writes of this view lead from the text of
// base to that of now.
func (v *View) ownText(base, now Handle) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	s, ok := v.seen[pathKey(now.Real)]
	return ok && s.textSteps.lead(base.textVersion(), now.textVersion())
}

// wrote remembers a write of this view; v.mu is held.
func (v *View) wrote(before, after Handle) {
	s := v.sightOf(after.Real)
	s.diskSteps.add(before.diskVersion(), after.diskVersion())
	s.textSteps.add(before.textVersion(), after.textVersion())
}

// typedOver is the error of a file that a user changed in an editor.
func typedOver(h Handle) error {
	return &Error{
		Code: FSStaleVersion, Path: h.Path, Hint: readAgain,
		Message: h.Path + " was changed in the editor since this session last read it",
	}
}

// stale is the error of a file that changed on disk.
func stale(h Handle) error {
	message := h.Path + " changed on disk since this session last read it"
	if !h.Exists {
		message = h.Path + " was removed since this session last read it"
	}
	return &Error{Code: FSStaleVersion, Path: h.Path, Message: message, Hint: readAgain}
}
