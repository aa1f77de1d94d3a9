package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/content"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// cancelTime is how long an agent that was asked to cancel a turn may take
// before it is ended by force; the user's turn has ended long before.
const cancelTime = 3 * time.Second

// turn is one prompt of the agent, from its request to the answer.
type turn struct {
	link *link
	turn *agent.Turn
	feed *agent.Feed
	ctx  context.Context

	// mu orders what makes records: the updates of the read loop, and the
	// requests beside it.
	mu      sync.Mutex
	over    bool
	message *agent.MessageWriter // the one that is being written, nil for none
	wrote   string               // its id on the wire
	cards   map[string]*card     // by the agent's id of the call

	// past says that the agent tells what was said before. The user's message
	// that is being told is in user, its id on the wire in told.
	past bool
	user []presentation.Block
	told string
}

// Run gives the agent a prompt and returns when it has answered.
func (d *Driver) Run(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
	select {
	case d.running <- struct{}{}: // a cancelled turn may still be ending
		defer func() { <-d.running }()
	case <-ctx.Done():
		return agent.StopCancelled, nil
	}
	reason, err := d.once(ctx, t)
	if needs := (*loginError)(nil); errors.As(err, &needs) {
		if err = d.login(ctx, t, needs); err == nil {
			reason, err = d.once(ctx, t)
		}
	}
	if needs := (*loginError)(nil); errors.As(err, &needs) {
		err = needs.failure()
	}
	return reason, err
}

// once gives the agent the prompt. A *loginError says that it wants a login
// first.
func (d *Driver) once(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
	l, err := d.connect(ctx)
	if err != nil {
		return "", err
	}
	l.remember()
	return l.prompt(ctx, t)
}

// prompt runs one turn of the agent.
func (l *link) prompt(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
	own := &turn{link: l, turn: t, feed: t.Feed(), ctx: ctx, cards: map[string]*card{}}
	l.setTurn(own)
	defer l.setTurn(nil)
	defer own.end()
	l.mu.Lock()
	request := acp.PromptRequest{SessionID: l.session, Prompt: wirePrompt(t.Prompt(), l.can().PromptCapabilities)}
	l.mu.Unlock()
	answered := make(chan struct{})
	var cancelling sync.WaitGroup
	cancelling.Go(func() { l.cancelWith(ctx, request.SessionID, answered) })
	var response acp.PromptResponse
	// Not with ctx: the agent answers a cancelled prompt, too.
	err := l.call(context.WithoutCancel(ctx), acp.MethodSessionPrompt, request, &response)
	close(answered)
	cancelling.Wait()
	if err != nil {
		return "", l.d.failed(l, err)
	}
	return agent.StopReason(response.StopReason), nil
}

// cancelWith asks the agent to cancel the prompt when ctx ends before the answer.
// An agent that does not is ended with its whole group; the next turn starts it
// again.
func (l *link) cancelWith(ctx context.Context, session string, answered <-chan struct{}) {
	select {
	case <-answered:
		return
	case <-ctx.Done():
	}
	l.notify(acp.MethodSessionCancel, acp.SessionRequest{SessionID: session})
	l.terminals.stop()
	timer := time.NewTimer(cancelTime)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
		l.d.log.Warn("the agent does not cancel its turn, so it is ended")
		l.close()
	}
}

// failed is why a prompt was not answered.
func (d *Driver) failed(l *link, err error) error {
	if l.alive() && wantsLogin(err) {
		return &loginError{link: l, cause: err}
	}
	return d.agent.explain(l.run, err)
}

// wirePrompt is a prompt as the agent takes it: what it does not take goes as
// text or as a link.
func wirePrompt(blocks []presentation.Block, caps acp.PromptCapabilities) acp.List[acp.ContentBlock] {
	var out acp.List[acp.ContentBlock]
	for _, b := range blocks {
		switch {
		case b.Type == presentation.BlockImage && !caps.Image:
			b = presentation.Text(fmt.Sprintf("[an image of the type %s, which you cannot see]", b.MIMEType))
		case b.Type == presentation.BlockResource && !caps.EmbeddedContext && b.Data == nil:
			b = presentation.Text(b.URI + ":\n" + b.Text)
		case b.Type == presentation.BlockResource && !caps.EmbeddedContext:
			b = presentation.Block{Type: presentation.BlockLink, URI: b.URI, MIMEType: b.MIMEType}
		}
		if block, ok := content.ToWire(b); ok {
			out = append(out, block)
		}
	}
	return out
}
