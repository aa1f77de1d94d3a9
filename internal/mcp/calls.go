package mcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// calls are what one server is at work on. The zero value with a silence is
// ready; safe for concurrent use.
type calls struct {
	silence time.Duration

	mu      sync.Mutex
	running map[string]*running // by call id, which is the progress token too
	// asking counts the questions to the user that are open.
	asking int
	// idle are called when no call runs any more.
	idle map[*func()]func()
}

// running is a call under way.
type running struct {
	tc    *tools.Context
	timer *time.Timer // cancels the call
}

// errSilent is the cause of the end of a call that showed no sign of life.
var errSilent = errors.New("the MCP server is silent")

// begin registers a call; its context ends when the server is silent for too
// long. end must be called when the call is over.
func (k *calls) begin(ctx context.Context, tc *tools.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.running = map[string]*running{}
	}
	r := &running{tc: tc, timer: time.AfterFunc(k.silence, func() { cancel(errSilent) })}
	if k.asking > 0 {
		r.timer.Stop()
	}
	k.running[tc.CallID] = r
	return ctx, func() {
		r.timer.Stop()
		cancel(nil)
		k.remove(tc.CallID)
	}
}

func (k *calls) remove(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.running, id)
	if len(k.running) > 0 {
		return
	}
	for _, fn := range k.idle {
		fn()
	}
}

// alive notes a sign of life that belongs to no call.
func (k *calls) alive() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.restart()
}

// restart begins to wait anew for all calls; mu is held.
func (k *calls) restart() {
	if k.asking > 0 {
		return
	}
	for _, r := range k.running {
		r.timer.Reset(k.silence)
	}
}

// progress shows how far a call is.
func (k *calls) progress(p *sdk.ProgressNotificationParams) {
	id, ok := p.ProgressToken.(string)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.running[id]
	if r == nil {
		return
	}
	if k.asking == 0 {
		r.timer.Reset(k.silence)
	}
	r.tc.Emit(tools.Progress{Content: []presentation.Block{presentation.Text(progressText(p))}})
}

// progressText is what the card shows meanwhile.
func progressText(p *sdk.ProgressNotificationParams) string {
	far := strconv.FormatFloat(p.Progress, 'f', -1, 64)
	if p.Total > 0 {
		far += " of " + strconv.FormatFloat(p.Total, 'f', -1, 64)
	}
	if p.Message == "" {
		return far
	}
	return fmt.Sprintf("%s (%s)", p.Message, far)
}

// ask notes that the server asks the user: until done is called, no call runs
// out of time. The context ends too when the calls that ran at the time are
// over, since nobody needs the answer then. callID is the call in question when
// there is just one, else "".
func (k *calls) ask(ctx context.Context) (_ context.Context, callID string, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asking++
	for id, r := range k.running {
		r.timer.Stop()
		callID = id
	}
	if len(k.running) > 1 {
		callID = ""
	}
	forget := k.whenIdle(cancel)
	return ctx, callID, func() {
		cancel()
		k.mu.Lock()
		defer k.mu.Unlock()
		forget()
		k.asking--
		k.restart()
	}
}

// whenIdle calls fn when no call runs any more, unless none runs now. mu is held
// here and in forget.
func (k *calls) whenIdle(fn func()) (forget func()) {
	if len(k.running) == 0 {
		return func() {}
	}
	if k.idle == nil {
		k.idle = map[*func()]func(){}
	}
	key := &fn
	k.idle[key] = fn
	return func() { delete(k.idle, key) }
}
