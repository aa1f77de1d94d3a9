package agent

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/editor"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// fencePace is the shortest time between two updates of one running fence. At
// most 4 may reach a client in any second (contract §6), so there is room for
// some of them to come late.
const fencePace = 300 * time.Millisecond

// bridge shows one session to the client: it is the session's Sink and Asker.
// What the client offers is fixed when it is made, so that a call and its
// result go the same way. Safe for concurrent use; mu is held while updates are
// written, which keeps their order.
type bridge struct {
	server  *Server
	caps    acp.ClientCapabilities
	channel channel
	// editor is the client as files and terminals; nil where others open the
	// doors.
	editor *editor.Editor
	// started is closed when the client knows the session and updates may be
	// sent (acp.md §0.8).
	started chan struct{}

	mu        sync.Mutex
	id        string
	open      bool           // from started to closed
	held      []agent.Notice // that could not be told yet
	unsettled bool           // settings changed before the session was open
	projector *projector
	paces     map[string]*pace // running fences, by call
	flushes   sync.WaitGroup

	session *agent.Session // set by bind, before anyone else knows the bridge

	answers answers
}

// pace spaces the updates of one fence.
type pace struct {
	last  time.Time
	timer *time.Timer // set while a flush is due
}

func (s *Server) newBridge(cwd string) *bridge {
	b := &bridge{
		server: s, caps: s.capabilities(), channel: s.channel(), started: make(chan struct{}), paces: map[string]*pace{},
	}
	b.projector = b.newProjector(cwd, false)
	return b
}

func (b *bridge) newProjector(cwd string, replay bool) *projector {
	notices := b.caps.Session != nil && b.caps.Session.Notices != nil
	p := newProjector(painter{cwd: cwd, isDir: isDir}, b.channel, notices, replay)
	p.compaction = b.caps.Session != nil && b.caps.Session.Compaction != nil
	return p
}

// bind tells the session, once it is there.
func (b *bridge) bind(s *agent.Session) {
	b.mu.Lock()
	b.id, b.session = s.ID(), s
	b.mu.Unlock()
	if b.editor != nil {
		b.editor.Bind(s.ID())
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Event shows a record. A new turn waits until the answer of the last one is
// written: nothing of it may come before.
func (b *bridge) Event(s *agent.Session, r agent.Record) {
	if _, ok := r.Event.(agent.TurnStarted); ok {
		b.answers.wait(b.server.closed)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	updates := b.projector.project(r)
	if !b.open {
		b.hold(r.Event)
		return
	}
	b.send(updates...)
	switch e := r.Event.(type) {
	case agent.TurnStarted:
		b.tellHeld()
	case agent.Notice:
		if len(updates) == 0 && e.Severity != "info" {
			b.hold(e)
		}
	case agent.ModeChanged:
		b.send(acp.CurrentModeUpdate{CurrentModeID: e.Mode}, b.server.optionsUpdate(s))
	case agent.ModelChanged:
		b.send(b.server.optionsUpdate(s), commands(s))
	case agent.SettingsChanged:
		b.send(b.server.optionsUpdate(s))
	case agent.ToolsChanged:
		b.send(commands(s))
	case agent.ToolCallOutput:
		b.schedule(e.CallID)
	case agent.ToolCallFinished:
		b.stop(e.CallID)
	}
}

// maxHeld bounds the notices that wait for a time when they can be told.
const maxHeld = 32

// hold keeps a notice until the session is open, or, for a client that shows no
// notices, until the next turn. Everything else that a client is told then is
// the state at that time. mu is held.
func (b *bridge) hold(e agent.Event) {
	switch e := e.(type) {
	case agent.SettingsChanged:
		b.unsettled = true
	case agent.Notice:
		if len(b.held) < maxHeld {
			b.held = append(b.held, e)
		}
	}
}

// tellHeld tells the notices that were held, as text where the client shows
// none. mu is held.
func (b *bridge) tellHeld() {
	for _, n := range b.held {
		if shown := b.projector.notice(n); len(shown) > 0 {
			b.send(shown...)
		} else {
			b.send(noticeText(n))
		}
	}
	b.held = nil
}

// start lets updates through, now that the client has the session's id, and
// tells what it could not be told before.
func (b *bridge) start(s *agent.Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
	close(b.started)
	if b.unsettled {
		b.send(b.server.optionsUpdate(s))
	}
	b.send(commands(s))
	b.tellHeld()
}

// replay shows what happened before, with the same projection as live.
func (b *bridge) replay(cwd string, history []agent.Record) {
	p := b.newProjector(cwd, true)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range history {
		b.send(p.project(r)...)
	}
}

// send writes updates; what cannot be sent is logged, never fatal. mu is held.
func (b *bridge) send(updates ...acp.SessionUpdate) {
	for _, u := range updates {
		if err := b.server.notify(acp.SessionNotification{SessionID: b.id, Update: u}); err != nil {
			b.server.logger.Debug("update not sent", "session", b.id, "error", err)
		}
	}
}

// schedule sees to it that the fence of a running command is shown soon, but
// not too often. mu is held.
func (b *bridge) schedule(id string) {
	c := b.projector.cards[id]
	if c == nil || c.term == nil || c.term.terminal != "" || b.channel == displayed {
		return
	}
	p := b.paces[id]
	if p == nil {
		p = &pace{}
		b.paces[id] = p
	}
	if p.timer != nil {
		return
	}
	wait := fencePace - b.server.now().Sub(p.last)
	if wait <= 0 {
		b.flush(id, p)
		return
	}
	b.flushes.Add(1)
	p.timer = time.AfterFunc(wait, func() {
		defer b.flushes.Done()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.paces[id] == p {
			p.timer = nil
			b.flush(id, p)
		}
	})
}

func (b *bridge) flush(id string, p *pace) {
	p.last = b.server.now()
	b.send(b.projector.flush(id)...)
}

// stop ends the fence of a call. mu is held.
func (b *bridge) stop(id string) {
	p := b.paces[id]
	delete(b.paces, id)
	if p != nil && p.timer != nil && p.timer.Stop() {
		b.flushes.Done()
	}
}

// closed runs when the session has closed: nothing is sent any more.
func (b *bridge) closed() {
	b.mu.Lock()
	b.open = false
	for id := range b.paces {
		b.stop(id)
	}
	b.mu.Unlock()
	b.flushes.Wait()
	if b.editor != nil {
		b.editor.Close()
	}
	b.server.forget(b)
}

// submit registers a prompt. wait returns its outcome; answered is to be called
// once the answer is written.
func (b *bridge) submit(ctx context.Context, blocks []presentation.Block) (wait func() (agent.StopReason, error), answered func()) {
	type outcome struct {
		reason agent.StopReason
		err    error
	}
	out := make(chan outcome, 1)
	written := make(chan struct{})
	b.session.Submit(ctx, blocks, func(reason agent.StopReason, err error) {
		b.answers.add(written)
		out <- outcome{reason, err}
	})
	return func() (agent.StopReason, error) {
		o := <-out
		return o.reason, o.err
	}, sync.OnceFunc(func() { close(written) })
}

// answers are the answers of ended turns that are still to be written.
type answers struct {
	mu      sync.Mutex
	pending []chan struct{}
}

func (a *answers) add(written chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending = append(a.pending, written)
}

// wait returns when all answers are written or the connection is over.
func (a *answers) wait(over <-chan struct{}) {
	a.mu.Lock()
	pending := a.pending
	a.pending = nil
	a.mu.Unlock()
	for _, written := range pending {
		select {
		case <-written:
		case <-over:
			return
		}
	}
}
