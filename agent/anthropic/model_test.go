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
