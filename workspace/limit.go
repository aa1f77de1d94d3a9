package workspace

import "slices"

// Limit bounds what a view reaches to what a decision was about: a link that
// is swapped between the decision and the use leads nowhere then.
type Limit struct {
	// Paths are real paths. They, and what is below them, are reached.
	Paths []string
	// Hidden, when set, says by its real path which file below Paths is left
	// out nevertheless. One of Paths itself never is.
	Hidden func(real string) bool
}

// Limited returns a view that shares everything with v but reaches only what
// l lets it; anything else fails with FS_NOT_ALLOWED.
func (v *View) Limited(l Limit) *View { return &View{state: v.state, limit: &l, recorder: v.recorder} }

// permit refuses a place that the limit does not hold. asked is how the
// caller knows it.
func (v *View) permit(asked, real string) error {
	l := v.limit
	if l == nil {
		return nil
	}
	if holder(l.Paths, real) == "" {
		return &Error{Code: FSNotAllowed, Path: asked, Message: asked + " leads to " + real + ", which is not what was allowed",
			Hint: "Call the tool again with the path that you mean"}
	}
	if l.Hidden == nil || !l.Hidden(real) || slices.ContainsFunc(l.Paths, func(p string) bool { return samePath(p, real) }) {
		return nil
	}
	return &Error{Code: FSNotAllowed, Path: asked, Message: asked + " is a sensitive file, which has to be asked for by its own path",
		Hint: "Name the file itself if you need it; the user may be asked"}
}
