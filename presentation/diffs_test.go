package presentation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestParseDiffs has the rows of tools.md Appendix A.3 about stored meta.
func TestParseDiffs(t *testing.T) {
	rejected := []struct{ name, meta string }{
		{"absent", ``},
		{"null", `null`},
		{"string", `"diffs"`},
		{"array", `[{"path":"a","oldText":"x","newText":"y"}]`},
		{"number", `1`},
		{"no diffs", `{}`},
		{"empty list", `{"diffs":[]}`},
		{"diffs null", `{"diffs":null}`},
		{"diffs an object", `{"diffs":{}}`},
		{"diffs a string", `{"diffs":"x"}`},
		{"newText missing", `{"diffs":[{"path":"a","oldText":"x"}]}`},
		{"newText null", `{"diffs":[{"path":"a","oldText":"x","newText":null}]}`},
		{"newText a number", `{"diffs":[{"path":"a","oldText":"x","newText":1}]}`},
		{"oldText missing", `{"diffs":[{"path":"a","newText":"y"}]}`},
		{"oldText a number", `{"diffs":[{"path":"a","oldText":1,"newText":"y"}]}`},
		{"path missing", `{"diffs":[{"oldText":"x","newText":"y"}]}`},
		{"path empty", `{"diffs":[{"path":"","oldText":"x","newText":"y"}]}`},
		{"path a number", `{"diffs":[{"path":1,"oldText":"x","newText":"y"}]}`},
		{"line a string", `{"diffs":[{"path":"a","oldText":"x","newText":"y","line":"1"}]}`},
		{"null entry", `{"diffs":[null]}`},
		{"null entry among others", `{"diffs":[{"path":"a","oldText":"x","newText":"y"},null]}`},
		{"string entry", `{"diffs":["x"]}`},
		{"omitted of another type", `{"diffs":[{"path":"a","oldText":"x","newText":"y"}],"omitted":1}`},
		{"broken JSON", `{"diffs":[`},
	}
	for _, tt := range rejected {
		if got, ok := ParseDiffs(json.RawMessage(tt.meta)); ok || got != nil {
			t.Errorf("%s: ParseDiffs = %v, %v; want rejected", tt.name, got, ok)
		}
	}
	accepted := []struct {
		name, meta string
		want       []FileDiff
	}{
		{"plain", `{"diffs":[{"path":"a","oldText":"x","newText":"y"}]}`, []FileDiff{{Path: "a", OldText: ptr("x"), NewText: "y"}}},
		{"oldText null", `{"diffs":[{"path":"a","oldText":null,"newText":"y"}]}`, []FileDiff{{Path: "a", NewText: "y"}}},
		{"empty texts", `{"diffs":[{"path":"a","oldText":"","newText":""}]}`, []FileDiff{{Path: "a", OldText: ptr("")}}},
		{
			"all fields, and one of a later version",
			`{"diffs":[{"path":"b","oldText":"x","newText":"y","change":"move","oldPath":"a","line":7,"colour":"red"}],"more":1}`,
			[]FileDiff{{Path: "b", OldText: ptr("x"), NewText: "y", Change: ChangeMove, OldPath: "a", Line: 7}},
		},
		{"line below 0", `{"diffs":[{"path":"a","oldText":"x","newText":"y","line":-7}]}`, []FileDiff{{Path: "a", OldText: ptr("x"), NewText: "y"}}},
	}
	for _, tt := range accepted {
		if got, ok := ParseDiffs(json.RawMessage(tt.meta)); !ok || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: ParseDiffs = %s, %v; want %s", tt.name, show(got), ok, show(tt.want))
		}
	}
}

