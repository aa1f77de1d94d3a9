package presentation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func ptr[T any](v T) *T { return &v }

// someDiffs is a list with every field of FileDiff in use.
func someDiffs() []FileDiff {
	return []FileDiff{
		{Path: "/w/a.go", OldText: ptr("old"), NewText: "new", Line: 3},
		{Path: "/w/new.go", NewText: "a <b> && c", Change: ChangeAdd, Line: 1},
		{Path: "/w/to.go", OldText: ptr(""), NewText: "", Change: ChangeMove, OldPath: "/w/from.go"},
	}
}

func TestCallViewJSON(t *testing.T) {
	tests := []struct {
		name string
		view CallView
		want string
	}{
		{"nil", nil, `null`},
		{"nil pointer", (*DiffCall)(nil), `null`},
		{"generic, title only", &GenericCall{Title: "Read a"}, `{"card":"generic","title":"Read a"}`},
		{
			"generic, all fields",
			&GenericCall{
				Title: "Read a", Kind: KindRead, RawInput: json.RawMessage(`{"n":1.0}`),
				Content: []Block{Text("x<y"), Image([]byte{1, 2}, "image/png")}, Locations: []FileLocation{{Path: "a", Line: 5}, {Path: "b"}},
			},
			`{"card":"generic","title":"Read a","kind":"read","rawInput":{"n":1.0},"content":[{"type":"text","text":"x<y"},` +
				`{"type":"image","data":"AQI=","mimeType":"image/png"}],"locations":[{"path":"a","line":5},{"path":"b"}]}`,
		},
		{
			"terminal", &TerminalCall{Title: "ls && pwd", Description: "List", Cwd: "/w"},
			`{"card":"terminal","title":"ls && pwd","description":"List","cwd":"/w"}`,
		},
		{
			"diff", &DiffCall{Title: "Patch", Kind: KindMove, Diffs: someDiffs(), Locations: []FileLocation{{Path: "/w/a.go", Line: 3}}, Omitted: "more"},
			`{"card":"diff","title":"Patch","kind":"move","diffs":[{"path":"/w/a.go","oldText":"old","newText":"new","line":3},` +
				`{"path":"/w/new.go","oldText":null,"newText":"a <b> && c","change":"add","line":1},` +
				`{"path":"/w/to.go","oldText":"","newText":"","change":"move","oldPath":"/w/from.go"}],` +
				`"locations":[{"path":"/w/a.go","line":3}],"omitted":"more"}`,
		},
		{"diff of nothing", &DiffCall{Title: "t", Diffs: []FileDiff{}}, `{"card":"diff","title":"t","diffs":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := MarshalCallView(tt.view)
			if err != nil || string(data) != tt.want {
				t.Fatalf("MarshalCallView = %s, %v\nwant %s", data, err, tt.want)
			}
			back, err := UnmarshalCallView(data)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "null" {
				if back != nil {
					t.Errorf("null became %#v", back)
				}
				return
			}
			if !reflect.DeepEqual(back, tt.view) {
				t.Errorf("back: %#v, want %#v", back, tt.view)
			}
		})
	}
}

func TestResultViewJSON(t *testing.T) {
	tests := []struct {
		name string
		view ResultView
		want string
	}{
		{"nil", nil, `null`},
		{"nil pointer", (*GenericResult)(nil), `null`},
		{"generic, empty", &GenericResult{}, `{"card":"generic"}`},
		{
			"generic, all fields", &GenericResult{Title: "t", Content: []Block{Text("x")}, Locations: []FileLocation{{Path: "a", Line: 1}}},
			`{"card":"generic","title":"t","content":[{"type":"text","text":"x"}],"locations":[{"path":"a","line":1}]}`,
		},
		{"terminal, exit 0", &TerminalResult{Output: "hi\n", ExitCode: ptr(0)}, `{"card":"terminal","output":"hi\n","exitCode":0}`},
		{"terminal, signal", &TerminalResult{Title: "t", Signal: "SIGKILL"}, `{"card":"terminal","title":"t","signal":"SIGKILL"}`},
		{"terminal, notes", &TerminalResult{Output: "hi\n[n]", Notes: []string{"[n]"}}, `{"card":"terminal","output":"hi\n[n]","notes":["[n]"]}`},
		{"terminal, unknown end", &TerminalResult{}, `{"card":"terminal"}`},
		{
			"diff", &DiffResult{Title: "t", Kind: KindDelete, Diffs: someDiffs()[:1], Omitted: "o"},
			`{"card":"diff","title":"t","kind":"delete","diffs":[{"path":"/w/a.go","oldText":"old","newText":"new","line":3}],"omitted":"o"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := MarshalResultView(tt.view)
			if err != nil || string(data) != tt.want {
				t.Fatalf("MarshalResultView = %s, %v\nwant %s", data, err, tt.want)
			}
			back, err := UnmarshalResultView(data)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "null" {
				if back != nil {
					t.Errorf("null became %#v", back)
				}
				return
			}
			if !reflect.DeepEqual(back, tt.view) {
				t.Errorf("back: %#v, want %#v", back, tt.view)
			}
		})
	}
}

