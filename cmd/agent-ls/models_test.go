package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/modelserver"
)

// modelKey is the key of the tests; it must come out nowhere.
const modelKey = "sk-the-key-of-the-tests-0123456789"

// modelAPIs are the ways to a model of the test's server: the model, and the
// variables that lead there.
var modelAPIs = map[modelserver.API]struct{ model, base, key, file string }{
	modelserver.Chat:      {"openai:m1", "OPENAI_BASE_URL=%s/v1", "OPENAI_API_KEY", ""},
	modelserver.Responses: {"mine:m1", "", "", "[provider.mine]\nbase_url = \"%s/v1\"\napi = \"responses\"\napi_key_env = \"MINE_KEY\"\n"},
	modelserver.Messages:  {"anthropic:m1", "ANTHROPIC_BASE_URL=%s", "ANTHROPIC_API_KEY", ""},
}

// modelHome is a home whose model is that of a server.
func modelHome(t *testing.T, api modelserver.API, reply func(modelserver.Request) modelserver.Reply) (h home, model string) {
	t.Helper()
	s, err := modelserver.Start(func(q modelserver.Request) modelserver.Reply {
		if got := q.Header.Get("Authorization") + q.Header.Get("X-Api-Key"); !strings.Contains(got, modelKey) {
			t.Errorf("the key is not in the request: %v", q.Header)
		}
		return reply(q)
	}, "m1", "m2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h = newHome(t)
	way := modelAPIs[api]
	if way.file != "" {
		file := filepath.Join(h.dir, "models.toml")
		if err := os.WriteFile(file, fmt.Appendf(nil, way.file, s.URL), 0o600); err != nil {
			t.Fatal(err)
		}
		h.env = append(h.env, "AGENT_LS_CONFIG="+file, "MINE_KEY="+modelKey)
		return h, way.model
	}
	h.env = append(h.env, fmt.Sprintf(way.base, s.URL), way.key+"="+modelKey)
	return h, way.model
}

// A model edits a file and runs a command, through the program as it is built.
func TestModelsWork(t *testing.T) {
	for api := range modelAPIs {
		t.Run(string(api), func(t *testing.T) {
			h, model := modelHome(t, api, func(q modelserver.Request) modelserver.Reply {
				if !bytes.Contains(q.Body, []byte("be kind to the tests")) {
					t.Error("AGENTS.md is not in the request")
				}
				r := modelserver.Reply{Pieces: 9, Chunk: 7, Usage: modelserver.Usage{Input: 100, Output: 10, Cached: 50}}
				switch q.Results {
				case 0:
					r.Thought = "a file, 一个文件"
					r.Calls = []modelserver.Call{
						{ID: "call_0", Name: "write", Arguments: `{"file_path":"a.txt","content":"größer\n"}`},
						{ID: "call_0", Name: "bash", Arguments: `{"command":"echo $((40+2))"}`},
					}
				case 2:
					if !bytes.Contains(q.Body, []byte("42")) {
						t.Errorf("the result is not in the request:\n%s", q.Body)
					}
					r.Text = "fertig 👍"
				}
				return r
			})
			if err := os.WriteFile(filepath.Join(h.cwd, "AGENTS.md"), []byte("be kind to the tests"), 0o644); err != nil {
				t.Fatal(err)
			}
			record := filepath.Join(h.dir, "record")
			c := connect(t, h, "--model", model, "--record", record)
			c.open(h)
			awaitModels(c)
			seen := sessionUpdates(c, c.prompt("write a file"))
			for _, want := range []string{`"type":"diff"`, "fertig 👍", "一个文件", `"used":110`, `"size":100000`, `"stopReason":"end_turn"`} {
				if !strings.Contains(seen, want) {
					t.Errorf("%s is not in\n%s", want, seen)
				}
			}
			if text, err := os.ReadFile(filepath.Join(h.cwd, "a.txt")); err != nil || string(text) != "größer\n" {
				t.Errorf("%q, %v", text, err)
			}
			playRecording(t, h, filepath.Join(record, c.session+".script.json"))
			if found := findKey(t, h.dir); len(found) > 0 {
				t.Errorf("the key is in %q", found)
			}
		})
	}
}

// playRecording plays what was recorded, in a fresh folder.
func playRecording(t *testing.T, h home, file string) {
	t.Helper()
	h.cwd = t.TempDir()
	out, code := h.output(t, "run", "--mode", "full-access", "--model", "script:"+file, "anything")
	if text, err := os.ReadFile(filepath.Join(h.cwd, "a.txt")); code != 0 || err != nil || string(text) != "größer\n" || !strings.Contains(out, "fertig 👍") {
		t.Errorf("the recording plays with exit status %d, %q, %v:\n%s", code, text, err, out)
	}
}

// awaitModels waits until the program knows the models of the server.
func awaitModels(c *client) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		options := c.call("session/set_config_option", map[string]any{"sessionId": c.session, "configId": "mode", "value": "full-access"})
		if strings.Contains(string(options), `:m2"`) {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the models of the server are not there: %s", options)
		}
	}
}

