package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/direct"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// setup is a server with its world: a workspace, a state folder, an editor.
type setup struct {
	*editor
	dir, state string
	server     *Server
	// served is what Serve returned, once.
	served chan served
}

type served struct {
	clean bool
	err   error
}

// world says how a server under test is made.
type world struct {
	mode   permission.Mode // full-access when empty
	change func(o *Options, b *Backend)
	hub    func(c *agent.Config)
	raw    bool // no handshake
	params func(map[string]any)
	times  editTimes // zero fields: patience
	files  map[string]string
}

// pipes is one end of a connection of two pipes.
type pipes struct {
	io.Reader
	io.WriteCloser
	in io.Closer
}

func (p pipes) Close() error { return errors.Join(p.WriteCloser.Close(), p.in.Close()) }

// start starts a server and an editor of a personality at its other end.
func start(t *testing.T, name string, w world) *setup {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{dir: filepath.Join(dir, "ws"), state: filepath.Join(dir, "state"), served: make(chan served, 1)}
	for _, d := range []string{s.dir, s.state} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range w.files {
		s.write(t, name, text)
	}
	o := Options{Logger: testLogger(t), Version: "test", Open: s.opener(t, w)}
	if w.change != nil {
		w.change(&o, nil)
	}
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	s.server = New(pipes{toServer, fromServer, toServer}, o)
	s.server.times = w.times.patient()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		clean, err := s.server.Serve(ctx)
		s.served <- served{clean, err}
	}()
	t.Cleanup(func() { // after the editor's own, which closes its end
		cancel()
		s.server.Close()
		fromServer.Close()
		if err := s.server.conn.close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("close: %v", err)
		}
	})
	s.editor = connect(t, personalities[name], s.dir, toEditor, fromEditor)
	if !w.raw {
		s.initialize(w.params)
	}
	return s
}

// patient gives a busy machine time for the steps that no test cuts short.
func (e editTimes) patient() editTimes {
	return editTimes{cmp.Or(e.answer, patience), cmp.Or(e.confirm, patience), cmp.Or(e.save, patience)}
}

// opener wires a program with the built-in tools and the direct model.
func (s *setup) opener(t *testing.T, w world) func(Setup) (*Backend, error) {
	return func(Setup) (*Backend, error) {
		registry := tools.NewRegistry()
		if err := builtin.Register(registry, builtin.Options{}); err != nil {
			return nil, err
		}
		space := workspace.New(workspace.Options{})
		local := proc.NewLocal(proc.LocalOptions{})
		config := agent.Config{
			Workspace: space, Registry: registry, StateDir: s.state,
			Grants:      permission.OpenGrants(filepath.Join(s.state, "grants.json")),
			DefaultMode: first(w.mode, permission.FullAccess), DefaultModel: direct.Info().ID,
			OpenModel: openDirect,
			Deps: func(session *agent.Session) tools.Overrides {
				deps := tools.Overrides{}
				deps[builtin.Files.ID] = func(_ context.Context, tc *tools.Context) (any, error) { return session.ViewFor(tc), nil }
				tools.Override[proc.Runner](deps, builtin.Runner, local)
				return deps
			},
		}
		if w.hub != nil {
			w.hub(&config)
		}
		hub := agent.NewHub(config)
		t.Cleanup(func() { hub.Close(); local.Close() })
		b := &Backend{Hub: hub, Workspace: space, StateDir: s.state, Cwd: s.dir}
		if w.change != nil {
			w.change(nil, b)
		}
		return b, nil
	}
}

func openDirect(id string) (agent.Model, agent.ModelInfo, error) {
	if id != direct.Info().ID {
		return nil, agent.ModelInfo{}, errors.New("unknown model; the only one is direct")
	}
	return direct.New(), direct.Info(), nil
}

func testLogger(t *testing.T) *slog.Logger {
	if testing.Verbose() {
		return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

func (s *setup) write(t *testing.T, rel, text string) {
	t.Helper()
	path := filepath.Join(s.dir, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// disk is the text of a file.
func (s *setup) disk(t *testing.T, rel string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, rel))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// call is a line of a prompt.
func call(tool string, args map[string]any) string {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return "/" + tool + " " + string(data)
}

// swap reads a file and replaces a text of it.
func (s *setup) swap(rel, from, to string) string {
	path := s.path(rel)
	return call("read", map[string]any{"file_path": path}) + "\n" +
		call("edit", map[string]any{"file_path": path, "old_string": from, "new_string": to})
}

// code is that of an error answer, 0 for any other error.
func code(err error) int {
	var f *wireFault
	if errors.As(err, &f) {
		return f.Code
	}
	return 0
}

var discard = slog.New(slog.DiscardHandler)

// fileWrite is a write that makes one edit of a file.
func fileWrite(path, before string, e diff.Edit) workspace.FileWrite {
	after, err := diff.Apply(before, []diff.Edit{e})
	if err != nil {
		panic(err)
	}
	return workspace.FileWrite{Path: path, Before: workspace.NewHandle(path, before), After: after, Edits: []diff.Edit{e}}
}
