package tools

import (
	"reflect"
	"strings"
	"sync"
)

// What a call's updates may hold back while the front end is busy: beyond it
// output is dropped and counted, and other updates replace the last of their
// kind.
const (
	maxPendingUpdates = 256
	maxPendingOutput  = 4 << 20 // bytes
)

// updates delivers what a call emits between start and close, in order, from
// one goroutine that lives from the first update until close has returned.
type updates struct {
	deliver func(Update)

	mu      sync.Mutex
	changed sync.Cond
	open    bool
	pending []Update
	bytes   int // of output in pending
	dropped int // bytes of output since the last one in pending
	done    chan struct{}
}

func newUpdates(deliver func(Update)) *updates {
	q := &updates{deliver: deliver}
	q.changed.L = &q.mu
	return q
}

// start lets updates in.
func (q *updates) start() {
	q.mu.Lock()
	q.open = true
	q.mu.Unlock()
}

// post queues u; before start and after close it does nothing.
func (q *updates) post(u Update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.open {
		return
	}
	q.add(u)
	if q.done == nil {
		q.done = make(chan struct{})
		go q.run()
	}
	q.changed.Signal()
}

func (q *updates) add(u Update) {
	out, isOutput := u.(Output)
	full := len(q.pending) >= maxPendingUpdates
	switch {
	case isOutput && (full || q.bytes+len(out.Text) > maxPendingOutput):
		q.dropped += out.Dropped + len(out.Text)
	case isOutput:
		out.Text = strings.ToValidUTF8(out.Text, "\uFFFD")
		out.Dropped += q.dropped
		q.dropped = 0
		q.bytes += len(out.Text)
		q.pending = append(q.pending, out)
	case full && q.replace(u):
	default:
		q.pending = append(q.pending, u)
	}
}

// replace puts u in the place of the last pending update of its kind.
func (q *updates) replace(u Update) bool {
	for i := len(q.pending) - 1; i >= 0; i-- {
		if reflect.TypeOf(q.pending[i]) == reflect.TypeOf(u) {
			q.pending[i] = u
			return true
		}
	}
	return false
}

func (q *updates) run() {
	defer close(q.done)
	for {
		batch, more := q.take()
		for _, u := range batch {
			q.deliver(u)
		}
		if !more {
			return
		}
	}
}

// take waits for updates; more is false when these are the last.
func (q *updates) take() (batch []Update, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.open && len(q.pending) == 0 {
		q.changed.Wait()
	}
	if !q.open && q.dropped > 0 {
		q.pending = append(q.pending, Output{Dropped: q.dropped})
		q.dropped = 0
	}
	batch, q.pending, q.bytes = q.pending, nil, 0
	return batch, q.open
}

// close refuses further updates and waits until those queued were delivered.
func (q *updates) close() {
	q.mu.Lock()
	q.open = false
	done := q.done
	q.changed.Signal()
	q.mu.Unlock()
	if done != nil {
		<-done
	}
}
