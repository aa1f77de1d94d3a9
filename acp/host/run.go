package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/tools/proc"
)

const (
	// startTime bounds the answer to initialize and to session/new: agents that
	// npx has to download first take long.
	startTime = 3 * time.Minute
	// troubleTime bounds the wait for the end of an agent whose connection is over.
	troubleTime    = 2 * time.Second
	defaultMaxLine = 64 << 20
	// maxNoise is how many lines that are no messages are logged.
	maxNoise = 100
)

// terms are what a run is started with, and what it is told of its user.
type terms struct {
	dir string
	// form and page are the questions that the user can be asked.
	form, page bool
}

// run is one run of the agent's program, for one session or for none yet.
type run struct {
	a     *Agent
	terms terms
	child *proc.Child
	conn  *acp.Conn
	// over says that a request found the agent's output ended.
	over atomic.Bool

	mu      sync.Mutex
	hello   acp.InitializeResponse
	greeted bool
	link    *link // the session's end, nil while no session has the run
}

// start starts the agent's program; a.mu is held.
func (a *Agent) start(t terms) (*run, error) {
	child, err := proc.Program{
		Path: a.config.Command, Args: a.config.Args, Dir: t.dir, Env: a.environment(),
		Stderr: func(text string) { a.log.Debug("standard error", "text", strings.TrimRight(text, "\n")) }, Logger: a.log,
	}.Start()
	if err != nil {
		return nil, fmt.Errorf("%w. The agent %q is configured as [acp.%s]", err, a.config.Name, a.config.Name)
	}
	maxLine := a.o.MaxLine
	if maxLine <= 0 {
		maxLine = defaultMaxLine
	}
	r := &run{a: a, terms: t, child: child}
	r.conn = acp.NewConn(&pipe{child, proc.NewLines(child, maxLine+1, r.isMessage())}, acp.Options{MaxLine: maxLine, Logger: a.log})
	r.conn.Go(context.Background(), r.handle)
	a.runs[r] = struct{}{}
	a.work.Go(r.watch)
	return r, nil
}

// environment is what the agent inherits and what is configured for it.
func (a *Agent) environment() []string {
	env := a.o.Environ
	if env == nil {
		env = os.Environ()
	}
	env = slices.Clone(env)
	for _, name := range slices.Sorted(maps.Keys(a.config.Env)) {
		env = append(env, name+"="+a.config.Env[name])
	}
	return env
}

// handle serves what the agent sends; without a session there is nothing to
// serve.
func (r *run) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	switch {
	case l != nil:
		return l.handle(ctx, req)
	case req.IsCall():
		return nil, acp.Errorf(jsonrpc2.InvalidRequest, "no session is open")
	}
	return nil, nil
}

// isMessage returns what tells messages from the noise that agents print on
// their standard output (field report 80): a message is an object on one line
// that says its protocol. For one goroutine.
func (r *run) isMessage() func(line []byte) bool {
	noise := 0
	return func(line []byte) bool {
		if line[0] == '{' && strings.Contains(string(line[:min(len(line), 256)]), `"jsonrpc"`) && json.Valid(line) {
			return true
		}
		if line[0] == '{' && isEnvelope(line) {
			return true
		}
		if noise++; noise <= maxNoise {
			r.a.log.Debug("no message on standard output", "line", proc.LastWords(string(line)))
		}
		return false
	}
}

