package declared

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

const noArgs = `{"type":"object","properties":{},"required":[]}`

// tool is a good tool with other fields put in or in place.
func tool(fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return `{"name":"t","description":"d","argsSchema":` + noArgs + fields + `}`
}

func manifestOf(tools ...string) string {
	return `{"guidance":"g","tools":[` + strings.Join(tools, ",") + `]}`
}

func mustManifest(tb testing.TB, text string) *Manifest {
	tb.Helper()
	m, err := ParseManifest([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// tools.md §4.1.3, every cause with its text.
func TestManifestRefusals(t *testing.T) {
	for _, c := range []struct{ text, message, details string }{
		{``, "skills must be an object", ``},
		{`"x"`, "skills must be an object", ``},
		{`null`, "skills must be an object", ``},
		{`{"tools":[]`, "skills must be an object", ``},
		{`{"guidance":1,"tools":[]}`, "guidance must be a string", ``},
		{`{"guidance":"g"}`, "tools must be an array", ``},
		{`{"guidance":"g","tools":{}}`, "tools must be an array", ``},
		{`{"guidance":"g","tools":null}`, "tools must be an array", ``},
		{manifestOf(`7`), "tool must be an object", `{"index":0}`},
		{manifestOf(`[]`), "tool must be an object", `{"index":0}`},
		{manifestOf(`null`), "tool must be an object", `{"index":0}`},
		{manifestOf(`{}`), "tool name is invalid", `{"index":0}`},
		{manifestOf(tool(""), `{"name":"bad/name","description":"","timeoutMs":0}`), "tool name is invalid", `{"index":1,"toolName":"bad/name"}`},
		{manifestOf(`{"name":"1a"}`), "tool name is invalid", `{"index":0,"toolName":"1a"}`},
		{manifestOf(`{"name":"a b"}`), "tool name is invalid", `{"index":0,"toolName":"a b"}`},
		{manifestOf(`{"name":"a\n"}`), "tool name is invalid", `{"index":0,"toolName":"a\n"}`},
		{manifestOf(`{"name":"é"}`), "tool name is invalid", `{"index":0,"toolName":"é"}`},
		{manifestOf(`{"name":""}`), "tool name is invalid", `{"index":0}`},
		{manifestOf(`{"name":7}`), "tool name is invalid", `{"index":0}`},
		{manifestOf(`{"Name":"a"}`), "tool name is invalid", `{"index":0}`},
		{manifestOf(tool(""), tool(`"description":""`)), "duplicate tool name", `{"index":1,"toolName":"t"}`},
		{manifestOf(`{"name":"t"}`), "tool description must be a non-empty string", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":" \n\t","timeoutMs":0}`), "tool description must be a non-empty string", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":["d"]}`), "tool description must be a non-empty string", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"timeoutMs":0`)), "tool timeoutMs must be a positive integer", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"timeoutMs":-1`)), "tool timeoutMs must be a positive integer", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"timeoutMs":1.5`)), "tool timeoutMs must be a positive integer", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"timeoutMs":"100"`)), "tool timeoutMs must be a positive integer", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"timeoutMs":1e400`)), "tool timeoutMs must be a positive integer", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"timeoutMs":null,"handler":1`)), "tool timeoutMs must be a positive integer", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"handler":"x","input":{}`)), "tool handler must be a function", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"input":{"delta":"number"}`)), "tool input is no longer supported; use argsSchema", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","input":{}}`), "tool input is no longer supported; use argsSchema", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d"}`), "tool argsSchema must be an object", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":[]}`), "tool argsSchema must be an object", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":null}`), "tool argsSchema must be an object", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":{"type":"array"}}`), "tool argsSchema must describe an object", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":{}}`), "tool argsSchema must describe an object", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":{"type":"object","default":1e999}}`), "tool argsSchema must be serializable", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":{"type":"object","type":"object"}}`), "tool argsSchema must be serializable", `{"index":0,"toolName":"t"}`},
		{manifestOf(`{"name":"t","description":"d","argsSchema":{"type":"object","properties":{"u":{"type":"string","pattern":"(?=x)"}}}}`),
			"tool argsSchema is not supported: schema.properties.u.pattern is not a pattern that RE2 can run: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
			"{\"index\":0,\"toolName\":\"t\",\"violations\":[{\"path\":\"schema.properties.u.pattern\",\"message\":\"schema.properties.u.pattern is not a pattern that RE2 can run: error parsing regexp: invalid or unsupported Perl syntax: `(?=`\"}]}"},
		{manifestOf(`{"name":"t","description":"d","argsSchema":{"type":"object","required":["a","b"]}}`),
			`tool argsSchema is not supported: schema.required names "a" which is not in properties; schema.required names "b" which is not in properties`,
			`{"index":0,"toolName":"t","violations":[{"path":"schema.required","message":"schema.required names \"a\" which is not in properties"},{"path":"schema.required","message":"schema.required names \"b\" which is not in properties"}]}`},
		{manifestOf(tool(`"strict":1`)), "tool strict must be a boolean", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"presentation":"x"`)), "tool presentation must be an object with the strings title and kind", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"presentation":{"title":1}`)), "tool presentation must be an object with the strings title and kind", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"presentation":{"title":"` + strings.Repeat("é", maxTitle+1) + `"}`)), "tool presentation title must have at most 200 characters", `{"index":0,"toolName":"t"}`},
		{manifestOf(tool(`"presentation":{"kind":"think"}`)), "tool presentation kind must be one of read, edit, delete, move, search, execute, fetch, other", `{"index":0,"toolName":"t"}`},
	} {
		m, err := ParseManifest([]byte(c.text))
		var e *Error
		if m != nil || !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", c.text, m, err)
			continue
		}
		if e.ErrorCode() != "INVALID_INPUT" || e.Error() != c.message || string(e.Details) != c.details {
			t.Errorf("%s\n got  %s %q %s\n want %q %s", c.text, e.Code, e.Message, e.Details, c.message, c.details)
		}
	}
}

func TestManifestTooLarge(t *testing.T) {
	_, err := ParseManifest([]byte(`{"guidance":"` + strings.Repeat("x", MaxMessage) + `","tools":[]}`))
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeMessageTooLarge || !strings.Contains(e.Message, "at most 1048576 bytes") {
		t.Fatalf("got %v", err)
	}
	m := &Manifest{Guidance: strings.Repeat("x", MaxMessage)}
	if _, err := m.MarshalJSON(); !errors.As(err, &e) || e.Code != CodeMessageTooLarge {
		t.Fatalf("got %v", err)
	}
}

func TestManifestForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"tools":[]}`, `{"guidance":"","tools":[]}`},
		{`[]`, `{"guidance":"","tools":[]}`},
		{` [ ` + tool("") + ` ] `, `{"guidance":"","tools":[` + tool("") + `]}`},
		{`{"tools":[],"unknown":1,"guidance":"<g>"}`, `{"guidance":"<g>","tools":[]}`},
		{
			manifestOf(
				`{"name":"zeta","description":"z","argsSchema":`+noArgs+`,"timeoutMs":1e3,"extra":true}`,
				`{"name":"a.b-c_1","description":"<a>","argsSchema":{ "type":"object", "additionalProperties":false },"strict":true,"presentation":{"title":"{x}","kind":"edit"}}`,
				`{"name":"B","description":"b","argsSchema":`+noArgs+`,"strict":null,"presentation":null}`),
			`{"guidance":"g","tools":[` +
				`{"name":"B","description":"b","argsSchema":` + noArgs + `},` +
				`{"name":"a.b-c_1","description":"<a>","argsSchema":{"type":"object","additionalProperties":false},"strict":true,"presentation":{"title":"{x}","kind":"edit"}},` +
				`{"name":"zeta","description":"z","argsSchema":` + noArgs + `,"timeoutMs":1000}]}`,
		},
	} {
		got, err := mustManifest(t, c.text).MarshalJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got  %s\n want %s\n %v", c.text, got, c.want, err)
		}
	}
}

