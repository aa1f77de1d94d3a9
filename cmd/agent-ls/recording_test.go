package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/internal/modelserver"
)

// said is what the agent says in a turn.
func said(t *testing.T, c *client, prompt string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(sessionUpdates(c, c.prompt(prompt))), "\n")
	return lines[len(lines)-1]
}

// A session whose conversation is replaced by a summary, by /compact and because
// it is full, is recorded so that it plays turn for turn.
func TestRecordingAcrossCompactions(t *testing.T) {
	for api := range modelAPIs {
		t.Run(string(api), func(t *testing.T) {
			h, model := modelHome(t, api, conversation(t))
			prompts := []string{"prompt-one", "/compact", "prompt-two", "prompt-three"}
			want := []string{"the first answer", "", "the second answer", "the third answer"}
			play := func(args ...string) (answers []string, session string) {
				c := connect(t, h, append(args, "--mode", "full-access")...)
				c.open(h)
				if !strings.HasPrefix(args[1], "script:") {
					awaitModels(c) // the size of the context is among them
				}
				for i, p := range prompts {
					text := said(t, c, p)
					if want[i] == "" {
						text = ""
					}
					answers = append(answers, text)
				}
				return answers, c.session
			}
			record := filepath.Join(h.dir, "record")
			got, session := play("--model", model, "--record", record)
			if !slices.Equal(got, want) || h.text(t, "log") != "work\nwork\n" {
				t.Errorf("live %q, log %q", got, h.text(t, "log"))
			}
			h.cwd = t.TempDir()
			again, _ := play("--model", "script:"+filepath.Join(record, session+".script.json"))
			if !slices.Equal(again, want) || h.text(t, "log") != "work\nwork\n" {
				t.Errorf("played %q, log %q", again, h.text(t, "log"))
			}
		})
	}
}

// conversation is a model that runs a command in its second and third turn; in the
// third one the context is full when the command has run.
func conversation(t *testing.T) func(modelserver.Request) modelserver.Reply {
	summaries := 0
	return func(q modelserver.Request) modelserver.Reply {
		work := modelserver.Call{ID: "c", Name: "bash", Arguments: `{"command":"echo work >>log"}`}
		switch has := func(text string) bool { return bytes.Contains(q.Body, []byte(text)) }; {
		case q.Tools == 0:
			summaries++
			return modelserver.Reply{Text: fmt.Sprintf("summary %d", summaries)}
		case has("prompt-three") && has("summary 2"):
			return modelserver.Reply{Text: "the third answer"}
		case has("prompt-three"):
			return modelserver.Reply{Calls: []modelserver.Call{work}, Usage: modelserver.Usage{Input: 99_000, Output: 900}}
		case has("prompt-two") && q.Results == 0:
			return modelserver.Reply{Calls: []modelserver.Call{work}}
		case has("prompt-two"):
			return modelserver.Reply{Text: "the second answer"}
		case has("prompt-one"):
			return modelserver.Reply{Text: "the first answer"}
		}
		t.Errorf("a request about nothing: %s", q.Body)
		return modelserver.Reply{}
	}
}

// A prompt that waits for the command that prints the key is cancelled at once,
// and the next prompt works.
func TestCancelWhileTheKeyIsFetched(t *testing.T) {
	h, _ := modelHome(t, modelserver.Chat, func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Text: "here I am"} })
	begun, end := filepath.Join(h.dir, "begun"), filepath.Join(h.dir, "end")
	file := filepath.Join(h.dir, "key.toml")
	script := fmt.Sprintf("touch %s; until test -e %s; do sleep 0.02; done; echo %s", begun, end, modelKey)
	if err := os.WriteFile(file, fmt.Appendf(nil, "[openai]\napi_key_cmd = [\"sh\", \"-c\", %q]\n", script), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, h, "--config", file, "--model", "openai:m1")
	c.open(h)
	id := c.prompt("hello")
	for {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond) // the command says in a file that it runs
	}
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, c.session))
	if m := c.answer(id); !strings.Contains(string(m.Result), `"cancelled"`) { // though the command still waits
		t.Errorf("answered %s %+v", m.Result, m.Error)
	}
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if text := said(t, c, "again"); text != "here I am" {
		t.Errorf("the next prompt: %q", text)
	}
}
