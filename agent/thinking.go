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
	levels := l.levels()
	if len(levels) == 0 {
		return nil
	}
	o := Setting{
		ID: settingThinking, Category: settingThinking, Name: "Thinking", Description: "How hard the model thinks before it answers.",
		Value: first(l.thought(), thinkingDefault),
	}
	for _, level := range append([]string{thinkingDefault}, levels...) {
		o.Choices = append(o.Choices, SettingChoice{Value: level, Name: strings.ToUpper(level[:1]) + level[1:]})
	}
	return []Setting{o}
}

// Set changes a setting from the next request on.
func (l *Loop) Set(_ context.Context, id, value string) error {
	if levels := l.levels(); id != settingThinking || value != thinkingDefault && !slices.Contains(levels, value) {
		return fmt.Errorf("there is no %s %q; use %s, or one of %s", id, value, thinkingDefault, strings.Join(levels, ", "))
	}
	if value == thinkingDefault {
		value = ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.thinking = value
	return nil
}

// levels are how hard the model can be told to think.
func (l *Loop) levels() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.learned != nil {
		return *l.learned
	}
	return l.Info.Thinking
}

// learn takes what became known of that.
func (l *Loop) learn(levels []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learned = &levels
}

// thought is the level that requests ask for, "" for none.
func (l *Loop) thought() string {
	levels := l.levels()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(levels, l.thinking) {
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
