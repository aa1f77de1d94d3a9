package acp

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// messageTypes are the types of testdata/messages.jsonl and the seeds of the
// fuzzer.
var messageTypes = map[string]reflect.Type{}

func init() {
	for _, v := range []any{
		InitializeRequest{}, InitializeResponse{}, AuthenticateRequest{}, NewSessionRequest{}, NewSessionResponse{},
		LoadSessionRequest{}, LoadSessionResponse{}, ResumeSessionRequest{}, ListSessionsRequest{}, ListSessionsResponse{},
		SessionRequest{}, PromptRequest{}, PromptResponse{}, SetSessionModeRequest{}, SetSessionConfigOptionRequest{},
		SetSessionConfigOptionResponse{}, CancelRequestNotification{}, SessionNotification{}, RequestPermissionRequest{},
		RequestPermissionResponse{}, ReadTextFileRequest{}, ReadTextFileResponse{}, WriteTextFileRequest{},
		CreateTerminalRequest{}, CreateTerminalResponse{}, TerminalRequest{}, TerminalOutputResponse{}, TerminalExitStatus{}, Empty{},
	} {
		t := reflect.TypeOf(v)
		messageTypes[t.Name()] = t
	}
	for t := range unions {
		messageTypes[t.Name()] = t
	}
}

// golden is one line of testdata.
type golden struct {
	Union, Type string
	Value       json.RawMessage
}

func goldens(t testing.TB, file string) []golden {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []golden
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		out = append(out, g)
	}
	return out
}

// roundTrip decodes and encodes a value of a type.
func roundTrip(t testing.TB, typ reflect.Type, value []byte) (json.RawMessage, any) {
	t.Helper()
	v := reflect.New(typ)
	if err := Decode(value, v.Interface()); err != nil {
		t.Fatalf("decode %s: %v", value, err)
	}
	encoded, err := Encode(v.Elem().Interface())
	if err != nil {
		t.Fatalf("encode %s: %v", value, err)
	}
	return encoded, v.Elem().Interface()
}

// sameJSON compares two JSON texts as values.
func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	for text, v := range map[string]*any{string(a): &x, string(b): &y} {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(x, y) || string(a) == string(b)
}

// TestUnionArms reads and writes every arm of every union: each key of the
// golden text is understood, and no other is written.
func TestUnionArms(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for _, g := range goldens(t, "testdata/unions.jsonl") {
		typ, ok := messageTypes[g.Union]
		if !ok {
			t.Fatalf("no union %s", g.Union)
		}
		encoded, v := roundTrip(t, typ, g.Value)
		seen[reflect.TypeOf(v)] = true
		want := strings.ReplaceAll(string(g.Value), `,"rawInput":null`, ``) // null is absent
		if !sameJSON(t, encoded, []byte(want)) {
			t.Errorf("%s\ngot  %s\nwant %s", g.Union, encoded, want)
		}
		if again, _ := roundTrip(t, typ, encoded); string(again) != string(encoded) {
			t.Errorf("not stable: %s, then %s", encoded, again)
		}
	}
	for union, u := range unions {
		for tag, arm := range u.arms {
			if !seen[arm] {
				t.Errorf("no golden text for %s %s", union.Name(), tag)
			}
		}
	}
}

func TestMessages(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range goldens(t, "testdata/messages.jsonl") {
		typ, ok := messageTypes[g.Type]
		if !ok {
			t.Fatalf("no type %s", g.Type)
		}
		seen[g.Type] = true
		if encoded, _ := roundTrip(t, typ, g.Value); !sameJSON(t, encoded, g.Value) {
			t.Errorf("%s\ngot  %s\nwant %s", g.Type, encoded, g.Value)
		}
	}
	for name, typ := range messageTypes {
		if typ.Kind() == reflect.Struct && !seen[name] {
			t.Errorf("no golden text for %s", name)
		}
	}
}

// TestZeroValues proves that no required list is ever null.
func TestZeroValues(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{Plan{}, `{"sessionUpdate":"plan","entries":[]}`},
		{AvailableCommandsUpdate{}, `{"sessionUpdate":"available_commands_update","availableCommands":[]}`},
		{ConfigOptionUpdate{}, `{"sessionUpdate":"config_option_update","configOptions":[]}`},
		{ListSessionsResponse{}, `{"sessions":[]}`},
		{SetSessionConfigOptionResponse{}, `{"configOptions":[]}`},
		{SessionModeState{}, `{"currentModeId":"","availableModes":[]}`},
		{SessionConfigSelect{}, `{"type":"select","id":"","name":"","currentValue":"","options":[]}`},
		{McpServerStdio{}, `{"name":"","command":"","args":[],"env":[]}`},
		{InitializeResponse{AuthMethods: []AuthMethod{}}, `{"protocolVersion":0,"authMethods":[]}`},
		{Empty{}, `{}`},
		{PermissionToolCall{ToolCallID: "c"}, `{"toolCallId":"c"}`},
		{Text("\xff\u2028<"), `{"type":"text","text":"\ufffd\u2028<"}`},
		{NewMeta("a", 1).With("b", "c"), `{"a":1,"b":"c"}`},
	} {
		if got, err := Encode(tt.v); err != nil || string(got) != tt.want {
			t.Errorf("%T: got %s, %v, want %s", tt.v, got, err, tt.want)
		}
	}
}

