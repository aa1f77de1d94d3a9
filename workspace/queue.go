package workspace

import (
	"context"
	"slices"
	"sync"
)

// queue gives one caller at a time the right to change a file, in the order
// of asking (tools.md §2.6). It holds memory only for keys in use.
type queue struct {
	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is the queue of one key; it exists while the key is held.
type lane struct {
	waiting []chan struct{} // closed when it is the waiter's turn
}

func newQueue() *queue { return &queue{lanes: map[string]*lane{}} }

// lock waits for all keys. They are taken in one fixed order, so that
// callers with overlapping keys cannot block each other for ever. It fails
// only with the cause of a ctx that is done; then nothing is held.
func (q *queue) lock(ctx context.Context, keys ...string) (unlock func(), err error) {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for i, key := range keys {
		if err := q.lockOne(ctx, key); err != nil {
			q.release(keys[:i])
			return nil, err
		}
	}
	var once sync.Once
	return func() { once.Do(func() { q.release(keys) }) }, nil
}

func (q *queue) lockOne(ctx context.Context, key string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	turn := q.enter(key)
	if turn == nil {
		return nil
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		q.leave(key, turn)
		return context.Cause(ctx)
	}
}

// enter takes the key and returns nil, or returns what to wait for.
func (q *queue) enter(key string) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, held := q.lanes[key]
	if !held {
		q.lanes[key] = &lane{}
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	return turn
}

// leave gives up waiting; a turn that came meanwhile goes to the next.
func (q *queue) leave(key string, turn chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if i := slices.Index(l.waiting, turn); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		return
	}
	q.pass(key)
}

func (q *queue) release(keys []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range keys {
		q.pass(key)
	}
}

// pass gives the key to the next waiter; q.mu is held.
func (q *queue) pass(key string) {
	l := q.lanes[key]
	if len(l.waiting) == 0 {
		delete(q.lanes, key)
		return
	}
	close(l.waiting[0])
	l.waiting = l.waiting[1:]
}
