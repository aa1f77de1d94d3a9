package conformance

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

var placeReports = []report{
	{13, pathsAreAbsolute}, {14, foldersAreNoLocations}, {16, locationsComeEarly}, {17, fewLocations}, {20, linesCountFromOne},
	{91, urlsAreNoLocations},
}

// placed are all locations of a session, of questions too.
func (s *session) placed() []acp.ToolCallLocation {
	var out []acp.ToolCallLocation
	for _, l := range s.updates(0) {
		switch u := l.update.(type) {
		case acp.ToolCall:
			out = append(out, u.Locations...)
		case acp.ToolCallUpdate:
			out = append(out, u.Locations...)
		}
	}
	for _, q := range s.allQuestions() {
		out = append(out, q.ToolCall.Locations...)
	}
	return out
}

// firstPlace is where a card points first: a path and a line.
func firstPlace(k card) string {
	if len(k.locations) == 0 {
		return "nowhere"
	}
	return fmt.Sprintf("%s:%d", k.locations[0].Path, k.locations[0].Line)
}

func pathsAreAbsolute(t *testing.T) { // the judge looks at each path
	s := everything(t, options{})
	if n := len(s.placed()); n < 5 {
		t.Errorf("%d locations", n)
	}
	s.run(all(read("file://"+s.h.path("a.txt")), read("file:a.txt"), read("./sub/../a.txt"), read(s.h.path("sub/b.txt")), read("")))
	s.settledCards()
}

func foldersAreNoLocations(t *testing.T) { // the judge looks at each location
	s := everything(t, options{})
	for i := range 40 {
		s.h.file(fmt.Sprintf("many/f%d.txt", i), fmt.Sprintf("skip\nhit %d\n", i))
	}
	s.run(all(tool("grep", args{"pattern": "hit", "path": "many"}), tool("glob", args{"pattern": "*", "path": "many"}),
		tool("bash", args{"command": "pwd", "workdir": "many"}), "/ls many"))
	search := s.ofKind(acp.KindSearch)
	grep := search[len(search)-2]
	if len(grep.locations) == 0 || len(grep.locations) > maxLocations {
		t.Errorf("grep has %d locations", len(grep.locations))
	}
	for _, l := range grep.locations {
		if filepath.Dir(l.Path) != s.h.path("many") || l.Line != 2 {
			t.Errorf("grep points to %s", encode(l))
		}
	}
}

func locationsComeEarly(t *testing.T) {
	s := open(t, options{})
	path := s.h.file("a.txt", numbered(60, "line", "\n"))
	s.h.file("p.txt", numbered(60, "line", "\n"))
	s.run(all(tool("read", args{"file_path": "a.txt", "start_line": 5, "end_line": 9}), replaceText("a.txt", "line 40\n", "LINE 40\n"),
		write("n.txt", "x\n"), patch("*** Update File: p.txt", "@@", "-line 50", "+LINE 50")))
	for _, k := range s.cards() {
		if len(k.announced.Locations) == 0 || !filepath.IsAbs(k.announced.Locations[0].Path) {
			t.Errorf("%q is announced with the locations %v", k.title, k.announced.Locations)
		}
	}
	edits := s.ofKind(acp.KindEdit)
	for i, want := range []string{path + ":40", s.h.path("n.txt") + ":1", s.h.path("p.txt") + ":50"} {
		if got := firstPlace(edits[i]); got != want && got != strings.TrimSuffix(want, ":1")+":0" {
			t.Errorf("%q points to %s, want %s", edits[i].title, got, want)
		}
	}
	if got := firstPlace(s.last(acp.KindRead)); got != path+":5" {
		t.Errorf("the read points to %s", got)
	}
}

func fewLocations(t *testing.T) {
	s := inMode(t, "accept-edits", options{})
	for i := range 60 {
		s.h.file(fmt.Sprintf("d/f%d.txt", i), numbered(3, "line", "\n"))
	}
	s.h.file("a.txt", numbered(200, "same", "\n"))
	s.run(all(edit("a.txt", "same 2\n", "two\n"), tool("edit", args{"file_path": "a.txt", "old_string": "same", "new_string": "other", "replace_all": true}),
		read("a.txt"), "/grep line", tool("glob", args{"pattern": "**/*.txt"})))
	for _, k := range s.cards() {
		completed(t, k)
		if k.kind == acp.KindSearch {
			if len(k.locations) == 0 {
				t.Errorf("%q points nowhere", k.title)
			}
		} else if len(k.locations) > 3 {
			t.Errorf("%q has %d locations", k.title, len(k.locations))
		}
	}
}

func linesCountFromOne(t *testing.T) {
	s := open(t, options{})
	path := s.h.file("a.txt", numbered(30, "row", "\n"))
	for _, tt := range []struct {
		a           args
		first, last int
	}{
		{args{"offset": 10, "limit": 3}, 10, 12},
		{args{"start_line": 10, "end_line": 12}, 10, 12},
		{args{"startLine": 10, "endLine": 12}, 10, 12},
		{args{"offset": 0, "limit": 2}, 1, 2},
		{args{"start_line": 1, "limit": 1}, 1, 1},
		{args{"start_line": 30}, 30, 30},
	} {
		tt.a["file_path"] = "a.txt"
		s.run(tool("read", tt.a))
		k := s.last(acp.KindRead)
		completed(t, k)
		for i := tt.first - 1; i <= tt.last+1; i++ {
			if shown := strings.Contains(k.text()+"\n", fmt.Sprintf(": row %d\n", i)); shown != (i >= tt.first && i <= tt.last) {
				t.Errorf("%v: row %d shown: %v", tt.a, i, shown)
			}
		}
		if got, want := firstPlace(k), fmt.Sprintf("%s:%d", path, tt.first); got != want && !(tt.first == 1 && got == path+":0") {
			t.Errorf("%v points to %s", tt.a, got)
		}
	}
	s.run(tool("read", args{"file_path": "a.txt", "start_line": 99}))
	if k := s.last(acp.KindRead); !k.over() || strings.TrimSpace(k.text()) == "" {
		t.Errorf("a read beyond the end says %q", k.text())
	}
}

func urlsAreNoLocations(t *testing.T) {
	s := open(t, options{permission: always(acp.RejectOnce)})
	url := "http://127.0.0.1:9/some/page?x=1#y"
	s.run(all("/webfetch "+url, tool("search", args{"query": "https://example.invalid/a"})))
	k := s.ofKind(acp.KindFetch)
	if len(k) == 0 || !k[0].over() || !strings.Contains(k[0].title, url) || !strings.Contains(k[0].rawInput, url) {
		t.Errorf("cards %s", encode(k))
	}
	if got := s.placed(); len(got) > 0 {
		t.Errorf("locations %v", got)
	}
}
