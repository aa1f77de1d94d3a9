package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// settingThinking is the id of the setting, and its category in ACP.
const settingThinking = "thought_level"

// thinkingDefault leaves the level to the model.
const thinkingDefault = "default"

// Settings offer how hard the model thinks, where it can be told.
func (l *Loop) Settings() []Setting {
	if len(l.Info.Thinking) == 0 {
		return nil
	}
	o := Setting{
		ID: settingThinking, Category: settingThinking, Name: "Thinking", Description: "How hard the model thinks before it answers.",
		Value: first(l.thought(), thinkingDefault),
	}
	for _, level := range append([]string{thinkingDefault}, l.Info.Thinking...) {
		o.Choices = append(o.Choices, SettingChoice{Value: level, Name: strings.ToUpper(level[:1]) + level[1:]})
	}
	return []Setting{o}
}

// Set changes a setting from the next request on.
func (l *Loop) Set(_ context.Context, id, value string) error {
	if id != settingThinking || value != thinkingDefault && !slices.Contains(l.Info.Thinking, value) {
		return fmt.Errorf("there is no %s %q; use %s, or one of %s", id, value, thinkingDefault, strings.Join(l.Info.Thinking, ", "))
	}
	if value == thinkingDefault {
		value = ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.thinking = value
	return nil
}

// thought is the level that requests ask for, "" for none.
func (l *Loop) thought() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.Info.Thinking, l.thinking) {
		return ""
	}
	return l.thinking
}

// Commands are what a prompt to a language model may begin with.
func (l *Loop) Commands() []Command {
	if !l.Info.Language {
		return nil
	}
	return []Command{{
		Name: commandCompact, Description: "Replace the conversation so far by a summary, to make room.", Hint: "what to keep above all",
	}}
}
