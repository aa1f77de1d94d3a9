package diff

import (
	"errors"
	"fmt"
	"strings"
)

// Edit replaces the bytes [Start,End) of a text by New. Offsets are bytes.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// ErrBadEdits is wrapped by the errors about edits that are out of order,
// overlap each other, or lie outside the text.
var ErrBadEdits = errors.New("edits do not fit the text")

// Apply returns text with edits applied. The edits must be in order and must
// not overlap; two insertions at one place go in as they come. The error wraps
// [ErrBadEdits].
func Apply(text string, edits []Edit) (string, error) {
	if err := validate(len(text), edits); err != nil {
		return "", err
	}
	size := len(text)
	for _, e := range edits {
		size += len(e.New) - (e.End - e.Start)
	}
	var b strings.Builder
	b.Grow(size)
	done := 0
	for _, e := range edits {
		b.WriteString(text[done:e.Start])
		b.WriteString(e.New)
		done = e.End
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// Invert returns the edits that undo edits: applied to what Apply(text, edits)
// gives, they give text again. It has Apply's conditions and errors.
func Invert(text string, edits []Edit) ([]Edit, error) {
	if err := validate(len(text), edits); err != nil {
		return nil, err
	}
	inverse := make([]Edit, len(edits))
	shift := 0
	for i, e := range edits {
		start := e.Start + shift
		inverse[i] = Edit{Start: start, End: start + len(e.New), New: text[e.Start:e.End]}
		shift += len(e.New) - (e.End - e.Start)
	}
	return inverse, nil
}

// validate checks that edits are in order, apart, and inside a text of size
// bytes.
func validate(size int, edits []Edit) error {
	done := 0
	for i, e := range edits {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > size:
			return fmt.Errorf("%w: edit %d covers bytes %d to %d of %d", ErrBadEdits, i, e.Start, e.End, size)
		case e.Start < done:
			return fmt.Errorf("%w: edit %d starts at byte %d, before the end of the one before it at %d", ErrBadEdits, i, e.Start, done)
		}
		done = e.End
	}
	return nil
}
