package builtin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
)

// store puts text into the store of s under ref.
func (s *session) store(ref, text string) {
	s.t.Helper()
	value, err := s.run.Deps[Outputs.ID](context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if got, _, err := value.(*cache.Store).Put(s.run.Session, ref, text); err != nil || string(got) != ref {
		s.t.Fatalf("stored as %q, %v", got, err)
	}
}

func TestOutputCacheRead(t *testing.T) {
	s := newSession(t, Options{})
	s.store("three", "one\ntwo\nthree\n")
	s.store("empty", "")
	s.store("long", strings.Repeat("A", 60_000))
	s.store("wide", strings.Repeat("あ", 50_000)+"\nnext")
	s.store("fourlong", strings.Repeat(strings.Repeat("B", 2000)+"\n", 4)+"end\n")
	s.store("twolong", strings.Repeat(strings.Repeat("B", 2000)+"\n", 2))
	s.store("blank", strings.Repeat("\n", 70_000))
	longHint := `tool_output_cache_line {"ref_id":"long","line_number":1,"char_offset":0,"char_limit":10000}`
	tests := []struct {
		name       string
		args       args
		begin, end string
	}{
		{"all", args{"ref_id": "three"}, "    1  one\n    2  two\n    3  three", "three"},
		{"limit", args{"ref_id": "three", "limit": 1}, "    1  one\n\nOutput has more lines. Use offset to read beyond line 1.\n", `tool_output_cache {"ref_id":"three","offset":1}`},
		{"offset of the hint", args{"ref_id": "three", "offset": 1, "limit": 1}, "    2  two\n\nOutput has more lines.", `"offset":2}`},
		{"last line", args{"ref_id": "three", "offset": 2}, "    3  three", "    3  three"},
		{"offset is the line count", args{"ref_id": "three", "offset": 3}, "Offset exceeds output length.", "Offset exceeds output length."},
		{"empty", args{"ref_id": "empty"}, "(the output is empty)", "(the output is empty)"},
		{"long line", args{"ref_id": "long"}, "    1  " + strings.Repeat("A", 1000) + "...\n\n[truncated lines: 1]\n" + longHint, longHint},
		{"wide line", args{"ref_id": "wide"}, "    1  " + strings.Repeat("あ", 1000) + "...\n    2  next\n\n[truncated lines: 1]\n", "10000}"},
		{"two long lines", args{"ref_id": "twolong"}, "    1  B", `[truncated lines: 1, 2]` + "\n" + `tool_output_cache_line {"ref_id":"twolong","line_number":1,"char_offset":0,"char_limit":10000}`},
		{"many long lines", args{"ref_id": "fourlong"}, "    1  B", `[truncated lines: many]` + "\n" + `tool_output_cache_line {"ref_id":"fourlong","line_number":1,"char_offset":0,"char_limit":10000}`},
		{"bytes end the page", args{"ref_id": "blank"}, "    1  \n    2  \n", "\n\n[output truncated at 65536 bytes] Use offset to read beyond line 8192.\n" + `tool_output_cache {"ref_id":"blank","offset":8192}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.ok("tool_output_cache", tt.args)
			if !strings.HasPrefix(got, tt.begin) || !strings.HasSuffix(got, tt.end) {
				t.Errorf("%.100q … %q", got, got[max(0, len(got)-200):])
			}
		})
	}
}

func TestOutputCacheParts(t *testing.T) {
	s := newSession(t, Options{})
	value, err := s.run.Deps[Outputs.ID](context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	blocks := []presentation.Block{presentation.Text("Image loaded: a.png\n"), presentation.Image([]byte{1, 2}, "image/png")}
	ref, err := value.(*cache.Store).PutParts("s1", "parts", blocks)
	if err != nil {
		t.Fatal(err)
	}
	r := s.call("tool_output_cache", args{"ref_id": ref})
	if len(r.Content) != 2 || r.Content[0].Text != "    1  Image loaded: a.png\n    2  [image]" || string(r.Content[1].Data) != "\x01\x02" {
		t.Errorf("%+v", r.Content)
	}
	if r.OutputRef != string(ref) {
		t.Errorf("output ref %q", r.OutputRef)
	}
	if r := s.call("tool_output_cache", args{"ref_id": ref, "offset": 1}); len(r.Content) != 1 {
		t.Errorf("a later page holds %d blocks", len(r.Content))
	}
}

func TestOutputCacheLine(t *testing.T) {
	s := newSession(t, Options{})
	digits := strings.Repeat("0123456789", 2500)
	s.store("o", "short\n"+digits+"\n👍🏽👍🏽A\n"+strings.Repeat("y", 150_000))
	tests := []struct {
		name string
		args args
		want string
	}{
		{"first part", args{"ref_id": "o", "line_number": 2},
			"ref_id=o\nline_number=2\nline_length=25000\nchar_range=0..9999\n" + digits[:10_000] +
				"\n\nUse char_offset=10000 to continue.\n" + `tool_output_cache_line {"ref_id":"o","line_number":2,"char_offset":10000,"char_limit":10000}`},
		{"last part", args{"ref_id": "o", "line_number": 2, "char_offset": 20_000},
			"ref_id=o\nline_number=2\nline_length=25000\nchar_range=20000..24999\n" + digits[20_000:]},
		{"the end", args{"ref_id": "o", "line_number": 2, "char_offset": 25_000},
			"ref_id=o\nline_number=2\nline_length=25000\nchar_range=(empty)\n"},
		{"characters as people count", args{"ref_id": "o", "line_number": 3, "char_limit": 2},
			"ref_id=o\nline_number=3\nline_length=3\nchar_range=0..1\n👍🏽👍🏽\n\nUse char_offset=2 to continue.\n" +
				`tool_output_cache_line {"ref_id":"o","line_number":3,"char_offset":2,"char_limit":2}`},
		{"clamped", args{"ref_id": "o", "line_number": 4, "char_limit": 1_000_000},
			"ref_id=o\nline_number=4\nline_length=150000\nchar_range=0..99999\n" + strings.Repeat("y", 100_000) +
				"\n\nUse char_offset=100000 to continue.\n" + `tool_output_cache_line {"ref_id":"o","line_number":4,"char_offset":100000,"char_limit":100000}`},
	}
	for _, tt := range tests {
		if got := s.ok("tool_output_cache_line", tt.args); got != tt.want {
			t.Errorf("%s: %.90q … %q", tt.name, got, got[max(0, len(got)-200):])
		}
	}
	if got := s.fails(CodeOutputRange, "tool_output_cache_line", args{"ref_id": "o", "line_number": 5}); !strings.Contains(got, "Line number out of range: 5 (total 4)") {
		t.Error(got)
	}
	if got := s.fails(CodeOutputRange, "tool_output_cache_line", args{"ref_id": "o", "line_number": 0}); !strings.Contains(got, "Line number out of range: 0 (total 4)") {
		t.Error(got)
	}
	if got := s.fails(CodeOutputRange, "tool_output_cache_line", args{"ref_id": "o", "line_number": 1, "char_offset": 6}); !strings.Contains(got, "char_offset out of range: 6 (line length 5)") {
		t.Error(got)
	}
}

func TestOutputCacheGrep(t *testing.T) {
	s := newSession(t, Options{})
	s.store("o", "abc\na.c\nx\ny\na.c\n")
	s.store("hits", strings.Repeat("hit\n", 51))
	s.store("huge", "x\n"+strings.Repeat("A", 70_000)+"needle\n")
	tests := []struct {
		name string
		args args
		want string
	}{
		{"literal", args{"ref_id": "o", "pattern": "a.c"}, "ref:o\n    2  a.c\n\nref:o\n    5  a.c"},
		{"regex", args{"ref_id": "o", "pattern": "a.c", "regex": true, "max_matches": 1}, "ref:o\n    1  abc\n\n... (truncated)"},
		{"context at the edges", args{"ref_id": "o", "pattern": "abc", "before": 2, "after": 1}, "ref:o\n    1  abc\n    2  a.c"},
		{"merged", args{"ref_id": "o", "pattern": "a.c", "after": 3}, "ref:o\n    2  a.c\n    3  x\n    4  y\n    5  a.c"},
		{"none", args{"ref_id": "o", "pattern": "zzz"}, "No matches for: zzz"},
		{"capped", args{"ref_id": "hits", "pattern": "hit"}, ""},
		{"too large", args{"ref_id": "huge", "pattern": "needle"}, "MATCH_TOO_LARGE_TO_RENDER\nref:huge\nline_number=2\n" +
			`tool_output_cache_line {"ref_id":"huge","line_number":2,"char_offset":0,"char_limit":10000}`},
	}
	for _, tt := range tests {
		got := s.ok("tool_output_cache_grep", tt.args)
		if tt.want != "" && got != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
		if tt.name == "capped" && (strings.Count(got, "ref:hits") != 50 || !strings.HasSuffix(got, "\n\n... (truncated)")) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	got := s.fails(CodeOutputPattern, "tool_output_cache_grep", args{"ref_id": "o", "pattern": "(?=x)", "regex": true})
	if !strings.Contains(got, `invalid pattern "(?=x)"`) || !strings.Contains(got, "RE2") {
		t.Error(got)
	}
}

// TestOutputCacheFences: refs are found in their session alone, and lead
// nowhere else.
func TestOutputCacheFences(t *testing.T) {
	s := newSession(t, Options{})
	s.store("mine", "secret\n")
	refs := []args{{"ref_id": "unknown"}, {"ref_id": "../../etc/passwd"}, {"ref_id": ""}}
	for _, a := range refs {
		if got := s.fails(CodeOutputNotFound, "tool_output_cache", a); !strings.Contains(got, "Error reading tool output cache: ") {
			t.Error(got)
		}
	}
	s.run.Session = "s2"
	for name, a := range map[string]args{
		"tool_output_cache":      {"ref_id": "mine"},
		"tool_output_cache_line": {"ref_id": "mine", "line_number": 1},
		"tool_output_cache_grep": {"ref_id": "mine", "pattern": "secret"},
	} {
		s.fails(CodeOutputNotFound, name, a)
	}
	s.fails(tools.CodeInvalidArgs, "tool_output_cache", args{"ref_id": "mine", "offset": -1})
	s.fails(tools.CodeInvalidArgs, "tool_output_cache", args{"ref_id": "mine", "limit": 0})
}

func TestOutputCacheCards(t *testing.T) {
	for _, d := range []*tools.Definition{OutputCache(Options{}), OutputCacheLine(Options{}), OutputCacheGrep(Options{})} {
		a := json.RawMessage(`{"ref_id":"c1-stdout","line_number":1,"pattern":"x"}`)
		card, ok := d.PresentCall(a).(*presentation.GenericCall)
		if !ok || card.Title != d.Label+" c1-stdout" || card.Kind != presentation.KindRead || card.Locations != nil {
			t.Errorf("%s: %+v", d.Name, card)
		}
		if access := d.Access(a); access == nil || len(access) != 0 {
			t.Errorf("%s needs permission: %+v", d.Name, access)
		}
	}
	if got, want := outputCall("t", outputCallArg{"ref_id", `a"b`}), `t {"ref_id":"a\"b"}`; got != want {
		t.Errorf("hint %s, want %s", got, want)
	}
}