// sessionUpdates returns all that comes until a request is answered, and what
// the agent thought and said, in one piece each.
func sessionUpdates(c *client, id string) string {
	var all, thought, said strings.Builder
	c.until("the answer", func(m message) bool {
		var p struct {
			Update struct {
				SessionUpdate string
				Content       json.RawMessage
			}
		}
		var content struct{ Text string }
		if json.Unmarshal(m.Params, &p) == nil && json.Unmarshal(p.Update.Content, &content) == nil {
			switch p.Update.SessionUpdate {
			case "agent_thought_chunk":
				thought.WriteString(content.Text)
			case "agent_message_chunk":
				said.WriteString(content.Text)
			}
		}
		fmt.Fprintf(&all, "%s%s\n", m.Params, m.Result)
		return m.Method == "" && string(m.ID) == id
	})
	return fmt.Sprintf("%s%s\n%s\n", &all, &thought, &said)
}

// findKey lists the files below dir that hold the key.
func findKey(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(modelKey)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A key that is refused asks the user to log in. It is in no answer, log, wire
// log, recording or session, whatever the server says of it.
func TestKeysStaySecret(t *testing.T) {
	for api := range modelAPIs {
		t.Run(string(api), func(t *testing.T) {
			h, model := modelHome(t, api, func(modelserver.Request) modelserver.Reply {
				body, err := json.Marshal(map[string]any{"error": map[string]any{"type": "authentication_error", "message": "Incorrect API key: " + modelKey}})
				if err != nil {
					t.Error(err)
				}
				return modelserver.Reply{Status: 401, Body: string(body)}
			})
			c := connect(t, h, "--model", model, "--wire-log", filepath.Join(h.dir, "wire"), "--log", filepath.Join(h.dir, "log"),
				"--log-level", "debug", "--record", filepath.Join(h.dir, "record"))
			hello := c.call("initialize", map[string]any{"protocolVersion": 1})
			prefix, _, _ := strings.Cut(model, ":")
			if !strings.Contains(string(hello), `"id":"`+prefix+`"`) {
				t.Errorf("no login is offered: %s", hello)
			}
			c.session = c.newSession(h, nil)
			m := c.answer(c.prompt("hello"))
			if m.Error == nil || m.Error.Code != -32000 || !strings.Contains(m.Error.Message, "Incorrect API key: [key]") || !strings.Contains(string(m.Error.Data), `{"kind":"provider","status":401,"authMethods":[{"id":"`+prefix+`"`) {
				t.Errorf("answered %+v", m.Error)
			}
			c.call("authenticate", map[string]any{"methodId": prefix})
			if err := c.in.Close(); err != nil {
				t.Fatal(err)
			}
			c.left()
			if found := findKey(t, h.dir); len(found) > 0 {
				t.Errorf("the key is in %q", found)
			}
		})
	}
}

// A cancel ends the request, wherever it is, and the next prompt works.
func TestCancelledRequests(t *testing.T) {
	for api := range modelAPIs {
		t.Run(string(api), func(t *testing.T) {
			streaming, gone := make(chan struct{}, 1), make(chan struct{}, 1)
			h, model := modelHome(t, api, func(q modelserver.Request) modelserver.Reply {
				if q.Number > 1 {
					return modelserver.Reply{Text: "still here"}
				}
				return modelserver.Reply{Text: "one two three", Pieces: 3, Hold: func(event int) {
					if event == 4 {
						streaming <- struct{}{}
						<-q.Gone
						gone <- struct{}{}
					}
				}}
			})
			c := connect(t, h, "--model", model)
			c.open(h)
			id := c.prompt("go")
			<-streaming
			c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, c.session))
			if m := c.answer(id); !strings.Contains(string(m.Result), `"cancelled"`) {
				t.Errorf("answered %s %+v", m.Result, m.Error)
			}
			<-gone
			if seen := sessionUpdates(c, c.prompt("again")); !strings.Contains(seen, "still here") {
				t.Errorf("the next prompt: %s", seen)
			}
		})
	}
}

