package presentation

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// native returns a slashed absolute path as the platform spells it.
func native(path string) string {
	if runtime.GOOS == "windows" && strings.HasPrefix(path, "/") {
		path = "C:" + path
	}
	return filepath.FromSlash(path)
}

// TestRelativize has the rows of tools.md §3.14.18 and of Appendix A.2.7–8.
func TestRelativize(t *testing.T) {
	const cwd = "/home/u/proj"
	tests := []struct {
		name      string
		verb      string // the title is verb, path, rest
		path, cwd string
		rest      string
		want      string // in place of the path; "" means unchanged
	}{
		{"file under cwd", "Read ", "/home/u/proj/src/a.ts", cwd, " (from line 5)", "src/a.ts"},
		{"file in cwd", "Write ", "/home/u/proj/a.txt", cwd, "", "a.txt"},
		{"outside", "Read ", "/etc/passwd", cwd, "", ""},
		{"parent", "Read ", "/home/u", cwd, "", ""},
		{"sibling with the same start", "Read ", "/home/u/project/x", cwd, "", ""},
		{"name that begins with two dots", "Read ", "/home/u/proj/..cache/x.ts", cwd, "", "..cache/x.ts"},
		{"no cwd", "Read ", "/home/u/proj/a", "", "", ""},
		{"relative cwd", "Read ", "/home/u/proj/a", "proj", "", ""},
		{"relative path", "Read ", "src/a.ts", cwd, "", ""},
		{"cwd itself", "List ", "/home/u/proj", cwd, "", ""},
		{"cwd with a slash", "List ", "/home/u/proj/", cwd, "", ""},
		{"folder with a slash", "List ", "/home/u/proj/src/", cwd, "", "src"},
		{"no path", "Read ", "", cwd, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := native(tt.path)
			title := tt.verb + path + tt.rest
			want := title
			if tt.want != "" {
				want = tt.verb + filepath.FromSlash(tt.want) + tt.rest
			}
			if got := Relativize(title, path, native(tt.cwd)); got != want {
				t.Errorf("Relativize(%q, %q, %q) = %q, want %q", title, path, tt.cwd, got, want)
			}
		})
	}
}

func TestRelativizeEveryOccurrence(t *testing.T) {
	path := native("/w/a")
	title := "Copy " + path + " over " + path
	if got, want := Relativize(title, path, native("/w")), "Copy a over a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Relativize("Fix the bug", path, native("/w")); got != "Fix the bug" {
		t.Errorf("a title without the path became %q", got)
	}
}

func TestTitlePath(t *testing.T) {
	locations := []FileLocation{{Path: "l1"}, {Path: "l2"}}
	diffs := []FileDiff{{Path: "d1"}, {Path: "d2"}}
	calls := []struct {
		name string
		view CallView
		want string
	}{
		{"nil", nil, ""},
		{"generic", &GenericCall{Locations: locations}, "l1"},
		{"generic without location", &GenericCall{}, ""},
		{"diff prefers the location", &DiffCall{Diffs: diffs, Locations: locations}, "l1"},
		{"diff without location", &DiffCall{Diffs: diffs}, "d1"},
		{"empty diff", &DiffCall{}, ""},
		{"terminal", &TerminalCall{Title: "cat /w/a", Cwd: "/w"}, ""},
	}
	for _, tt := range calls {
		if got := TitlePath(tt.view); got != tt.want {
			t.Errorf("call, %s: %q, want %q", tt.name, got, tt.want)
		}
	}
	results := []struct {
		name string
		view ResultView
		want string
	}{
		{"nil", nil, ""},
		{"generic", &GenericResult{Locations: locations}, "l1"},
		{"generic without location", &GenericResult{}, ""},
		{"diff takes the diff", &DiffResult{Diffs: diffs, Locations: locations}, "d1"},
		{"empty diff", &DiffResult{Locations: locations}, ""},
		{"terminal", &TerminalResult{Title: "t"}, ""},
	}
	for _, tt := range results {
		if got := ResultTitlePath(tt.view); got != tt.want {
			t.Errorf("result, %s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
