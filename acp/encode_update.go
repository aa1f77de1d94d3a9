package acp

// MarshalJSON adds the tag "user_message_chunk".
func (u UserMessageChunk) MarshalJSON() ([]byte, error) {
	return encodeChunk("user_message_chunk", u.ContentChunk)
}

// MarshalJSON adds the tag "agent_message_chunk".
func (u AgentMessageChunk) MarshalJSON() ([]byte, error) {
	return encodeChunk("agent_message_chunk", u.ContentChunk)
}

// MarshalJSON adds the tag "agent_thought_chunk".
func (u AgentThoughtChunk) MarshalJSON() ([]byte, error) {
	return encodeChunk("agent_thought_chunk", u.ContentChunk)
}

// MarshalJSON adds the tag "tool_call".
func (u ToolCall) MarshalJSON() ([]byte, error) {
	type fields ToolCall
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"tool_call", fields(u)})
}

// MarshalJSON adds the tag "tool_call_update".
func (u ToolCallUpdate) MarshalJSON() ([]byte, error) {
	type fields ToolCallUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"tool_call_update", fields(u)})
}

// MarshalJSON adds the tag "plan".
func (u Plan) MarshalJSON() ([]byte, error) {
	type fields Plan
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"plan", fields(u)})
}

// MarshalJSON adds the tag "available_commands_update".
func (u AvailableCommandsUpdate) MarshalJSON() ([]byte, error) {
	type fields AvailableCommandsUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"available_commands_update", fields(u)})
}

// MarshalJSON adds the tag "current_mode_update".
func (u CurrentModeUpdate) MarshalJSON() ([]byte, error) {
	type fields CurrentModeUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"current_mode_update", fields(u)})
}

// MarshalJSON adds the tag "config_option_update".
func (u ConfigOptionUpdate) MarshalJSON() ([]byte, error) {
	type fields ConfigOptionUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"config_option_update", fields(u)})
}

// MarshalJSON adds the tag "session_info_update".
func (u SessionInfoUpdate) MarshalJSON() ([]byte, error) {
	type fields SessionInfoUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"session_info_update", fields(u)})
}

// MarshalJSON adds the tag "usage_update".
func (u UsageUpdate) MarshalJSON() ([]byte, error) {
	type fields UsageUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"usage_update", fields(u)})
}

// MarshalJSON adds the tag "notice".
func (u Notice) MarshalJSON() ([]byte, error) {
	type fields Notice
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"notice", fields(u)})
}

// MarshalJSON adds the tag "compaction_update".
func (u CompactionUpdate) MarshalJSON() ([]byte, error) {
	type fields CompactionUpdate
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"compaction_update", fields(u)})
}

// MarshalJSON adds the tag "compaction_summary_chunk".
func (u CompactionSummaryChunk) MarshalJSON() ([]byte, error) {
	type fields CompactionSummaryChunk
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		fields
	}{"compaction_summary_chunk", fields(u)})
}

func encodeChunk(tag string, c ContentChunk) ([]byte, error) {
	return Encode(struct {
		Kind string `json:"sessionUpdate"`
		ContentChunk
	}{tag, c})
}
