package openai

import "testing"

func TestWhatServersSayOfFailures(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":{"message":"m","type":"t","code":"c"}}`:    {"c", "m"},
		`{"error":{"message":"m","type":"t","code":null}}`:   {"t", "m"},
		`{"error":{"message":"m","code":400,"type":"busy"}}`: {"busy", "m"},
		`{"error":"just a text"}`:                            {"", "just a text"},
		`{"message":"at the top"}`:                           {"", "at the top"},
		`{"detail":"in detail"}`:                             {"", "in detail"},
		`not json`:                                           {"", ""},
		``:                                                   {"", ""},
	} {
		if kind, message := described([]byte(body)); kind != want[0] || message != want[1] {
			t.Errorf("%s: %q, %q", body, kind, message)
		}
	}
}

func TestModelsThatThink(t *testing.T) {
	for name, want := range map[string]struct{ responses, chat bool }{
		"gpt-5": {true, true}, "o3": {true, true}, "gpt-4.1": {}, "gpt-4o": {}, "gpt-3.5-turbo": {}, "gpt-5-chat-latest": {}, "m": {responses: true},
		"openai/gpt-oss-120b": {true, true}, "qwen/qwen3-coder": {}, "Qwen3-32B": {true, true}, "llama3.3": {responses: true}, "kimi-k2-thinking": {true, true},
	} {
		if r, c := len(Thinking(name, true)) > 0, len(Thinking(name, false)) > 0; r != want.responses || c != want.chat {
			t.Errorf("%s: responses %t, chat %t", name, r, c)
		}
	}
	for _, tc := range []struct {
		parameters []string
		known, can bool
	}{{nil, false, false}, {[]string{"tools", "reasoning"}, true, true}, {[]string{"tools"}, true, false}} {
		if got := listedThinking(tc.parameters); (got != nil) != tc.known || (len(got) > 0) != tc.can {
			t.Errorf("%q: %v", tc.parameters, got)
		}
	}
}
