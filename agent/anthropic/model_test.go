package anthropic

import "testing"

func TestModelsThatDecideHowLongTheyThink(t *testing.T) {
	for name, want := range map[string]bool{
		"claude-3-7-sonnet-20250219": false, "claude-sonnet-4-20250514": false, "claude-opus-4-1": false, "claude-haiku-4-5": false,
		"claude-opus-4-6": true, "claude-sonnet-5": true,
	} {
		if got := adaptive(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestModelsThatThink(t *testing.T) {
	for name, want := range map[string]bool{
		"claude-3-5-sonnet-20241022": false, "claude-3-opus-20240229": false, "claude-3-7-sonnet-20250219": true, "claude-sonnet-4-5": true,
		"claude-opus-5": true, "anthropic/claude-haiku-4-5": true, "some-other-model": false,
	} {
		if got := len(Thinking(name)) > 0; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
