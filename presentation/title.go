package presentation

import (
	"path/filepath"
	"strings"
)

// Relativize returns title with every occurrence of path, the card's raw
// path, replaced by its form relative to cwd (tools.md §3.14.18). It returns
// title unchanged when path is outside cwd, equal to it, or not absolute.
func Relativize(title, path, cwd string) string {
	if !filepath.IsAbs(path) || !filepath.IsAbs(cwd) {
		return title
	}
	rel, err := filepath.Rel(cwd, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return title
	}
	return strings.ReplaceAll(title, path, rel)
}

// TitlePath is the raw path that a card's title may hold: its first location,
// else its first diff; "" for a terminal, whose title is a command.
func TitlePath(v CallView) string {
	switch v := v.(type) {
	case *GenericCall:
		return firstPath(v.Locations, nil)
	case *DiffCall:
		return firstPath(v.Locations, v.Diffs)
	}
	return ""
}

// ResultTitlePath is TitlePath for a completed card: the first diff of a diff
// result, the first location of a generic one, "" for a terminal.
func ResultTitlePath(v ResultView) string {
	switch v := v.(type) {
	case *GenericResult:
		return firstPath(v.Locations, nil)
	case *DiffResult:
		return firstPath(nil, v.Diffs)
	}
	return ""
}

// firstPath returns the first of the paths that is there.
func firstPath(locations []FileLocation, diffs []FileDiff) string {
	switch {
	case len(locations) > 0:
		return locations[0].Path
	case len(diffs) > 0:
		return diffs[0].Path
	}
	return ""
}