// isEnvelope looks for the members of a message wherever they stand.
func isEnvelope(line []byte) bool {
	var members struct {
		Version *string         `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
	}
	return json.Unmarshal(line, &members) == nil && (members.Version != nil || members.ID != nil && members.Method != nil)
}

// pipe is the agent's standard streams as one connection.
type pipe struct {
	*proc.Child
	lines *proc.Lines
}

func (p *pipe) Read(b []byte) (int, error) { return p.lines.Read(b) }

// Close ends the agent's input, by which it knows that it is to leave; the
// run's owner ends the rest.
func (p *pipe) Close() error { return p.CloseInput() }

// greet initializes, once, and logs in where the configuration says how. It is
// for one goroutine at a time.
func (r *run) greet(ctx context.Context) error {
	if r.known() {
		return nil
	}
	request := acp.InitializeRequest{
		ProtocolVersion: acp.Version, ClientCapabilities: r.terms.capabilities(),
		ClientInfo: &acp.Implementation{Name: "agent-ls", Title: "agent-ls", Version: r.a.o.Version},
	}
	var hello acp.InitializeResponse
	if err := r.call(ctx, acp.MethodInitialize, request, &hello); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if hello.ProtocolVersion != acp.Version {
		return fmt.Errorf("it speaks version %d of the protocol, not %d", hello.ProtocolVersion, acp.Version)
	}
	if id := r.a.config.Auth; id != "" {
		if err := r.authenticate(ctx, id); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hello, r.greeted = hello, true
	return nil
}

// capabilities are what the agent may ask of us.
func (t terms) capabilities() acp.ClientCapabilities {
	marker := &acp.Marker{}
	c := acp.ClientCapabilities{
		FS: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true,
		Session: &acp.ClientSessionCapabilities{
			Compaction: marker, Notices: marker, ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: marker},
		},
		Auth: acp.AuthCapabilities{Terminal: true}, // at least the user is told what to run
		Meta: acp.NewMeta("terminal_output", true),
	}
	if t.form || t.page {
		c.Elicitation = &acp.ElicitationCapabilities{}
		if t.form {
			c.Elicitation.Form = marker
		}
		if t.page {
			c.Elicitation.URL = marker
		}
	}
	return c
}

// known reports whether the agent has been greeted.
func (r *run) known() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.greeted
}

// said is what the agent says of itself.
func (r *run) said() acp.InitializeResponse {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hello
}

// can is what the agent offers.
func (r *run) can() acp.AgentCapabilities { return r.said().AgentCapabilities }

// serve gives the run to a session.
func (r *run) serve(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.link = l
}

// served returns the session's end of the run, nil while no session has it.
func (r *run) served() *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.link
}

// watch waits for the end of the run and cleans up behind it.
func (r *run) watch() {
	select {
	case <-r.conn.Done():
	case <-r.child.Done():
	}
	r.close()
	r.a.mu.Lock()
	defer r.a.mu.Unlock()
	delete(r.a.runs, r)
}

// close ends the agent with its process group, what it has open in its session
// and its connection, and waits.
func (r *run) close() {
	_ = r.child.Close() // it answers nothing
	if l := r.served(); l != nil {
		l.terminals.close()
	}
	if err := r.conn.Close(); err != nil {
		r.a.log.Debug("connection closed", "error", err)
	}
}

// alive reports whether the agent runs.
func (r *run) alive() bool {
	if r.over.Load() {
		return false
	}
	select {
	case <-r.conn.Done():
		return false
	case <-r.child.Done():
		return false
	default:
		return true
	}
}

// trouble says how the agent ended and what it said last, "" while it runs.
func (r *run) trouble() string {
	if r.alive() {
		return ""
	}
	timer := time.NewTimer(troubleTime)
	defer timer.Stop()
	select {
	case <-r.child.Done():
	case <-timer.C:
		return "it has closed its output"
	}
	if trouble := r.child.Exit().Trouble(); trouble != "" {
		return trouble
	}
	return "it left without a word"
}

// call asks the agent; result may be nil.
func (r *run) call(ctx context.Context, method string, params, result any) error {
	raw, err := acp.Encode(params)
	if err != nil {
		return err
	}
	answer, err := r.conn.Call(ctx, method, raw)
	if errors.Is(err, acp.ErrEnded) {
		r.over.Store(true)
	}
	if err != nil || result == nil {
		return err
	}
	return acp.Decode(answer, result)
}

// notify tells the agent something.
func (r *run) notify(method string, params any) {
	raw, err := acp.Encode(params)
	if err == nil {
		err = r.conn.Notify(context.Background(), method, raw)
	}
	if err != nil {
		r.a.log.Debug("not sent to the agent", "method", method, "error", err)
	}
}

// wireMessage is an error of the agent with the detail that it gives.
func wireMessage(err error) string {
	var refusal *jsonrpc2.Error
	if !errors.As(err, &refusal) {
		return err.Error()
	}
	var data struct {
		Message string `json:"message,omitempty"`
		Details string `json:"details,omitempty"`
	}
	_ = acp.Decode(json.RawMessage(refusal.Data), &data) // what is no object has no detail
	for _, detail := range []string{data.Message, data.Details} {
		if detail != "" && !strings.Contains(refusal.Message, detail) {
			return refusal.Message + ": " + acp.OneLine(detail)
		}
	}
	return refusal.Message
}

// wantsLogin reports whether an error of the agent asks for a login.
func wantsLogin(err error) bool {
	var refusal *jsonrpc2.Error
	return errors.As(err, &refusal) && refusal.Code == acp.CodeAuthRequired
}
