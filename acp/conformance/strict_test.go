package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// strict says how a value differs from what a type of package acp allows (acp.md
// Appendix A): unknown keys, required keys that are absent, null, duplicate
// keys, values of another kind, out of range or not in the protocol's lists.
// nil means that it does not.
func strict(raw json.RawMessage, t reflect.Type) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return nil
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return fmt.Errorf("expected %s, got %q", t, raw)
	case t == reflect.TypeFor[acp.SessionConfigSelectOptions]():
		return strictOptions(raw)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return strict(raw, t.Elem())
	case reflect.Interface:
		return strictUnion(raw, t)
	case reflect.Struct:
		return strictStruct(raw, t, "")
	case reflect.Slice:
		return strictList(raw, t.Elem())
	case reflect.Map:
		return strictMap(raw, t.Elem())
	default:
		return strictScalar(raw, t)
	}
}

// object reads the members of an object, which may hold no key twice.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, got %s", clip(string(raw)))
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("the key %q is there twice", name)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		members[name] = v
	}
	return members, nil
}

// strictStruct checks an object; tag is the key that its union has added.
func strictStruct(raw json.RawMessage, t reflect.Type, tag string) error {
	members, err := object(raw)
	if err != nil {
		return err
	}
	delete(members, tag)
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, there := members[name]
		delete(members, name)
		switch {
		case there:
			if err := strict(value, f.Type); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := listed(t, f.Name, value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		case !strings.Contains(options, "omit"):
			return fmt.Errorf("the key %q is not there", name)
		}
	}
	for name := range members {
		return fmt.Errorf("unknown key %q", name)
	}
	return nil
}

