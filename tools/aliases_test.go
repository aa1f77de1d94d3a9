package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

var pathAliases = map[string]string{"path": "file_path", "filePath": "file_path", "startLine": "start_line"}

func TestAliases(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"file_path":"a"}`, `{"file_path":"a"}`},
		{`{"path":"a"}`, `{"file_path":"a"}`},
		{`{"startLine": 3 ,"filePath":"<a>","x":{"path":1}}`, `{"start_line":3,"file_path":"<a>","x":{"path":1}}`},
		{`{"a\"b":1,"path":9007199254740993}`, `{"a\"b":1,"file_path":9007199254740993}`},
		{`{}`, `{}`}, {`[1]`, `[1]`}, {`"path"`, `"path"`}, {`null`, `null`},
	}
	for _, tt := range tests {
		in := json.RawMessage(tt.in)
		got, err := Aliases(pathAliases)(in)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.in, got, err, tt.want)
		}
		if string(in) != tt.in {
			t.Errorf("%s: the input has changed", tt.in)
		}
	}
}

func TestTwoSpellings(t *testing.T) {
	for _, in := range []string{
		`{"path":"a","file_path":"a"}`, `{"file_path":"a","path":"b"}`, `{"path":"a","filePath":"b"}`,
	} {
		_, err := Aliases(pathAliases)(json.RawMessage(in))
		var args *Error
		if !errors.As(err, &args) || args.Code != CodeInvalidArgs || !strings.Contains(args.Message, `two spellings of one parameter, "file_path"`) {
			t.Errorf("%s: got %v", in, err)
		}
	}
}

func TestAliasesInThePipeline(t *testing.T) {
	d := defined(func(s *Spec[typedArgs]) { s.Prepare = Aliases(map[string]string{"file": "path"}) })
	p := newTestPipeline(t, d)
	wantText(t, run(p, "n", `{"file":"a"}`), "{Path:a Count:0 Small:0 Big: Any:<nil> Map:map[] Limit:0}")
	wantError(t, run(p, "n", `{"file":"a","path":"b"}`),
		`Error: invalid arguments: "file" and "path" are two spellings of one parameter, "path". Correct the arguments and call the tool again`, CodeInvalidArgs)
}

// TestPrepareMustBeLossless: what Prepare returns is judged like what the
// model wrote.
func TestPrepareMustBeLossless(t *testing.T) {
	d := tool("n", nil)
	d.Prepare = func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"a":1,"a":2}`), nil }
	if r := run(newTestPipeline(t, d), "n", ""); r.code() != CodeInvalidArgs {
		t.Errorf("got %+v", r)
	}
}

func FuzzAliases(f *testing.F) {
	for _, s := range []string{`{"path":1}`, `{"a":{"b":[1,2]},"path":"x"}`, `{`, `{"a"`, `{"path":`, `[]`, "{\"\xff\":1}"} {
		f.Add(s)
	}
	rename := Aliases(pathAliases)
	f.Fuzz(func(t *testing.T, s string) {
		in := json.RawMessage(s)
		out, err := rename(in)
		if string(in) != s {
			t.Fatalf("%q: the input has changed", s)
		}
		if err != nil || !json.Valid(in) {
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%q became %q", s, out)
		}
		if again, err := rename(out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q is not settled: %q, %v", out, again, err)
		}
	})
}