// Failures that may pass are tried again, after the time that the server asks
// for; the models that the server lists become known.
func TestBusyServersAndTheirModels(t *testing.T) {
	h, model := modelHome(t, modelserver.Chat, func(q modelserver.Request) modelserver.Reply {
		if q.Number == 1 {
			return modelserver.Reply{Status: 429, Header: map[string]string{"Retry-After-Ms": "1"}}
		}
		return modelserver.Reply{Text: "here I am"}
	})
	c := connect(t, h, "--model", model)
	c.initialize()
	c.session = c.newSession(h, nil)
	awaitModels(c)
	if seen := sessionUpdates(c, c.prompt("hello")); !strings.Contains(seen, "here I am") {
		t.Errorf("seen %s", seen)
	}
}

func TestOllamaAddresses(t *testing.T) {
	for host, want := range map[string]string{
		"": "http://127.0.0.1:11434/v1", "gpu": "http://gpu:11434/v1", "gpu:8080": "http://gpu:8080/v1", "0.0.0.0": "http://127.0.0.1:11434/v1",
		"https://gpu.example": "https://gpu.example/v1", "http://gpu:1/v1": "http://gpu:1/v1", "http://gpu:1/": "http://gpu:1/v1",
		"[::]:11434": "http://127.0.0.1:11434/v1",
	} {
		if got := ollamaURL(host); got != want {
			t.Errorf("%q is %s, want %s", host, got, want)
		}
	}
}

func TestModelsForOtherThingsAreNotOffered(t *testing.T) {
	names := []string{"gpt-5", "text-embedding-3", "whisper-1", "claude-sonnet-4-5", "gpt-image-1", "qwen3-coder"}
	got := slices.DeleteFunc(names, func(n string) bool { return !converses(n) })
	if !slices.Equal(got, []string{"gpt-5", "claude-sonnet-4-5", "qwen3-coder"}) {
		t.Errorf("%q", got)
	}
}

// The configuration of docs/models.md loads, and leads to five servers.
func TestDocumentedProviders(t *testing.T) {
	dir := t.TempDir()
	for _, d := range documents(t) {
		if d.path != "docs/models.md" {
			continue
		}
		for _, f := range d.fences() {
			if f.lang == "toml" {
				if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(strings.Join(f.lines, "\n")), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[config.Provider]().NumField() {
		if key := snake(reflect.TypeFor[config.Provider]().Field(i).Name); !regexp.MustCompile("(?m)^" + key + " = .*#|`" + key + "`").Match(text) {
			t.Errorf("the key %s is not explained", key)
		}
	}
	c, err := config.Load(config.Sources{Cwd: dir, Home: dir, Environ: []string{"AGENT_LS_CONFIG=config.toml"}})
	if err != nil {
		t.Fatal(err)
	}
	m := newModels(c, slog.New(slog.DiscardHandler))
	defer m.close()
	for model, want := range map[string]struct {
		place string
		size  int64
	}{
		"anthropic:a": {"its usual address", 0}, "openai:a": {"its usual address", 0}, "ollama:a": {"http://gpu.example:11434/v1", 32768},
		"router:a": {"https://openrouter.ai/api/v1", 0}, "local:a": {"http://127.0.0.1:8080/v1", 65536},
	} {
		info, ok := m.info(model)
		prefix, _, _ := strings.Cut(model, ":")
		if got := m.servers[prefix].settings.place(); !ok || got != want.place || info.ContextSize != want.size {
			t.Errorf("%s is at %s, %+v", model, got, info)
		}
	}
	var offered []string
	for _, info := range m.list() {
		offered = append(offered, info.ID)
	}
	if want := []string{"anthropic:claude-sonnet-4-5", "direct", "openai:gpt-5", "router:qwen/qwen3-coder"}; !slices.Equal(offered, want) {
		t.Errorf("offers %q, want %q", offered, want)
	}
}

// snake is the key of a field: APIKeyCmd is api_key_cmd.
func snake(field string) string {
	words := regexp.MustCompile("API|URL|[A-Z][a-z]+").FindAllString(field, -1)
	return strings.ToLower(strings.Join(words, "_"))
}