func TestDiffMeta(t *testing.T) {
	for _, m := range []DiffMeta{
		{Diffs: someDiffs()},
		{Diffs: someDiffs()[:1], Omitted: "2 more"},
		{Omitted: "all of it"},
	} {
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ParseDiffMeta(data); !ok || !reflect.DeepEqual(got, m) {
			t.Errorf("%s: back %+v, %v; want %+v", data, got, ok, m)
		}
		if got, ok := ParseDiffs(data); ok != (len(m.Diffs) > 0) || !reflect.DeepEqual(got, m.Diffs) {
			t.Errorf("%s: ParseDiffs = %v, %v", data, got, ok)
		}
	}
	data, err := DiffMeta{}.Encode()
	if err != nil || string(data) != `{"diffs":[]}` {
		t.Errorf("nothing: %s, %v", data, err)
	}
	if got, ok := ParseDiffMeta(data); ok {
		t.Errorf("a meta of nothing became %+v", got)
	}
}

func FuzzParseDiffs(f *testing.F) {
	f.Add(`{"diffs":[{"path":"a","oldText":null,"newText":"y","line":3}],"omitted":"x"}`)
	f.Add(`{"diffs":[null]}`)
	f.Add(`{"diffs":[{"path":"a","oldText":{},"newText":"y","line":1e9}]}`)
	f.Fuzz(func(t *testing.T, meta string) {
		m, ok := ParseDiffMeta(json.RawMessage(meta))
		if !ok {
			return
		}
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if again, ok := ParseDiffMeta(data); !ok || !reflect.DeepEqual(again, m) {
			t.Fatalf("%s: %+v became %+v", data, m, again)
		}
	})
}

// sized returns a diff that counts for n bytes.
func sized(path string, n int) FileDiff {
	return FileDiff{Path: path, OldText: ptr(strings.Repeat("o", (n-len(path))/2)), NewText: strings.Repeat("n", (n-len(path)+1)/2)}
}

func TestBound(t *testing.T) {
	tests := []struct {
		name    string
		sizes   []int
		limit   int
		kept    []int
		omitted string
	}{
		{"nothing", nil, 10, nil, ""},
		{"all fit", []int{40, 60}, 100, []int{40, 60}, ""},
		{"one does not", []int{40, 61}, 100, []int{40}, "The diff of f is not shown: its 61 bytes do not fit into the 100 that a card may have."},
		{"a large one does not keep small ones out", []int{40, 500, 60}, 100, []int{40, 60}, "The diff of f is not shown: its 500 bytes do not fit into the 100 that a card may have."},
		{"several", []int{500, 40, 600}, 100, []int{40}, "2 of 3 diffs are not shown: their 1100 bytes do not fit into the 100 that a card may have."},
		{"none fits", []int{500}, 100, nil, "The diff of f is not shown: its 500 bytes do not fit into the 100 that a card may have."},
		{"no room at all", []int{1}, 0, nil, "The diff of f is not shown: its 1 bytes do not fit into the 0 that a card may have."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var diffs []FileDiff
			for _, n := range tt.sizes {
				diffs = append(diffs, sized("f", n))
			}
			kept, omitted := Bound(diffs, tt.limit)
			var sizes []int
			for _, d := range kept {
				sizes = append(sizes, d.size())
			}
			if !reflect.DeepEqual(sizes, tt.kept) || omitted != tt.omitted {
				t.Errorf("Bound keeps %v and says %q; want %v and %q", sizes, omitted, tt.kept, tt.omitted)
			}
		})
	}
}

func TestLocations(t *testing.T) {
	diffs := []FileDiff{
		{Path: "a", Line: 3},
		{Path: "a", Line: 30},
		{Path: "gone", Change: ChangeDelete, Line: 1},
		{Path: "b", Change: ChangeAdd, Line: 1},
		{Path: "to", OldPath: "from", Change: ChangeMove},
	}
	want := []FileLocation{{"a", 3}, {"b", 1}, {"to", 0}}
	if got := Locations(diffs); !reflect.DeepEqual(got, want) {
		t.Errorf("Locations = %v, want %v", got, want)
	}
	if got := Locations(nil); got != nil {
		t.Errorf("Locations of nothing = %v", got)
	}
}
