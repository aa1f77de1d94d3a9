package presentation

import (
	"encoding/json"
	"fmt"
)

// DiffLimit is the bound that cards have for their diffs, in bytes: far more
// than anyone reads, and little enough for any client's line.
const DiffLimit = 256 << 10

// Bound returns those of diffs that fit into limit bytes of texts and paths
// together, in order and whole, and a sentence that says what was left out, ""
// if nothing was. A diff that is too large does not keep later, smaller ones
// out.
func Bound(diffs []FileDiff, limit int) (kept []FileDiff, omitted string) {
	left, lost := limit, 0
	var gone []FileDiff
	for _, d := range diffs {
		size := d.size()
		if size > left {
			gone = append(gone, d)
			lost += size
			continue
		}
		left -= size
		kept = append(kept, d)
	}
	switch len(gone) {
	case 0:
		return diffs, ""
	case 1:
		omitted = fmt.Sprintf("The diff of %s is not shown: its %d bytes do not fit into the %d that a card may have.",
			gone[0].Path, lost, limit)
	default:
		omitted = fmt.Sprintf("%d of %d diffs are not shown: their %d bytes do not fit into the %d that a card may have.",
			len(gone), len(diffs), lost, limit)
	}
	return kept, omitted
}

// size is how many bytes of texts and paths d holds.
func (d FileDiff) size() int {
	n := len(d.Path) + len(d.OldPath) + len(d.NewText)
	if d.OldText != nil {
		n += len(*d.OldText)
	}
	return n
}

// Locations returns one location a file of diffs, in order: the first line
// that its first diff changes (contract §5). Deleted files are left out, since there is
// nothing to go to.
func Locations(diffs []FileDiff) []FileLocation {
	var locations []FileLocation
	seen := make(map[string]bool, len(diffs))
	for _, d := range diffs {
		if d.Change == ChangeDelete || seen[d.Path] {
			continue
		}
		seen[d.Path] = true
		locations = append(locations, FileLocation{Path: d.Path, Line: d.Line})
	}
	return locations
}

// DiffMeta is what a tool that edits stores with its result, so that the
// completed card can be made again on replay (tools.md §3.9).
type DiffMeta struct {
	Diffs []FileDiff `json:"diffs"`
	// Omitted is the sentence of [Bound].
	Omitted string `json:"omitted,omitempty"`
}

// Encode returns m as JSON, for a result's meta.
func (m DiffMeta) Encode() (json.RawMessage, error) {
	if m.Diffs == nil {
		m.Diffs = []FileDiff{} // narrowing wants a list
	}
	data, err := encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode diffs: %w", err)
	}
	return data, nil
}

// ParseDiffs narrows stored meta to its diffs. ok is false for anything but an
// object with a list "diffs" of at least one entry, each with a path, an
// oldText that is a string or null, and a newText (tools.md Appendix A.3).
func ParseDiffs(meta json.RawMessage) (diffs []FileDiff, ok bool) {
	m, ok := ParseDiffMeta(meta)
	if !ok || len(m.Diffs) == 0 {
		return nil, false
	}
	return m.Diffs, true
}

// ParseDiffMeta narrows stored meta as [ParseDiffs] does, but takes an empty
// list where the meta says what was omitted.
func ParseDiffMeta(meta json.RawMessage) (m DiffMeta, ok bool) {
	var stored struct {
		Diffs   []*storedDiff `json:"diffs"`
		Omitted string        `json:"omitted"`
	}
	if len(meta) == 0 || json.Unmarshal(meta, &stored) != nil {
		return DiffMeta{}, false
	}
	if len(stored.Diffs) == 0 && stored.Omitted == "" {
		return DiffMeta{}, false
	}
	m.Omitted = stored.Omitted
	for _, s := range stored.Diffs {
		d, ok := s.narrow()
		if !ok {
			return DiffMeta{}, false
		}
		m.Diffs = append(m.Diffs, d)
	}
	return m, true
}

// storedDiff is a FileDiff that may lack fields.
type storedDiff struct {
	Path    *string         `json:"path"`
	OldText json.RawMessage `json:"oldText"`
	NewText *string         `json:"newText"`
	Change  FileChange      `json:"change"`
	OldPath string          `json:"oldPath"`
	Line    int             `json:"line"`
}

// narrow returns s as a FileDiff; ok is false when it is none.
func (s *storedDiff) narrow() (d FileDiff, ok bool) {
	if s == nil || s.Path == nil || *s.Path == "" || s.NewText == nil || s.OldText == nil {
		return FileDiff{}, false
	}
	d = FileDiff{Path: *s.Path, NewText: *s.NewText, Change: s.Change, OldPath: s.OldPath, Line: max(s.Line, 0)}
	if json.Unmarshal(s.OldText, &d.OldText) != nil {
		return FileDiff{}, false
	}
	return d, true
}
