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
	for name, want := range map[string]bool{"gpt-5": true, "o3": true, "gpt-4.1": false, "gpt-4o": false, "gpt-3.5-turbo": false, "m": true} {
		if got := reasons(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
