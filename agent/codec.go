package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// eventTypes names every event in the log, in the order of the union. A name
// once written is never given another meaning.
var eventTypes = []struct {
	name  string
	event Event
}{
	{"turn_started", TurnStarted{}},
	{"user_message", UserMessage{}},
	{"agent_text", AgentText{}},
	{"agent_thought", AgentThought{}},
	{"agent_opaque", AgentOpaque{}},
	{"assistant_calls", AssistantCalls{}},
	{"tool_call_started", ToolCallStarted{}},
	{"tool_call_planned", ToolCallPlanned{}},
	{"tool_call_running", ToolCallRunning{}},
	{"tool_call_output", ToolCallOutput{}},
	{"tool_call_progress", ToolCallProgress{}},
	{"terminal_attached", TerminalAttached{}},
	{"tool_call_finished", ToolCallFinished{}},
	{"permission_asked", PermissionAsked{}},
	{"permission_decided", PermissionDecided{}},
	{"plan_changed", PlanChanged{}},
	{"mode_changed", ModeChanged{}},
	{"model_changed", ModelChanged{}},
	{"title_changed", TitleChanged{}},
	{"usage_changed", UsageChanged{}},
	{"compaction_changed", CompactionChanged{}},
	{"metadata_changed", MetadataChanged{}},
	{"tools_changed", ToolsChanged{}},
	{"settings_changed", SettingsChanged{}},
	{"context_added", ContextAdded{}},
	{"notice", Notice{}},
	{"turn_ended", TurnEnded{}},
}

// nameOfEvent and eventOfName are the two directions of eventTypes.
var nameOfEvent, eventOfName = indexEvents()

func indexEvents() (map[reflect.Type]string, map[string]reflect.Type) {
	names, types := map[reflect.Type]string{}, map[string]reflect.Type{}
	for _, t := range eventTypes {
		typ := reflect.TypeOf(t.event)
		names[typ], types[t.name] = t.name, typ
	}
	return names, types
}

// errUnknownEvent marks a record whose type this build does not know.
var errUnknownEvent = errors.New("unknown event type")

// recordHead is what every line of a log after the first begins with.
type recordHead struct {
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Type string    `json:"type"`
}

// MarshalJSON encodes r as one flat object: seq, time, type and the fields of
// the event, views tagged by their card (contract §8).
func (r Record) MarshalJSON() ([]byte, error) {
	name, ok := nameOfEvent[reflect.TypeOf(r.Event)]
	if !ok {
		return nil, fmt.Errorf("record %d: %w: %T", r.Seq, errUnknownEvent, r.Event)
	}
	head, err := json.Marshal(recordHead{Seq: r.Seq, Time: r.Time, Type: name})
	if err != nil {
		return nil, err
	}
	body, err := marshal(r.Event)
	if err != nil {
		return nil, fmt.Errorf("record %d (%s): %w", r.Seq, name, err)
	}
	if len(body) == len("{}") {
		return head, nil
	}
	line := append(head[:len(head)-1], ',')
	return append(line, body[1:]...), nil
}

// UnmarshalJSON decodes what MarshalJSON made. It never panics; a type that
// this build does not know is an error.
func (r *Record) UnmarshalJSON(data []byte) error {
	var head recordHead
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	typ, ok := eventOfName[head.Type]
	if !ok {
		return fmt.Errorf("record %d: %w %q", head.Seq, errUnknownEvent, head.Type)
	}
	event := reflect.New(typ)
	if err := json.Unmarshal(data, event.Interface()); err != nil {
		return fmt.Errorf("record %d (%s): %w", head.Seq, head.Type, err)
	}
	*r = Record{Seq: head.Seq, Time: head.Time, Event: event.Elem().Interface().(Event)}
	return nil
}

// marshal is json.Marshal that leaves <, > and & readable, and does not go
// twice over what marshals itself.
func marshal(v any) ([]byte, error) {
	if m, ok := v.(json.Marshaler); ok {
		return m.MarshalJSON()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// The events with a view carry it under "view", which a plain struct tag
// cannot: the view is a union.

type (
	startedFields  ToolCallStarted
	plannedFields  ToolCallPlanned
	finishedFields ToolCallFinished
)

// marshalWithView joins the fields of an event and its encoded view.
func marshalWithView(fields any, view []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	body, err := marshal(fields)
	if err != nil {
		return nil, err
	}
	body = append(body[:len(body)-1], `,"view":`...)
	return append(append(body, view...), '}'), nil
}

// unmarshalWithView decodes the fields of an event and finds its view, null
// when the line has none.
func unmarshalWithView(data []byte, fields any) (view json.RawMessage, err error) {
	if err := json.Unmarshal(data, fields); err != nil {
		return nil, err
	}
	v := struct {
		View json.RawMessage `json:"view"`
	}{View: json.RawMessage("null")}
	err = json.Unmarshal(data, &v)
	return v.View, err
}

// MarshalJSON encodes e with its view.
func (e ToolCallStarted) MarshalJSON() ([]byte, error) {
	view, err := presentation.MarshalCallView(e.View)
	return marshalWithView(startedFields(e), view, err)
}

// UnmarshalJSON decodes what MarshalJSON made.
func (e *ToolCallStarted) UnmarshalJSON(data []byte) error {
	view, err := unmarshalWithView(data, (*startedFields)(e))
	if err != nil {
		return err
	}
	e.View, err = presentation.UnmarshalCallView(view)
	return err
}

// MarshalJSON encodes e with its view.
func (e ToolCallPlanned) MarshalJSON() ([]byte, error) {
	view, err := presentation.MarshalCallView(e.View)
	return marshalWithView(plannedFields(e), view, err)
}

// UnmarshalJSON decodes what MarshalJSON made.
func (e *ToolCallPlanned) UnmarshalJSON(data []byte) error {
	view, err := unmarshalWithView(data, (*plannedFields)(e))
	if err != nil {
		return err
	}
	e.View, err = presentation.UnmarshalCallView(view)
	return err
}

// MarshalJSON encodes e with its view.
func (e ToolCallFinished) MarshalJSON() ([]byte, error) {
	view, err := presentation.MarshalResultView(e.View)
	return marshalWithView(finishedFields(e), view, err)
}

// UnmarshalJSON decodes what MarshalJSON made.
func (e *ToolCallFinished) UnmarshalJSON(data []byte) error {
	view, err := unmarshalWithView(data, (*finishedFields)(e))
	if err != nil {
		return err
	}
	e.View, err = presentation.UnmarshalResultView(view)
	return err
}
