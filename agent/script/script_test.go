package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseExplainsWhatIsWrong(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"empty", "", "line 1, column 1: the script ends too early"},
		{"no turns", `{}`, "there are no turns"},
		{"no turns in the list", `{"turns":[]}`, "there are no turns"},
		{"syntax", "{\"turns\":[\n{\"steps\":[{]}]}", "line 2, column 12: invalid character"},
		{"cut off", "{\"turns\":[\n", "line 2, column 1: the script ends too early"},
		{"unknown key", "{\"turns\":[{\"steps\":[\n{\"shout\":\"x\"}]}]}", `line 2, column`},
		{"unknown key is named", `{"turns":[{"steps":[{"shout":"x"}]}]}`, `unknown field "shout"`},
		{"wrong type", `{"turns":[{"steps":[{"say":3}]}]}`, "say is a JSON number, want string"},
		{"something behind", `{"turns":[{"steps":[]}]} x`, "something behind the script"},
		{"empty step", `{"turns":[{"steps":[{"say":"a"},{}]}]}`, "turns[0].steps[1]: a step needs one of say"},
		{"two in one", `{"turns":[{"steps":[]},{"steps":[{"say":"a","think":"b"}]}]}`, "turns[1].steps[0]: a step has one of say"},
		{"no calls", `{"turns":[{"steps":[{"calls":[]}]}]}`, "turns[0].steps[0]: a step needs one of"},
		{"call without a name", `{"turns":[{"steps":[{"calls":[{"name":"a"},{"args":{}}]}]}]}`, "turns[0].steps[0]: calls[1]: a call needs a name"},
		{"args of a wrong kind", `{"turns":[{"steps":[{"calls":[{"name":"a","args":[1]}]}]}]}`, "args must be an object, or a string"},
		{"negative wait", `{"turns":[{"steps":[{"wait_ms":-1}]}]}`, "wait_ms is -1"},
		{"unknown reason", `{"turns":[{"steps":[{"stop":"tired"}]}]}`, `stop is "tired", want one of end_turn, max_tokens`},
	} {
		_, err := Parse([]byte(tc.file))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("bad file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"turns":[{"steps":[{"say":""},{"wait_ms":0},{"stop":"end_turn"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || len(s.Turns[0].Steps) != 3 {
		t.Errorf("good file: %+v, %v", s, err)
	}
}

// FuzzParse checks that no file makes the parser panic, and that what it
// accepts has no step without a kind.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"turns":[{"steps":[{"say":"a"},{"calls":[{"name":"x","args":"{","id":"1"}]},{"error":{"status":5,"message":"m"}}]}]}`))
	f.Add([]byte(`{"turns":[{"steps":[{"wait_ms":1e9}]}]}`))
	f.Add([]byte("{\"turns\"\n:3}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil {
			return
		}
		for _, turn := range s.Turns {
			for _, step := range turn.Steps {
				if step.kinds() != 1 {
					t.Fatalf("%+v", step)
				}
				for _, c := range step.Calls {
					c.text()
				}
			}
		}
	})
}
