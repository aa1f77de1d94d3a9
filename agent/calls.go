package agent

import (
	"context"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// callEvents turns what the pipeline tells into records (tools.Events). What a
// running call emits is held and paced, so that Updated never waits for the
// sink; the rest waits.
type callEvents struct {
	ctx  context.Context
	emit func(e Event, k keep)

	mu sync.Mutex
	// raw are the arguments as the model wrote them, by call id.
	raw     map[string]string
	streams map[string]*callStream
}

func newCallEvents(ctx context.Context, emit func(Event, keep)) *callEvents {
	return &callEvents{ctx: ctx, emit: emit, raw: map[string]string{}, streams: map[string]*callStream{}}
}

// expect remembers the arguments of calls that are about to start.
func (c *callEvents) expect(calls []tools.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range calls {
		c.raw[call.ID] = call.Arguments
	}
}

// arguments returns the raw arguments of x; those of a call that a tool made
// are what it gave.
func (c *callEvents) arguments(x tools.Execution) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, ok := c.raw[x.CallID]
	if !ok {
		return string(x.Arguments)
	}
	delete(c.raw, x.CallID)
	return raw
}

// Started records the call and its pending card.
func (c *callEvents) Started(x tools.Execution, view presentation.CallView, mayAsk bool) {
	c.emit(ToolCallStarted{CallID: x.CallID, Name: x.Name, Arguments: c.arguments(x), MayAsk: mayAsk, View: view}, logged)
}

// Planned records the planned card.
func (c *callEvents) Planned(x tools.Execution, view presentation.CallView) {
	c.emit(ToolCallPlanned{CallID: x.CallID, View: view}, logged)
}

// Running records that the tool runs.
func (c *callEvents) Running(x tools.Execution) {
	c.emit(ToolCallRunning{CallID: x.CallID}, logged)
}

// Updated holds u until it may be shown.
func (c *callEvents) Updated(x tools.Execution, u tools.Update) {
	c.mu.Lock()
	s := c.streams[x.CallID]
	if s == nil {
		s = newCallStream(x.CallID, c.emit)
		c.streams[x.CallID] = s
	}
	c.mu.Unlock()
	s.update(u)
}

// Finished shows what is held of the call, then settles it.
func (c *callEvents) Finished(x tools.Execution, r tools.Result, view presentation.ResultView) {
	c.mu.Lock()
	s := c.streams[x.CallID]
	delete(c.streams, x.CallID)
	c.mu.Unlock()
	if s != nil {
		s.finish(c.ctx, r.OutputRef)
	}
	if len(r.Content) == 0 {
		r.Content = nil // as it will be read back
	}
	c.emit(ToolCallFinished{CallID: x.CallID, Result: r, View: view}, logged)
}

// callStream paces what one running call shows.
type callStream struct {
	id    string
	emit  func(Event, keep)
	pacer pacer
	rate  rate

	mu       sync.Mutex
	terminal []Event // a TerminalAttached that waits
	progress []Event // the latest ToolCallProgress
	plan     []Event // the latest PlanChanged
	output   liveOutput
}

func newCallStream(id string, emit func(Event, keep)) *callStream {
	s := &callStream{id: id, emit: emit}
	s.pacer.send = s.send
	return s
}

func (s *callStream) update(u tools.Update) {
	s.mu.Lock()
	switch u := u.(type) {
	case tools.Output:
		s.output.add(u.Text, u.Dropped)
	case tools.Progress:
		s.progress = []Event{ToolCallProgress{CallID: s.id, Content: u.Content}}
	case tools.PlanChange:
		s.plan = []Event{PlanChanged{Entries: u.Entries}}
	case tools.TerminalAttached:
		s.terminal = []Event{TerminalAttached{CallID: s.id, TerminalID: u.TerminalID}}
	}
	s.mu.Unlock()
	s.pacer.kick()
}

// others takes what waits beside the output, at most one event of a kind.
// s.mu is held.
func (s *callStream) others() []Event {
	events := append(append(s.terminal, s.progress...), s.plan...)
	s.terminal, s.progress, s.plan = nil, nil, nil
	return events
}

// send shows one piece of each kind.
func (s *callStream) send() (more bool) {
	s.mu.Lock()
	events := s.others()
	piece, whole := s.output.next()
	more = s.output.pending()
	s.mu.Unlock()
	for _, e := range events {
		s.emit(e, logged)
	}
	k := shown
	if whole {
		k = logged
	}
	s.show(piece, k)
	return more
}

// show records a piece of output.
func (s *callStream) show(piece string, k keep) {
	if piece == "" {
		return
	}
	s.emit(ToolCallOutput{CallID: s.id, Text: piece}, k)
	s.rate.sent(time.Now())
}

// finish shows all that is left, at the rate that is allowed; when ctx ends,
// what is left is cut to one last piece.
func (s *callStream) finish(ctx context.Context, ref string) {
	s.pacer.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.others() {
		s.emit(e, logged)
	}
	for len(s.output.head) > 0 {
		if !s.rate.wait(ctx, 1) {
			s.output.abandon()
			break
		}
		piece, _ := s.output.next()
		s.show(piece, logged)
	}
	if s.output.pending() || s.output.total > 0 {
		s.rate.wait(ctx, 0)
		s.show(s.output.last(ref), logged)
	}
}

// Sizes of rate: 20 updates a second, with a margin for the clocks of those
// who count.
const (
	rateCount  = 20
	rateWindow = 1050 * time.Millisecond
)

// rate allows bursts, but no more than rateCount in any rateWindow.
type rate struct {
	times [rateCount]time.Time // a ring
	next  int                  // of the oldest
}

// sent notes an update.
func (r *rate) sent(now time.Time) {
	r.times[r.next] = now
	r.next = (r.next + 1) % rateCount
}

// wait waits until another update is allowed and so many more; false means
// that ctx ended first.
func (r *rate) wait(ctx context.Context, more int) bool {
	d := time.Until(r.times[(r.next+more)%rateCount].Add(rateWindow))
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