func TestListOfDiffsIsNeverNull(t *testing.T) {
	call, result := &DiffCall{Title: "t"}, &DiffResult{}
	data, err := MarshalCallView(call)
	if want := `{"card":"diff","title":"t","diffs":[]}`; err != nil || string(data) != want {
		t.Errorf("call: %s, %v; want %s", data, err, want)
	}
	data, err = MarshalResultView(result)
	if want := `{"card":"diff","diffs":[]}`; err != nil || string(data) != want {
		t.Errorf("result: %s, %v; want %s", data, err, want)
	}
	if call.Diffs != nil || result.Diffs != nil {
		t.Error("encoding changed the view")
	}
}

func TestUnknownTags(t *testing.T) {
	tests := []struct {
		name, data string
		title      string
	}{
		{"with a title", `{"card":"search","title":"Search x","matches":[1]}`, "Search x"},
		{"without one", `{"card":"search"}`, ""},
		{"title of another type", `{"card":"search","title":{"text":"x"}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call, err := UnmarshalCallView([]byte(tt.data))
			if want := (&GenericCall{Title: tt.title}); err != nil || !reflect.DeepEqual(call, want) {
				t.Errorf("call: %#v, %v; want %#v", call, err, want)
			}
			result, err := UnmarshalResultView([]byte(tt.data))
			if want := (&GenericResult{Title: tt.title}); err != nil || !reflect.DeepEqual(result, want) {
				t.Errorf("result: %#v, %v; want %#v", result, err, want)
			}
		})
	}
}

func TestMalformedViews(t *testing.T) {
	for _, data := range []string{
		``, `{`, `[]`, `"generic"`, `1`, `{}`, `{"card":""}`, `{"card":1}`, `{"card":null}`, `{"title":"t"}`,
		`{"card":"generic","title":1}`, `{"card":"terminal","title":[]}`, `{"card":"diff","diffs":"x"}`, `{"card":"diff","diffs":[1]}`,
	} {
		if v, err := UnmarshalCallView([]byte(data)); err == nil || v != nil {
			t.Errorf("call %s: %#v, %v; want an error", data, v, err)
		}
		if v, err := UnmarshalResultView([]byte(data)); err == nil || v != nil {
			t.Errorf("result %s: %#v, %v; want an error", data, v, err)
		}
	}
}

func TestViewsThatCannotBeEncoded(t *testing.T) {
	if data, err := MarshalCallView(&GenericCall{RawInput: json.RawMessage("{")}); err == nil {
		t.Errorf("broken raw input gave %s", data)
	}
	type otherCall struct{ CallView }
	if data, err := MarshalCallView(otherCall{}); err == nil {
		t.Errorf("foreign call view gave %s", data)
	}
	type otherResult struct{ ResultView }
	if data, err := MarshalResultView(otherResult{}); err == nil {
		t.Errorf("foreign result view gave %s", data)
	}
}

// A log may hold anything; decoding must neither panic nor give a view that
// does not survive another round.
func FuzzUnmarshalViews(f *testing.F) {
	f.Add(`{"card":"diff","title":"t","diffs":[{"path":"a","oldText":null,"newText":"x"}]}`)
	f.Add(`{"card":"terminal","exitCode":1,"signal":"SIGKILL","output":"\ud800"}`)
	f.Add(`{"card":"generic","rawInput":{"a":[1e999]},"content":[{"type":"image","data":"AQ=="}]}`)
	f.Add(`{"card":"\u0000","title":"\u001b[0m"}`)
	f.Fuzz(func(t *testing.T, data string) {
		if call, err := UnmarshalCallView([]byte(data)); err == nil {
			sameAfterRound(t, call, MarshalCallView, UnmarshalCallView)
		}
		if result, err := UnmarshalResultView([]byte(data)); err == nil {
			sameAfterRound(t, result, MarshalResultView, UnmarshalResultView)
		}
	})
}

func sameAfterRound[V any](t *testing.T, v V, marshal func(V) ([]byte, error), unmarshal func([]byte) (V, error)) {
	t.Helper()
	first, err := marshal(v)
	if err != nil {
		t.Fatalf("%#v: %v", v, err)
	}
	again, err := unmarshal(first)
	if err != nil {
		t.Fatalf("%s: %v", first, err)
	}
	second, err := marshal(again)
	if err != nil || string(first) != string(second) {
		t.Fatalf("%s became %s, %v", first, second, err)
	}
	if strings.Contains(string(first), "\n") {
		t.Fatalf("more than one line: %q", first)
	}
}
