package acp

import (
	"encoding/json"
	"reflect"
	"slices"
)

// union describes an interface type whose arms are told apart by the string
// member tag.
type union struct {
	tag  string
	arms map[string]reflect.Type
	// untagged picks the arm of a value without a tag; nil: there is none.
	untagged func(members map[string]json.RawMessage) reflect.Type
}

// pick returns the type of the arm, nil for none.
func (u union) pick(members map[string]json.RawMessage) reflect.Type {
	var tag string
	if raw := present(members[u.tag]); raw != nil {
		if json.Unmarshal(raw, &tag) != nil {
			return nil
		}
		return u.arms[tag]
	}
	if u.untagged == nil {
		return nil
	}
	return u.untagged(members)
}

// names lists the tags, for error messages.
func (u union) names() []string {
	names := make([]string, 0, len(u.arms))
	for name := range u.arms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unions are the unions of the protocol; their arms encode their own tags.
var unions = map[reflect.Type]union{
	reflect.TypeFor[ContentBlock](): {tag: "type", arms: map[string]reflect.Type{
		"text":          reflect.TypeFor[TextContent](),
		"image":         reflect.TypeFor[ImageContent](),
		"audio":         reflect.TypeFor[AudioContent](),
		"resource_link": reflect.TypeFor[ResourceLink](),
		"resource":      reflect.TypeFor[EmbeddedResource](),
	}},
	reflect.TypeFor[ResourceContents](): {untagged: func(members map[string]json.RawMessage) reflect.Type {
		if _, ok := members["text"]; ok {
			return reflect.TypeFor[TextResourceContents]()
		}
		return reflect.TypeFor[BlobResourceContents]()
	}},
	reflect.TypeFor[ToolCallContent](): {tag: "type", arms: map[string]reflect.Type{
		"content":  reflect.TypeFor[Content](),
		"diff":     reflect.TypeFor[Diff](),
		"terminal": reflect.TypeFor[Terminal](),
	}},
	reflect.TypeFor[SessionUpdate](): {tag: "sessionUpdate", arms: map[string]reflect.Type{
		"user_message_chunk":        reflect.TypeFor[UserMessageChunk](),
		"agent_message_chunk":       reflect.TypeFor[AgentMessageChunk](),
		"agent_thought_chunk":       reflect.TypeFor[AgentThoughtChunk](),
		"tool_call":                 reflect.TypeFor[ToolCall](),
		"tool_call_update":          reflect.TypeFor[ToolCallUpdate](),
		"plan":                      reflect.TypeFor[Plan](),
		"available_commands_update": reflect.TypeFor[AvailableCommandsUpdate](),
		"current_mode_update":       reflect.TypeFor[CurrentModeUpdate](),
		"config_option_update":      reflect.TypeFor[ConfigOptionUpdate](),
		"session_info_update":       reflect.TypeFor[SessionInfoUpdate](),
		"usage_update":              reflect.TypeFor[UsageUpdate](),
		"notice":                    reflect.TypeFor[Notice](),
		"compaction_update":         reflect.TypeFor[CompactionUpdate](),
		"compaction_summary_chunk":  reflect.TypeFor[CompactionSummaryChunk](),
	}},
	reflect.TypeFor[SessionConfigOption](): {tag: "type", arms: map[string]reflect.Type{
		"select":  reflect.TypeFor[SessionConfigSelect](),
		"boolean": reflect.TypeFor[SessionConfigBoolean](),
	}},
	reflect.TypeFor[AuthMethod](): {tag: "type", arms: map[string]reflect.Type{
		"terminal": reflect.TypeFor[AuthMethodTerminal](),
	}, untagged: func(map[string]json.RawMessage) reflect.Type { return reflect.TypeFor[AuthMethodAgent]() }},
	reflect.TypeFor[McpServer](): {tag: "type", arms: map[string]reflect.Type{
		"http": reflect.TypeFor[McpServerHTTP](),
		"sse":  reflect.TypeFor[McpServerSSE](),
	}, untagged: func(map[string]json.RawMessage) reflect.Type { return reflect.TypeFor[McpServerStdio]() }},
	reflect.TypeFor[RequestPermissionOutcome](): {tag: "outcome", arms: map[string]reflect.Type{
		"cancelled": reflect.TypeFor[CancelledPermissionOutcome](),
		"selected":  reflect.TypeFor[SelectedPermissionOutcome](),
	}},
}
