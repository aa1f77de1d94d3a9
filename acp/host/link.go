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
	// leaveTime bounds the farewell to an agent.
	leaveTime      = 500 * time.Millisecond
	defaultMaxLine = 64 << 20
	// maxNoise is how many lines that are no messages are logged.
	maxNoise = 100
)

// link is one run of the agent's program with its session.
type link struct {
	d     *Driver
	child *proc.Child
	conn  *acp.Conn
	// greeted is for who holds the token of Driver.connecting.
	greeted bool
	// over says that a request found the agent's output ended.
	over atomic.Bool

	mu      sync.Mutex
	hello   acp.InitializeResponse
	quirks  Quirks
	session string // the agent's own id, "" before it is open
	silent  bool   // the agent replays what the session has already
	turn    *turn  // the one that runs, nil for none
	opened  bool   // the session is

	terminals terminals
	reads     reads
}

// start starts the agent's program.
func (d *Driver) start() (*link, error) {
	child, err := proc.Program{
		Path: d.config.Command, Args: d.config.Args, Dir: d.session.Cwd(), Env: d.environment(),
		Stderr: func(text string) { d.log.Debug("standard error", "text", strings.TrimRight(text, "\n")) }, Logger: d.log,
	}.Start()
	if err != nil {
		return nil, fmt.Errorf("%w. The agent %q is configured as [acp.%s]", err, d.config.Name, d.config.Name)
	}
	maxLine := d.o.MaxLine
	if maxLine <= 0 {
		maxLine = defaultMaxLine
	}
	l := &link{d: d, child: child}
	l.terminals.link = l
	l.conn = acp.NewConn(&pipe{child, proc.NewLines(child, maxLine+1, l.isMessage())}, acp.Options{MaxLine: maxLine, Logger: d.log})
	l.conn.Go(context.Background(), l.handle)
	return l, nil
}

// environment is what the agent inherits and what is configured for it.
func (d *Driver) environment() []string {
	env := d.o.Environ
	if env == nil {
		env = os.Environ()
	}
	env = slices.Clone(env)
	for _, name := range slices.Sorted(maps.Keys(d.config.Env)) {
		env = append(env, name+"="+d.config.Env[name])
	}
	return env
}

// isMessage returns what tells messages from the noise that agents print on
// their standard output (field report 80): a message is an object on one line
// that says its protocol. For one goroutine.
func (l *link) isMessage() func(line []byte) bool {
	noise := 0
	return func(line []byte) bool {
		if line[0] == '{' && strings.Contains(string(line[:min(len(line), 256)]), `"jsonrpc"`) && json.Valid(line) {
			return true
		}
		if line[0] == '{' && isEnvelope(line) {
			return true
		}
		if noise++; noise <= maxNoise {
			l.d.log.Debug("no message on standard output", "line", proc.LastWords(string(line)))
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
// link's owner ends the rest.
func (p *pipe) Close() error { return p.CloseInput() }

// watch waits for the end of the agent's run and cleans up behind it.
func (l *link) watch() {
	select {
	case <-l.conn.Done():
	case <-l.child.Done():
	}
	l.close()
}

// close ends the agent with its process group, its terminals and its connection,
// and waits.
func (l *link) close() {
	_ = l.child.Close() // it answers nothing
	l.terminals.close()
	if err := l.conn.Close(); err != nil {
		l.d.log.Debug("connection closed", "error", err)
	}
}

// leave says farewell where the agent wants it, then closes.
func (l *link) leave() {
	l.mu.Lock()
	session, wants := l.session, l.hello.AgentCapabilities.SessionCapabilities.Close != nil
	l.mu.Unlock()
	if session != "" && wants && l.alive() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		if err := l.call(ctx, acp.MethodSessionClose, acp.SessionRequest{SessionID: session}, nil); err != nil {
			l.d.log.Debug("the session was not closed by the agent", "error", err)
		}
	}
	l.close()
}

// alive reports whether the agent runs.
func (l *link) alive() bool {
	if l.over.Load() {
		return false
	}
	select {
	case <-l.conn.Done():
		return false
	case <-l.child.Done():
		return false
	default:
		return true
	}
}

// ready reports whether the agent has its session.
func (l *link) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened
}

// troubleTime bounds the wait for the end of an agent whose connection is over.
const troubleTime = 2 * time.Second

// trouble says how the agent ended and what it said last, "" while it runs.
func (l *link) trouble() string {
	if l.alive() {
		return ""
	}
	timer := time.NewTimer(troubleTime)
	defer timer.Stop()
	select {
	case <-l.child.Done():
	case <-timer.C:
		return "it has closed its output"
	}
	if trouble := l.child.Exit().Trouble(); trouble != "" {
		return trouble
	}
	return "it left without a word"
}

// call asks the agent; result may be nil.
func (l *link) call(ctx context.Context, method string, params, result any) error {
	raw, err := acp.Encode(params)
	if err != nil {
		return err
	}
	answer, err := l.conn.Call(ctx, method, raw)
	if errors.Is(err, acp.ErrEnded) {
		l.over.Store(true)
	}
	if err != nil || result == nil {
		return err
	}
	return acp.Decode(answer, result)
}

// notify tells the agent something.
func (l *link) notify(method string, params any) {
	raw, err := acp.Encode(params)
	if err == nil {
		err = l.conn.Notify(context.Background(), method, raw)
	}
	if err != nil {
		l.d.log.Debug("not sent to the agent", "method", method, "error", err)
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
