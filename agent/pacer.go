package agent

import (
	"sync"
	"time"
)

// pace is the shortest time between two updates of one stream: 20 a second
// (contract §6), and a little longer, so that a last one that cannot wait
// still fits.
const pace = 53 * time.Millisecond

// pacer calls send while there is something to send, at most once a pace,
// from a goroutine of its own that exists only meanwhile. Kicking it never
// blocks.
type pacer struct {
	// send sends one piece and reports whether there is more.
	send func() (more bool)

	// sending is held during send.
	sending sync.Mutex

	mu      sync.Mutex
	armed   bool // a timer runs or send is running
	again   bool // kicked since send was called last
	stopped bool
	timer   *time.Timer
	next    time.Time // not before this
}

// kick sees to it that send is called.
func (p *pacer) kick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again = true
	if !p.armed && !p.stopped {
		p.arm()
	}
}

// arm starts the timer; mu is held.
func (p *pacer) arm() {
	p.armed = true
	p.timer = time.AfterFunc(max(0, time.Until(p.next)), p.fire)
}

// fire calls send. What it is kicked for meanwhile may have come too late for
// that, so it is called once more then.
func (p *pacer) fire() {
	p.mu.Lock()
	p.again = false
	p.mu.Unlock()
	more := p.locked(p.send)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = time.Now().Add(pace)
	p.armed = false
	if (more || p.again) && !p.stopped {
		p.arm()
	}
}

// locked runs fn unless the pacer has stopped, never beside another one.
func (p *pacer) locked(fn func() bool) bool {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.mu.Lock()
	stopped := p.stopped
	p.mu.Unlock()
	return !stopped && fn()
}

// stop ends the pacer; when it returns send is not running and never will.
func (p *pacer) stop() {
	p.mu.Lock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.sending.Lock()
	defer p.sending.Unlock()
}