func strictList(raw json.RawMessage, item reflect.Type) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return fmt.Errorf("expected a list, got %s", clip(string(raw)))
	}
	for i, v := range items {
		if err := strict(v, item); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

func strictMap(raw json.RawMessage, value reflect.Type) error {
	members, err := object(raw)
	if err != nil {
		return err
	}
	for name, v := range members {
		if err := strict(v, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func strictScalar(raw json.RawMessage, t reflect.Type) error {
	v := reflect.New(t)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return fmt.Errorf("expected %s, got %s", t.Kind(), clip(string(raw)))
	}
	if allowed, ok := words[t]; ok && !slices.Contains(allowed, v.Elem().String()) {
		return fmt.Errorf("%s is none of %v", raw, allowed)
	}
	return nil
}

// strictOptions checks the values of a select: groups, or a flat list.
func strictOptions(raw json.RawMessage) error {
	if strictList(raw, reflect.TypeFor[acp.SessionConfigSelectGroup]()) == nil {
		return nil
	}
	return strictList(raw, reflect.TypeFor[acp.SessionConfigSelectOption]())
}

// words are the values of string types.
var words = map[reflect.Type][]string{
	reflect.TypeFor[acp.ToolKind]():             {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"},
	reflect.TypeFor[acp.ToolCallStatus]():       {"pending", "in_progress", "completed", "failed"},
	reflect.TypeFor[acp.StopReason]():           {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"},
	reflect.TypeFor[acp.PermissionOptionKind](): {"allow_once", "allow_always", "reject_once", "reject_always"},
}

// memberWords are the values of plain strings, by type and field.
var memberWords = map[reflect.Type]map[string][]string{
	reflect.TypeFor[acp.PlanEntry]():        {"Priority": {"high", "medium", "low"}, "Status": {"pending", "in_progress", "completed"}},
	reflect.TypeFor[acp.Notice]():           {"Severity": {"info", "warning", "error"}},
	reflect.TypeFor[acp.CompactionUpdate](): {"Status": {"in_progress", "completed", "failed", "cancelled"}},
}

func listed(t reflect.Type, field string, raw json.RawMessage) error {
	allowed, ok := memberWords[t][field]
	if s, err := strconv.Unquote(string(raw)); ok && (err != nil || !slices.Contains(allowed, s)) {
		return fmt.Errorf("%s is none of %v", raw, allowed)
	}
	return nil
}

// unionArms are the arms of a union by the value of its tag; "" is the arm
// without one.
type unionArms struct {
	tag  string
	arms map[string]reflect.Type
}

var unions = map[reflect.Type]unionArms{
	reflect.TypeFor[acp.ContentBlock](): {"type", map[string]reflect.Type{
		"text": reflect.TypeFor[acp.TextContent](), "image": reflect.TypeFor[acp.ImageContent](), "audio": reflect.TypeFor[acp.AudioContent](),
		"resource_link": reflect.TypeFor[acp.ResourceLink](), "resource": reflect.TypeFor[acp.EmbeddedResource](),
	}},
	reflect.TypeFor[acp.ToolCallContent](): {"type", map[string]reflect.Type{
		"content": reflect.TypeFor[acp.Content](), "diff": reflect.TypeFor[acp.Diff](), "terminal": reflect.TypeFor[acp.Terminal](),
	}},
	reflect.TypeFor[acp.SessionConfigOption](): {"type", map[string]reflect.Type{
		"select": reflect.TypeFor[acp.SessionConfigSelect](), "boolean": reflect.TypeFor[acp.SessionConfigBoolean](),
	}},
	reflect.TypeFor[acp.AuthMethod](): {"type", map[string]reflect.Type{
		"": reflect.TypeFor[acp.AuthMethodAgent](), "terminal": reflect.TypeFor[acp.AuthMethodTerminal](),
	}},
	reflect.TypeFor[acp.SessionUpdate](): {"sessionUpdate", map[string]reflect.Type{
		"user_message_chunk": reflect.TypeFor[acp.UserMessageChunk](), "agent_message_chunk": reflect.TypeFor[acp.AgentMessageChunk](),
		"agent_thought_chunk": reflect.TypeFor[acp.AgentThoughtChunk](), "tool_call": reflect.TypeFor[acp.ToolCall](),
		"tool_call_update": reflect.TypeFor[acp.ToolCallUpdate](), "plan": reflect.TypeFor[acp.Plan](),
		"available_commands_update": reflect.TypeFor[acp.AvailableCommandsUpdate](), "current_mode_update": reflect.TypeFor[acp.CurrentModeUpdate](),
		"config_option_update": reflect.TypeFor[acp.ConfigOptionUpdate](), "session_info_update": reflect.TypeFor[acp.SessionInfoUpdate](),
		"usage_update": reflect.TypeFor[acp.UsageUpdate](), "notice": reflect.TypeFor[acp.Notice](),
		"compaction_update": reflect.TypeFor[acp.CompactionUpdate](), "compaction_summary_chunk": reflect.TypeFor[acp.CompactionSummaryChunk](),
	}},
}

func strictUnion(raw json.RawMessage, t reflect.Type) error {
	if t == reflect.TypeFor[acp.ResourceContents]() {
		if strictStruct(raw, reflect.TypeFor[acp.TextResourceContents](), "") == nil {
			return nil
		}
		return strictStruct(raw, reflect.TypeFor[acp.BlobResourceContents](), "")
	}
	u, ok := unions[t]
	if !ok {
		return fmt.Errorf("%s is a union that an agent does not send", t)
	}
	members, err := object(raw)
	if err != nil {
		return err
	}
	var tag string
	if v, there := members[u.tag]; there && json.Unmarshal(v, &tag) != nil {
		return fmt.Errorf("%s: expected a string, got %s", u.tag, v)
	}
	arm, ok := u.arms[tag]
	if !ok {
		return fmt.Errorf("%s: %q is unknown", u.tag, tag)
	}
	if err := strictStruct(raw, arm, u.tag); err != nil {
		return fmt.Errorf("%s: %w", tag, err)
	}
	return nil
}

func TestStrict(t *testing.T) {
	for _, tt := range []struct {
		raw, says string
		t         reflect.Type
	}{
		{`{"stopReason":"end_turn"}`, "", reflect.TypeFor[acp.PromptResponse]()},
		{`{"stopReason":"end_turn","_meta":{"x":null}}`, "", reflect.TypeFor[acp.PromptResponse]()},
		{`{"stopReason":"end_turn","usage":{}}`, "usage", reflect.TypeFor[acp.PromptResponse]()},
		{`{"stopReason":"done"}`, "done", reflect.TypeFor[acp.PromptResponse]()},
		{`{"stopReason":null}`, "null", reflect.TypeFor[acp.PromptResponse]()},
		{`{"stopReason":"end_turn","stopReason":"refusal"}`, "twice", reflect.TypeFor[acp.PromptResponse]()},
		{`{}`, "stopReason", reflect.TypeFor[acp.PromptResponse]()},
		{`[]`, "object", reflect.TypeFor[acp.PromptResponse]()},
		{`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"c","priority":"low","status":"pending"}]}}`, "", reflect.TypeFor[acp.SessionNotification]()},
		{`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"c","priority":"urgent","status":"pending"}]}}`, "urgent", reflect.TypeFor[acp.SessionNotification]()},
		{`{"sessionId":"s","update":{"sessionUpdate":"plan"}}`, "entries", reflect.TypeFor[acp.SessionNotification]()},
		{`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"t","content":[{"type":"text","text":"x"}]}}`, `content: [0]: type: "text"`, reflect.TypeFor[acp.SessionNotification]()},
		{`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"t","locations":[{"path":"/a","line":-1}]}}`, "line", reflect.TypeFor[acp.SessionNotification]()},
		{`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","x":1}}}`, `"x"`, reflect.TypeFor[acp.SessionNotification]()},
		{`{"sessionId":"s","update":{"toolCallId":"1"}}`, "unknown", reflect.TypeFor[acp.SessionNotification]()},
		{`{"configOptions":[{"type":"select","id":"m","name":"M","currentValue":"a","options":[{"value":"a","name":"A"}]}]}`, "", reflect.TypeFor[acp.SetSessionConfigOptionResponse]()},
		{`{"configOptions":[{"type":"select","id":"m","name":"M","currentValue":"a","options":[{"value":"a"}]}]}`, "name", reflect.TypeFor[acp.SetSessionConfigOptionResponse]()},
		{`{"configOptions":null}`, "null", reflect.TypeFor[acp.SetSessionConfigOptionResponse]()},
		{`{"code":1.5,"message":"x"}`, "code", reflect.TypeFor[rpcError]()},
		{`{"protocolVersion":"1"}`, "protocolVersion", reflect.TypeFor[acp.InitializeResponse]()},
	} {
		err := strict(json.RawMessage(tt.raw), tt.t)
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: %v, want %q", tt.raw, err, tt.says)
		}
	}
}
