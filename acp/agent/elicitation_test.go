package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

func TestFormSchema(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", `{}`, `{"properties":{},"type":"object"}`},
		{
			"words of JSON Schema that forms have not",
			`{"$schema":"x","type":"object","title":"T","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string","maxLength":3,"examples":["x"],"format":"email"}}}`,
			`{"properties":{"a":{"format":"email","maxLength":3,"type":"string"}},"required":["a"],"title":"T","type":"object"}`,
		},
		{
			"every type",
			`{"properties":{"b":{"type":"boolean","default":true},"i":{"type":"integer","minimum":1,"multipleOf":2},"n":{"type":"number","maximum":2.5},"l":{"type":"array","minItems":1,"items":{"type":"string","enum":["x"],"pattern":"y"}}}}`,
			`{"properties":{"b":{"default":true,"type":"boolean"},"i":{"minimum":1,"type":"integer"},"l":{"items":{"enum":["x"],"type":"string"},"minItems":1,"type":"array"},"n":{"maximum":2.5,"type":"number"}},"type":"object"}`,
		},
		{
			"choices with names",
			`{"properties":{"o":{"type":"string","enum":["a","b"],"enumNames":["A","B"]},"n":{"type":"string","oneOf":[{"const":"c","title":"C","x":1}]},"m":{"type":"array","items":{"anyOf":[{"const":"d","title":"D","type":"string"}]}}}}`,
			`{"properties":{"m":{"items":{"anyOf":[{"const":"d","title":"D"}]},"type":"array"},"n":{"oneOf":[{"const":"c","title":"C"}],"type":"string"},"o":{"oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}],"type":"string"}},"type":"object"}`,
		},
		{"choices whose names do not fit", `{"properties":{"o":{"type":"string","enum":["a"],"enumNames":["A","B"]}}}`, `{"properties":{"o":{"enum":["a"],"type":"string"}},"type":"object"}`},
		{"no object", `[1]`, "error"},
		{"no schema", ``, "error"},
		{"nested", `{"properties":{"o":{"type":"object"}}}`, "error"},
		{"no type", `{"properties":{"o":{}}}`, "error"},
		{"list of anything", `{"properties":{"o":{"type":"array"}}}`, "error"},
		{"fields that are none", `{"properties":{"o":7}}`, "error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := formSchema(json.RawMessage(tt.in))
			if err != nil {
				got = json.RawMessage("error")
			}
			if string(got) != tt.want {
				t.Errorf("%s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

// elicits connects a client that answers elicitation/create.
func elicits(t *testing.T, caps *acp.ElicitationCapabilities, answer string) (*client, *string) {
	t.Helper()
	asked := new(string)
	c := start(t, setup{caps: acp.ClientCapabilities{Elicitation: caps}, answer: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		*asked = method + " " + string(params)
		return json.RawMessage(answer), nil
	}})
	return c, asked
}

func TestElicit(t *testing.T) {
	both := &acp.ElicitationCapabilities{Form: &acp.Marker{}, URL: &acp.Marker{}}
	form := Elicitation{ToolCallID: "c1", Message: "Which?", Schema: json.RawMessage(`{"properties":{"p":{"type":"string"}}}`)}
	page := Elicitation{Message: "Log in", URL: "https://example.invalid/x", ID: "e1"}
	for _, tt := range []struct {
		name      string
		caps      *acp.ElicitationCapabilities
		e         Elicitation
		answer    string
		asked     string // SID stands for the session's id; "" for nothing asked
		want      ElicitationAnswer
		wantError string
	}{
		{name: "form", caps: both, e: form, answer: `{"action":"accept","content":{"p":"x"}}`,
			asked: `elicitation/create {"sessionId":"SID","toolCallId":"c1","mode":"form","message":"Which?","requestedSchema":{"properties":{"p":{"type":"string"}},"type":"object"}}`,
			want:  ElicitationAnswer{Action: "accept", Content: map[string]any{"p": "x"}}},
		{name: "page", caps: both, e: page, answer: `{"action":"decline"}`,
			asked: `elicitation/create {"sessionId":"SID","mode":"url","message":"Log in","url":"https://example.invalid/x","elicitationId":"e1"}`,
			want:  ElicitationAnswer{Action: "decline"}},
		{name: "unknown action", caps: both, e: page, answer: `{"action":"ponder"}`, asked: "elicitation/create", want: ElicitationAnswer{Action: "cancel"}},
		{name: "bad content", caps: both, e: form, answer: `{"action":"accept","content":[1]}`, asked: "elicitation/create", want: ElicitationAnswer{Action: "cancel"}},
		{name: "no answer at all", caps: both, e: form, answer: `{}`, asked: "elicitation/create", want: ElicitationAnswer{Action: "cancel"}},
		{name: "not offered", e: form, wantError: "does not ask questions of the mode form"},
		{name: "empty offer", caps: &acp.ElicitationCapabilities{}, e: page, wantError: "does not ask questions of the mode url"},
		{name: "other mode offered", caps: &acp.ElicitationCapabilities{URL: &acp.Marker{}}, e: form, wantError: "mode form"},
		{name: "bad page", caps: both, e: Elicitation{URL: "file:///etc/passwd"}, wantError: "http and https alone"},
		{name: "bad form", caps: both, e: Elicitation{Schema: json.RawMessage(`7`)}, wantError: "no object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, asked := elicits(t, tt.caps, tt.answer)
			tt.e.Session = c.newSession()
			got, err := c.server.Elicit(t.Context(), tt.e)
			if tt.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantError) || *asked != "" {
					t.Errorf("error %v, asked %q", err, *asked)
				}
				return
			}
			if want := strings.ReplaceAll(tt.asked, "SID", tt.e.Session); err != nil || !strings.HasPrefix(*asked, want) {
				t.Errorf("asked %s, %v\nwant  %s", *asked, err, want)
			}
			if got.Action != tt.want.Action || len(got.Content) != len(tt.want.Content) || got.Content["p"] != tt.want.Content["p"] {
				t.Errorf("answer %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestElicitOfAnUnknownSession(t *testing.T) {
	c, asked := elicits(t, &acp.ElicitationCapabilities{Form: &acp.Marker{}}, `{}`)
	if _, err := c.server.Elicit(t.Context(), Elicitation{Session: "none", Schema: json.RawMessage(`{}`)}); err == nil || *asked != "" {
		t.Errorf("error %v, asked %q", err, *asked)
	}
}

func TestElicitIsWithdrawn(t *testing.T) {
	open, withdrawn := make(chan bool), make(chan bool)
	c := start(t, setup{
		caps: acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.Marker{}}},
		answer: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			open <- true
			<-ctx.Done()
			withdrawn <- true
			return nil, ctx.Err()
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	session := c.newSession()
	go func() {
		_, err := c.server.Elicit(ctx, Elicitation{Session: session, Schema: json.RawMessage(`{}`)})
		done <- err
	}()
	<-open
	cancel()
	<-withdrawn
	if err := <-done; err == nil {
		t.Error("a withdrawn question has an answer")
	}
}

func TestElicitationCompleted(t *testing.T) {
	for name, caps := range map[string]*acp.ElicitationCapabilities{"offered": {URL: &acp.Marker{}}, "not offered": nil} {
		t.Run(name, func(t *testing.T) {
			c, _ := elicits(t, caps, `{}`)
			if err := c.server.ElicitationCompleted(t.Context(), "e1"); err != nil {
				t.Fatal(err)
			}
			session := c.newSession() // its answer comes after the notification
			said := c.wire.find(0, "elicitation/complete", `"elicitationId":"e1"`) >= 0
			if said != (caps != nil) {
				t.Errorf("the client was told: %t (session %s)", said, session)
			}
		})
	}
}
