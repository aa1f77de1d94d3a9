package modelserver

import (
	"encoding/json"
	"fmt"
)

// object is a JSON object.
type object = map[string]any

// frame is one event of a stream; a name goes before it where the protocol has
// names.
func frame(name string, data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	if name == "" {
		return fmt.Sprintf("data: %s\n\n", text)
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, text)
}

// chatEvents are an answer of chat completions.
func chatEvents(r Reply) []string {
	var out []string
	chunk := func(delta object, finish any, more object) {
		o := object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
		}
		for k, v := range more {
			o[k] = v
		}
		out = append(out, frame("", o))
	}
	chunk(object{"role": "assistant", "content": ""}, nil, nil)
	for _, p := range pieces(r.Thought, r.Pieces) {
		chunk(object{"reasoning_content": p}, nil, nil)
	}
	for _, p := range pieces(r.Text, r.Pieces) {
		chunk(object{"content": p}, nil, nil)
	}
	for i, c := range r.Calls {
		chunk(object{"tool_calls": []any{object{
			"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""},
		}}}, nil, nil)
		for _, p := range pieces(c.Arguments, r.Pieces) {
			chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil, nil)
		}
	}
	finish := "stop"
	switch {
	case r.Finish == "refusal":
		finish = "content_filter"
	case r.Finish != "":
		finish = r.Finish
	case len(r.Calls) > 0:
		finish = "tool_calls"
	}
	chunk(object{}, finish, nil)
	if u := r.Usage; u != (Usage{}) {
		usage := object{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"prompt_tokens_details": object{"cached_tokens": u.Cached},
		}
		if u.Cost > 0 {
			usage["cost"] = u.Cost
		}
		out = append(out, frame("", object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{}, "usage": usage,
		}))
	}
	return append(out, "data: [DONE]\n\n")
}

// responsesStream collects events of the responses API, which are numbered.
type responsesStream struct {
	out   []string
	items []any
}

func (s *responsesStream) send(name string, data object) {
	data["type"], data["sequence_number"] = name, len(s.out)
	s.out = append(s.out, frame(name, data))
}

// item sends an item: its start, its pieces and its end.
func (s *responsesStream) item(start, whole object, deltas ...func(index int)) {
	index := len(s.items)
	s.send("response.output_item.added", object{"output_index": index, "item": start})
	for _, d := range deltas {
		d(index)
	}
	s.items = append(s.items, whole)
	s.send("response.output_item.done", object{"output_index": index, "item": whole})
}

// responsesEvents are an answer of the responses API.
func responsesEvents(r Reply) []string {
	s := &responsesStream{}
	response := func(status string, more object) object {
		o := object{"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "m", "output": s.items}
		for k, v := range more {
			o[k] = v
		}
		return object{"response": o}
	}
	s.send("response.created", response("in_progress", nil))
	if r.Thought != "" {
		summary := []any{object{"type": "summary_text", "text": r.Thought}}
		s.item(object{"type": "reasoning", "id": "rs_1", "summary": []any{}},
			object{"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": r.Signature},
			func(index int) {
				for _, p := range pieces(r.Thought, r.Pieces) {
					s.send("response.reasoning_summary_text.delta", object{"item_id": "rs_1", "output_index": index, "summary_index": 0, "delta": p})
				}
			})
	}
	if r.Text != "" {
		content := []any{object{"type": "output_text", "text": r.Text, "annotations": []any{}}}
		s.item(object{"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []any{}},
			object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content},
			func(index int) {
				for _, p := range pieces(r.Text, r.Pieces) {
					s.send("response.output_text.delta", object{"item_id": "msg_1", "output_index": index, "content_index": 0, "delta": p})
				}
			})
	}
	for i, c := range r.Calls {
		s.call(fmt.Sprintf("fc_%d", i), c, r.Pieces)
	}
	usage := object{
		"input_tokens": r.Usage.Input, "output_tokens": r.Usage.Output, "total_tokens": r.Usage.Input + r.Usage.Output,
		"input_tokens_details": object{"cached_tokens": r.Usage.Cached}, "output_tokens_details": object{"reasoning_tokens": 0},
	}
	switch r.Finish {
	case "length":
		s.send("response.incomplete", response("incomplete", object{"usage": usage, "incomplete_details": object{"reason": "max_output_tokens"}}))
	case "refusal":
		s.send("response.incomplete", response("incomplete", object{"usage": usage, "incomplete_details": object{"reason": "content_filter"}}))
	default:
		s.send("response.completed", response("completed", object{"usage": usage}))
	}
	return s.out
}

func (s *responsesStream) call(id string, c Call, n int) {
	item := func(args, status string) object {
		return object{"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "arguments": args, "status": status}
	}
	s.item(item("", "in_progress"), item(c.Arguments, "completed"), func(index int) {
		for _, p := range pieces(c.Arguments, n) {
			s.send("response.function_call_arguments.delta", object{"item_id": id, "output_index": index, "delta": p})
		}
		s.send("response.function_call_arguments.done", object{"item_id": id, "output_index": index, "arguments": c.Arguments})
	})
}

// messagesStream collects events of the messages protocol.
type messagesStream struct {
	out    []string
	blocks int
}

func (s *messagesStream) send(name string, data object) {
	data["type"] = name
	s.out = append(s.out, frame(name, data))
}

// block sends a block: its start, its pieces and its end.
func (s *messagesStream) block(start object, deltas ...object) {
	s.send("content_block_start", object{"index": s.blocks, "content_block": start})
	for _, d := range deltas {
		s.send("content_block_delta", object{"index": s.blocks, "delta": d})
	}
	s.send("content_block_stop", object{"index": s.blocks})
	s.blocks++
}

// deltas are the pieces of a text as deltas of a type.
func deltas(text string, n int, kind, field string) []object {
	var out []object
	for _, p := range pieces(text, n) {
		out = append(out, object{"type": kind, field: p})
	}
	return out
}

// messagesEvents are an answer of the messages protocol.
func messagesEvents(r Reply) []string {
	s := &messagesStream{}
	s.send("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": r.Usage.Input - r.Usage.Cached, "cache_read_input_tokens": r.Usage.Cached, "output_tokens": 1},
	}})
	s.send("ping", object{})
	if r.Thought != "" {
		d := deltas(r.Thought, r.Pieces, "thinking_delta", "thinking")
		if r.Signature != "" {
			d = append(d, object{"type": "signature_delta", "signature": r.Signature})
		}
		s.block(object{"type": "thinking", "thinking": "", "signature": ""}, d...)
	}
	if r.Text != "" {
		s.block(object{"type": "text", "text": ""}, deltas(r.Text, r.Pieces, "text_delta", "text")...)
	}
	for _, c := range r.Calls {
		s.block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			deltas(c.Arguments, r.Pieces, "input_json_delta", "partial_json")...)
	}
	reason := "end_turn"
	switch {
	case r.Finish == "length":
		reason = "max_tokens"
	case r.Finish != "":
		reason = r.Finish
	case len(r.Calls) > 0:
		reason = "tool_use"
	}
	s.send("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": r.Usage.Output}})
	s.send("message_stop", object{})
	return s.out
}
