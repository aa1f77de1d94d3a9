package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/acp/host"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
)

// bed is a session with a hosted fake agent.
type bed struct {
	*testing.T
	dir      string // of the session
	state    string
	agent    fake
	config   host.Config
	mode     permission.Mode
	answer   func(q agent.Question) agent.Answer // nil: there is nobody to ask
	overlay  workspace.Overlay
	appliers []workspace.Applier
	ledger   *ledger

	host    *host.Agent
	hub     *agent.Hub
	session *agent.Session
	sink    *recorded
	asked   []agent.Question
}

// newBed returns a bed; open opens its session.
func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, dir: realDir(t), state: t.TempDir(), mode: permission.AskMode, ledger: &ledger{}, sink: newRecorded()}
	b.config = host.Config{Name: "fake"}
	return b
}

func realDir(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (b *bed) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bed) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) read(name string) string {
	b.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// start makes the hub.
func (b *bed) start() {
	b.Helper()
	raw, err := json.Marshal(b.agent)
	if err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	if b.config.Command == "" {
		b.config.Command = self
	}
	b.config.Env = map[string]string{fakeVariable: string(raw)}
	local := proc.NewLocal(proc.LocalOptions{})
	w := workspace.New(workspace.Options{})
	if b.overlay != nil {
		w.SetOverlay(b.overlay)
	}
	b.host = host.NewAgent(b.config, host.Options{Dir: b.dir, Runner: local, Version: "test"})
	b.hub = agent.NewHub(agent.Config{
		Workspace: w, StateDir: b.state, DefaultMode: b.mode, DefaultModel: host.Prefix + "fake",
		Grants:   permission.OpenGrants(filepath.Join(b.state, "grants.json")),
		Recorder: func(_ *agent.Session, call string) workspace.Recorder { return b.ledger.of(call) },
		OpenDriver: func(s *agent.Session, id string) (agent.Driver, agent.ModelInfo, bool, error) {
			return host.New(s, b.host), b.host.Info(), true, nil
		},
	})
	b.Cleanup(func() {
		b.hub.Close()
		b.host.Close()
		local.Close()
	})
}

// open opens a new session.
func (b *bed) open() *bed {
	b.Helper()
	b.start()
	s, err := b.hub.New(b.Context(), b.options())
	if err != nil {
		b.Fatal(err)
	}
	b.session = s
	return b
}

func (b *bed) options() agent.SessionOptions {
	front := agent.FrontEnd{Sink: b.sink, Appliers: b.appliers}
	if b.answer != nil {
		front.Asker = b
	}
	return agent.SessionOptions{Cwd: b.dir, FrontEnd: front}
}

// Ask answers as the test says.
func (b *bed) Ask(_ context.Context, q agent.Question) (agent.Answer, error) {
	b.asked = append(b.asked, q)
	return b.answer(q), nil
}

// prompt runs a turn of steps and returns what the agent said in it.
func (b *bed) prompt(steps ...step) (said string, reason agent.StopReason, err error) {
	b.Helper()
	return b.promptWith(b.Context(), steps...)
}

func (b *bed) promptWith(ctx context.Context, steps ...step) (said string, reason agent.StopReason, err error) {
	b.Helper()
	raw, err := json.Marshal(steps)
	if err != nil {
		b.Fatal(err)
	}
	from := len(b.sink.all())
	reason, err = b.session.Prompt(ctx, []presentation.Block{presentation.Text(string(raw))})
	return textOf(b.sink.all()[from:]), reason, err
}

// must is prompt for a turn that goes well.
func (b *bed) must(steps ...step) string {
	b.Helper()
	said, reason, err := b.prompt(steps...)
	if err != nil || reason != agent.EndTurn {
		b.Fatalf("the turn ended %q, %v\n%s", reason, err, said)
	}
	return said
}

func textOf(records []agent.Record) string {
	var out strings.Builder
	for _, r := range records {
		if e, ok := r.Event.(agent.AgentText); ok {
			out.WriteString(e.Text)
		}
	}
	return out.String()
}

// events are the events of a kind so far.
func events[E agent.Event](b *bed) []E {
	var out []E
	for _, r := range b.sink.all() {
		if e, ok := r.Event.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// finished is the end of the last call.
func (b *bed) finished() agent.ToolCallFinished {
	b.Helper()
	all := events[agent.ToolCallFinished](b)
	if len(all) == 0 {
		b.Fatal("no call has finished")
	}
	return all[len(all)-1]
}

// recorded keeps records.
type recorded struct {
	mu      sync.Mutex
	records []agent.Record
	changed *sync.Cond
}

func newRecorded() *recorded {
	r := &recorded{}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// Event keeps a record.
func (r *recorded) Event(_ *agent.Session, record agent.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, record)
	r.changed.Broadcast()
}

func (r *recorded) all() []agent.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.records)
}

// wait waits until the records fulfil a condition.
func (r *recorded) wait(ok func([]agent.Record) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ok(r.records) {
		r.changed.Wait()
	}
}

func says(text string) func([]agent.Record) bool {
	return func(records []agent.Record) bool { return strings.Contains(textOf(records), text) }
}

// ledger keeps what is told of changes, by call.
type ledger struct {
	mu      sync.Mutex
	changes []change
}

type change struct{ call, path, before, after string }

func (l *ledger) of(call string) workspace.Recorder { return told{l, call} }

func (l *ledger) all() []change {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.changes)
}

type told struct {
	*ledger
	call string
}

// Changing notes what becomes of changes.
func (t told) Changing([]workspace.Handle) (func([]workspace.Applied), error) {
	return func(applied []workspace.Applied) {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, a := range applied {
			t.changes = append(t.changes, change{t.call, filepath.Base(a.Before.Path), a.Before.Content(), a.After.Content()})
		}
	}, nil
}

// heard waits until the host has taken what was sent before.
var heard = step{Ask: "_heard"}

// update is a session update as a step.
func update(format string, args ...any) step {
	return step{Update: json.RawMessage(sprintf(format, args...))}
}

// sprintf puts arguments into JSON: texts are quoted.
func sprintf(format string, args ...any) string {
	for _, arg := range args {
		raw, _ := json.Marshal(arg)
		format = strings.Replace(format, "?", string(raw), 1)
	}
	return format
}