func TestLenientDecoding(t *testing.T) {
	for _, tt := range []struct{ name, typ, in, want string }{
		{"unknown members", "SessionRequest", `{"sessionId":"s","x":1}`, `{"sessionId":"s"}`},
		{"null is absent", "ResumeSessionRequest", `{"sessionId":"s","cwd":"/","additionalDirectories":null,"mcpServers":null,"_meta":null}`, `{"sessionId":"s","cwd":"/"}`},
		{"bad optional member", "ListSessionsRequest", `{"cwd":7,"cursor":"c"}`, `{"cursor":"c"}`},
		{"bad optional object", "InitializeRequest", `{"protocolVersion":1,"clientCapabilities":[],"clientInfo":"zed"}`, `{"protocolVersion":1}`},
		{"bad capability", "InitializeRequest", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":"yes","writeTextFile":true},"terminal":1}}`, `{"protocolVersion":1,"clientCapabilities":{"fs":{"writeTextFile":true}}}`},
		{"bad nested required member", "InitializeRequest", `{"protocolVersion":1,"clientInfo":{"name":"x"}}`, `{"protocolVersion":1}`},
		{"bad items", "NewSessionRequest", `{"cwd":"/","additionalDirectories":["/a",5,null,"/b"],"mcpServers":[{"type":"odd"},7,{"name":"n","command":"c"}]}`, `{"cwd":"/","additionalDirectories":["/a","/b"],"mcpServers":[{"name":"n","command":"c","args":[],"env":[]}]}`},
		{"no list of servers", "NewSessionRequest", `{"cwd":"/"}`, `{"cwd":"/","mcpServers":[]}`},
		{"number out of range", "TerminalExitStatus", `{"exitCode":-1,"signal":"SIGTERM"}`, `{"signal":"SIGTERM"}`},
		{"no truncated", "TerminalOutputResponse", `{"output":"x"}`, `{"output":"x","truncated":false}`},
		{"annotations", "ContentBlock", `{"type":"text","text":"t","annotations":{"audience":["user",3],"priority":"high"}}`, `{"type":"text","annotations":{"audience":["user"]},"text":"t"}`},
		{"duplicate members", "SessionRequest", `{"sessionId":"a","sessionId":"b"}`, `{"sessionId":"b"}`},
		{"case matters", "ListSessionsRequest", `{"CWD":"/x"}`, `{}`},
		{"meta", "SessionRequest", ` {"sessionId":"s","_meta":{"a": 12345678901234567890}} `, `{"sessionId":"s","_meta":{"a":12345678901234567890}}`},
		{"bad option groups", "SessionConfigOption", `{"type":"select","id":"i","name":"n","currentValue":"v","options":[{"group":"g"},{"value":"v","name":"V"}]}`, `{"type":"select","id":"i","name":"n","currentValue":"v","options":[{"value":"v","name":"V"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := roundTrip(t, messageTypes[tt.typ], []byte(tt.in)); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestDecodingFails(t *testing.T) {
	for _, tt := range []struct{ typ, in, want string }{
		{"SessionRequest", ``, "a value is missing"},
		{"SessionRequest", `{`, "not JSON"},
		{"SessionRequest", `{}`, "sessionId: expected a value, which is required"},
		{"SessionRequest", `{"sessionId":null}`, "sessionId: expected a value, which is required"},
		{"SessionRequest", `{"sessionId":7}`, "sessionId: expected a string"},
		{"SessionRequest", `[]`, "expected an object"},
		{"NewSessionRequest", `{"mcpServers":[]}`, "cwd: expected a value, which is required"},
		{"PromptRequest", `{"sessionId":"s","prompt":"x"}`, "prompt: expected a list"},
		{"PromptRequest", `{"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"text"}]}`, "prompt[1].text: expected a value, which is required"},
		{"PromptRequest", `{"sessionId":"s","prompt":[{"type":"video"}]}`, "prompt[0].type: expected one of audio, image, resource, resource_link, text"},
		{"PromptRequest", `{"sessionId":"s","prompt":[{"type":"resource","resource":{"text":5,"uri":"u"}}]}`, "prompt[0].resource.text: expected a string"},
		{"InitializeRequest", `{"protocolVersion":"1"}`, "protocolVersion: expected a whole number in range"},
		{"RequestPermissionResponse", `{"outcome":{"outcome":"maybe"}}`, "outcome.outcome: expected one of cancelled, selected"},
		{"RequestPermissionResponse", `{"outcome":{"outcome":5}}`, "outcome.outcome: expected one of cancelled, selected"},
		{"SessionConfigOption", `{"type":"boolean","id":"b","name":"B","currentValue":"true"}`, "currentValue: expected true or false"},
		{"SessionConfigOption", `{"type":"select","id":"b","name":"B","currentValue":"v","options":5}`, "options: expected a list"},
	} {
		err := Decode([]byte(tt.in), reflect.New(messageTypes[tt.typ]).Interface())
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s %s: error %v, want %s", tt.typ, tt.in, err, tt.want)
		}
	}
	if err := Decode([]byte(`{}`), SessionRequest{}); err == nil {
		t.Error("a target that is no pointer is accepted")
	}
	var other struct {
		V interface{ other() } `json:"v"`
	}
	if err := Decode([]byte(`{"v":{}}`), &other); err == nil {
		t.Error("a union that nobody knows is accepted")
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	if e := Errorf(CodeCancelled, "a\r\nb\n%s", "c\n\nd"); e.Message != "a b c d" || e.Code != -32800 {
		t.Errorf("%+v", e)
	}
	e := WithData(NotFound("x"), map[string]int{"n": 1})
	if string(e.Data) != `{"n":1}` || e.Code != -32002 {
		t.Errorf("%+v", e)
	}
	if e := WithData(InvalidParams("x"), func() {}); e.Data != nil || e.Code != -32602 {
		t.Errorf("%+v", e)
	}
}
