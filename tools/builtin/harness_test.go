package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
)

// session is a workspace folder with every built-in tool over it.
type session struct {
	t     testing.TB
	dir   string
	view  *workspace.View
	pipe  *tools.Pipeline
	run   *tools.Run
	meta  memory
	cards *recorder
	calls int
}

// newSession makes a session in a new folder.
func newSession(t *testing.T, o Options) *session {
	t.Helper()
	return makeSession(t, t.TempDir(), o)
}

// newSessionAt makes a session in a folder that is there.
func newSessionAt(t testing.TB, dir string) *session { return makeSession(t, dir, Options{}) }

func makeSession(t testing.TB, dir string, o Options) *session {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := tools.NewRegistry()
	if err := Register(r, o); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, dir: dir, pipe: tools.NewPipeline(r, nil), cards: &recorder{}}
	s.view = workspace.New(workspace.Options{}).View(workspace.ViewOptions{Cwd: dir})
	deps := tools.Overrides{}
	tools.Override(deps, Files, s.view)
	tools.Override(deps, Outputs, cache.Open(cache.Options{Dir: filepath.Join(t.TempDir(), "cache")}))
	tools.Override[proc.Runner](deps, Runner, proc.NewLocal(proc.LocalOptions{}))
	s.run = &tools.Run{Session: "s1", Cwd: dir, Roots: []string{dir}, Deps: deps, Metadata: &s.meta, Events: s.cards}
	return s
}

func (s *session) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *session) write(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) file(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *session) exists(name string) bool {
	_, err := os.Lstat(s.path(name))
	return err == nil
}

// call runs one call; args is JSON text or anything that encodes to it.
func (s *session) call(name string, args any) tools.Result {
	s.t.Helper()
	text, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			s.t.Fatal(err)
		}
		text = string(b)
	}
	s.calls++
	return s.pipe.ExecuteRaw(context.Background(), s.run, tools.Call{ID: string(rune('a' + s.calls%26)), Name: name, Arguments: text})
}

// ok runs a call that must succeed and returns its text.
func (s *session) ok(name string, args any) string {
	s.t.Helper()
	r := s.call(name, args)
	if r.IsError {
		s.t.Fatalf("%s %v: %s", name, args, text(r))
	}
	return text(r)
}

// fails runs a call that must fail with the code and returns its text.
func (s *session) fails(code, name string, args any) string {
	s.t.Helper()
	r := s.call(name, args)
	if !r.IsError || r.Error == nil || r.Error.Code != code {
		s.t.Fatalf("%s %v: error %+v, want %s: %s", name, args, r.Error, code, text(r))
	}
	return text(r)
}

func text(r tools.Result) string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// args is short for a JSON object.
type args map[string]any

// memory is session metadata in memory.
type memory struct {
	mu   sync.Mutex
	data map[string]json.RawMessage
}

func (m *memory) Get(key string) json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data[key]
}

func (m *memory) Set(key string, value json.RawMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = map[string]json.RawMessage{}
	}
	if value == nil {
		delete(m.data, key)
	} else {
		m.data[key] = value
	}
	return nil
}

// recorder keeps the cards of the calls.
type recorder struct {
	mu      sync.Mutex
	started presentation.CallView
	planned presentation.CallView
	result  presentation.ResultView
	plan    []presentation.PlanEntry
	updates []tools.Update
}

func (r *recorder) Started(_ tools.Execution, v presentation.CallView, _ bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started, r.planned, r.result, r.updates = v, nil, nil, nil
}

func (r *recorder) Planned(_ tools.Execution, v presentation.CallView) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = v
}

func (r *recorder) Running(tools.Execution) {}

func (r *recorder) Updated(_ tools.Execution, u tools.Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := u.(tools.PlanChange); ok {
		r.plan = p.Entries
	}
	r.updates = append(r.updates, u)
}

func (r *recorder) Finished(_ tools.Execution, _ tools.Result, v presentation.ResultView) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result = v
}

// diffs returns the diffs of the finished card.
func (s *session) diffs() []presentation.FileDiff {
	s.t.Helper()
	v, ok := s.cards.result.(*presentation.DiffResult)
	if !ok {
		s.t.Fatalf("result card is %T", s.cards.result)
	}
	return v.Diffs
}

// callSpec is one call of a batch.
type callSpec struct {
	name string
	args args
}

// batch runs calls as one assistant message.
func (s *session) batch(specs []callSpec) []tools.Result {
	s.t.Helper()
	calls := make([]tools.Call, len(specs))
	for i, c := range specs {
		b, err := json.Marshal(c.args)
		if err != nil {
			s.t.Fatal(err)
		}
		calls[i] = tools.Call{ID: fmt.Sprintf("batch-%d", i), Name: c.name, Arguments: string(b)}
	}
	results, _ := s.pipe.ExecuteBatch(context.Background(), s.run, calls, tools.BatchOptions{})
	return results
}
