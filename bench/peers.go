package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/internal/modelserver"
)

// modelMetrics are what is measured of agents that work with a model's server.
var modelMetrics = []metric{
	{"initialize", "start to initialize answered", "ms"},
	{"new", "session/new", "ms"},
	{"reads", "a turn of calls that read a file", "ms"},
	{"commands", "a turn of commands", "ms"},
	{"peak", "peak memory of all processes", "MiB"},
	{"exit", "end of input to exit", "ms"},
}

// warmCalls is how many calls the model makes in a turn of a run that only warms
// up.
const warmCalls = 5

// modelUse is how an agent is made to work with a model's server.
type modelUse struct {
	name string
	// auth is the method to authenticate with, "" for none.
	auth string
	// setup writes the agent's configuration into its home and returns what
	// else its command line and its environment need.
	setup func(home, url string) (args, env []string, err error)
	// read and command are the calls by which the model reads the file and runs
	// "true" with this agent's tools.
	read, command func(file string) modelserver.Call
}

// call is a call with these arguments.
func call(name string, arguments any) modelserver.Call {
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // maps of texts
	}
	return modelserver.Call{Name: name, Arguments: string(text)}
}

// ours is this tree's program, over chat completions.
var ours = modelUse{
	name: "agent-ls",
	setup: func(_, url string) (args, env []string, err error) {
		return []string{"--model", "openai:bench"}, []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=none"}, nil
	},
	read:    func(file string) modelserver.Call { return call("read", map[string]string{"file_path": file}) },
	command: func(string) modelserver.Call { return call("bash", map[string]string{"command": "true"}) },
}

// fromNPM are the peers, by the names of their packages, with the command that
// serves ACP.
var fromNPM = []struct {
	pkg     string
	command []string
	use     modelUse
}{
	{"opencode-ai", []string{"opencode", "acp"}, modelUse{
		name: "opencode", setup: setupOpencode,
		read: func(file string) modelserver.Call { return call("read", map[string]string{"filePath": file}) },
		command: func(string) modelserver.Call {
			return call("bash", map[string]string{"command": "true", "description": "Does nothing"})
		},
	}},
	{"@zed-industries/codex-acp", []string{"codex-acp"}, modelUse{
		name: "codex-acp", auth: "codex-api-key", setup: setupCodex,
		read: func(file string) modelserver.Call {
			return call("shell_command", map[string]string{"command": "cat " + file})
		},
		command: func(string) modelserver.Call { return call("shell_command", map[string]string{"command": "true"}) },
	}},
}

// setupOpencode lets opencode speak chat completions with the server, and do
// everything without asking.
func setupOpencode(home, url string) (args, env []string, err error) {
	config := map[string]any{
		"model": "bench/bench", "small_model": "bench/bench", "autoupdate": false, "share": "disabled",
		"permission": map[string]string{"edit": "allow", "bash": "allow", "webfetch": "allow"},
		"provider": map[string]any{"bench": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "bench",
			"options": map[string]string{"baseURL": url + "/v1", "apiKey": "none"},
			"models":  map[string]any{"bench": map[string]any{"name": "bench", "tool_call": true}},
		}},
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(home, "opencode.json")
	env = []string{
		"OPENCODE_CONFIG=" + file, "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}
	return nil, env, os.WriteFile(file, text, 0o600)
}

// setupCodex lets codex speak responses, which is all it speaks, with the
// server, and do everything without asking.
func setupCodex(home, url string) (args, env []string, err error) {
	config := fmt.Sprintf(`model = "bench"
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.bench]
name = "bench"
base_url = "%s/v1"
wire_api = "responses"
env_key = "CODEX_API_KEY"
`, url)
	dir := filepath.Join(home, ".codex")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	return nil, []string{"CODEX_API_KEY=none"}, os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600)
}

// modelAgents are our program and the peers, which are installed where they are
// not yet.
func modelAgents(ctx context.Context, command []string, calls int, dir string, log io.Writer) ([]*agent, error) {
	agents := []*agent{{command: command, model: &ours, calls: calls}}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range fromNPM {
		program := filepath.Join(dir, "node_modules", ".bin", p.command[0])
		if _, err := os.Stat(program); err != nil {
			fmt.Fprintf(log, "installing %s\n", p.pkg)
			npm := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", p.pkg)
			if text, err := npm.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("npm install %s: %w\n%s", p.pkg, err, text)
			}
		}
		agents = append(agents, &agent{command: append([]string{program}, p.command[1:]...), model: &p.use, calls: calls})
	}
	return agents, nil
}

// script is what the model does in the turn that runs.
type script struct {
	mu   sync.Mutex
	call modelserver.Call
	left int
	made int // of all turns
}

// begin makes a turn of n calls.
func (s *script) begin(c modelserver.Call, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call, s.left = c, n
}

// reply makes the next call, or ends the turn. Requests without tools are for
// something else, such as a title.
func (s *script) reply(q modelserver.Request) modelserver.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := modelserver.Reply{Text: "done", Usage: modelserver.Usage{Input: 1000, Output: 10}}
	if q.Tools == 0 || s.left == 0 {
		return r
	}
	s.left--
	s.made++
	c := s.call
	c.ID = fmt.Sprintf("call_%d", s.made)
	r.Text, r.Calls = "", []modelserver.Call{c}
	return r
}

// runModel measures one fresh process with a server of its own, in turns of so
// many calls.
func (a *agent) runModel(ctx context.Context, dir string, calls int) (sample, error) {
	var model script
	server, err := modelserver.Start(model.reply, "bench")
	if err != nil {
		return nil, err
	}
	defer server.Close()
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	args, env, err := a.model.setup(home, server.URL)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, append(a.command[:len(a.command):len(a.command)], args...), env, dir)
	if err != nil {
		return nil, err
	}
	defer c.kill()
	s := sample{}
	if err := s.openModel(c, a.model.auth); err != nil {
		return nil, err
	}
	if err := s.modelTurns(c, a.model, &model, calls); err != nil {
		return nil, err
	}
	if _, peak, ok := c.memory(); ok {
		s["peak"] = peak
	}
	return s, s.leave(c)
}

// openModel initializes, logs in where that is needed, and opens a session.
func (s sample) openModel(c *client, auth string) error {
	if err := c.initialize(); err != nil {
		return err
	}
	s.took("initialize", c.started, 1)
	if auth != "" {
		if err := c.call("authenticate", map[string]any{"methodId": auth}, &struct{}{}); err != nil {
			return err
		}
	}
	begin := time.Now()
	if err := c.newSession(); err != nil {
		return err
	}
	s.took("new", begin, 1)
	return c.allowAll()
}

// modelTurns measures the turns of one session.
func (s sample) modelTurns(c *client, use *modelUse, model *script, calls int) error {
	file := filepath.Join(c.cwd, "a.txt")
	if err := os.WriteFile(file, []byte("one line of text\n"), 0o644); err != nil {
		return err
	}
	for _, turn := range []struct {
		key  string
		call modelserver.Call
	}{{"reads", use.read(file)}, {"commands", use.command(file)}} {
		model.begin(turn.call, calls)
		begin := time.Now()
		done, err := c.prompt("do as you are told")
		if err != nil {
			return err
		}
		if done.completed >= calls {
			s.took(turn.key, begin, 1)
		}
	}
	return nil
}