// tools.md §4.1.1, §4.1.5, Appendix A.10.
func TestDefineChangesNothingAndTheManifestHasNoHandler(t *testing.T) {
	handler := func(context.Context, Request) (json.RawMessage, error) { return nil, nil }
	schema := json.RawMessage(`{"type":"object","properties":{"delta":{"type":"number"}}}`)
	defined := Define(Tool{Name: "bad/name", ArgsSchema: schema, TimeoutMs: -5, Handler: handler})
	if defined.Name != "bad/name" || defined.TimeoutMs != -5 || defined.Handler == nil || &defined.ArgsSchema[0] != &schema[0] {
		t.Errorf("got %+v", defined)
	}
	m := &Manifest{Guidance: "g", Tools: []Tool{{Name: "t", Description: "d", ArgsSchema: schema, Handler: handler}}}
	if err := m.Check(false); err != nil {
		t.Fatal(err)
	}
	text, err := m.MarshalJSON()
	if err != nil || strings.Contains(string(text), "andler") || strings.Contains(string(text), "timeout") {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestAuthorsManifestsAreCheckedAlike(t *testing.T) {
	good := Tool{Name: "t", Description: "d", ArgsSchema: json.RawMessage(noArgs)}
	for _, c := range []struct {
		change func(*Tool)
		want   string
	}{
		{func(t *Tool) { t.Name = "" }, "tool name is invalid"},
		{func(t *Tool) { t.Description = " " }, "tool description must be a non-empty string"},
		{func(t *Tool) { t.TimeoutMs = -1 }, "tool timeoutMs must be a positive integer"},
		{func(t *Tool) { t.ArgsSchema = nil }, "tool argsSchema must be an object"},
		{func(t *Tool) { t.ArgsSchema = json.RawMessage("nonsense") }, "tool argsSchema must be serializable"},
		{func(t *Tool) { t.ArgsSchema = json.RawMessage(` {"type":"array"}`) }, "tool argsSchema must describe an object"},
		{func(t *Tool) { t.Presentation = &Presentation{Kind: "odd"} }, "tool presentation kind must be one of read, edit, delete, move, search, execute, fetch, other"},
		{func(t *Tool) { t.Presentation = &Presentation{Kind: presentation.KindFetch} }, ""},
		{func(t *Tool) { t.Strict, t.TimeoutMs = true, 5 }, ""},
	} {
		bad := good
		bad.Name = "other"
		c.change(&bad)
		err := (&Manifest{Tools: []Tool{good, bad}}).Check(false)
		if got := textOf(err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := textOf((&Manifest{Tools: []Tool{good, good}}).Check(false)); got != "duplicate tool name" {
		t.Errorf("got %q", got)
	}
	closed := good
	closed.ArgsSchema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	m := &Manifest{Tools: []Tool{closed}}
	if err := m.Check(false); err != nil {
		t.Error(err)
	}
	if got := textOf(m.Check(true)); !strings.HasPrefix(got, "tool argsSchema is not supported: schema.additionalProperties is not a supported keyword") {
		t.Errorf("got %q", got)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestTimeoutsAreBounded(t *testing.T) {
	checked, err := mustManifest(t, manifestOf(tool(`"timeoutMs":1e300`))).check(false)
	if err != nil || checked[0].timeout != maxTimeout {
		t.Fatalf("got %v, %v", checked, err)
	}
	checked, err = mustManifest(t, manifestOf(tool(``))).check(false)
	if err != nil || checked[0].timeout != time.Minute || checked[0].TimeoutMs != 0 {
		t.Fatalf("got %v, %v", checked, err)
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(manifestOf(tool(`"timeoutMs":5,"presentation":{"title":"{a.b} {{ {"}`))))
	f.Add([]byte(`[{"name":"t","description":"d","argsSchema":{"type":"object","default":-0}}]`))
	f.Add([]byte(`{"guidance":"\ud800","tools":[[]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest(data)
		if (m == nil) == (err == nil) {
			t.Fatalf("%v, %v", m, err)
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeInvalidInput || e.Details != nil && !json.Valid(e.Details) {
				t.Fatalf("%#v", err)
			}
			return
		}
		text, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := mustManifest(t, string(text)).MarshalJSON()
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s became %s, %v", text, again, err)
		}
	})
}
