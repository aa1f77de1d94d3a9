package replay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// Options say how a log is played.
type Options struct {
	// Program is what serves ACP, with its arguments; --state-dir and
	// --wire-log are added behind them.
	Program string
	Args    []string
	// Env is the program's environment, Dir its working folder.
	Env []string
	Dir string
	// Scratch is an empty folder for all that the replay writes.
	Scratch string
	// Timeout bounds each wait for the program (30 s).
	Timeout time.Duration
	// Settle bounds the wait for notifications, which may come otherwise than
	// in the log (1 s).
	Settle time.Duration
	Logger *slog.Logger
}

// Play plays a log and compares. An error means that it could not be played, or
// that ctx ended; what the program does wrong is in the report.
func Play(ctx context.Context, l *Log, o Options) (*Report, error) {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Settle <= 0 {
		o.Settle = time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	list, notes, err := l.prepare(o.Scratch)
	if err != nil {
		return nil, err
	}
	report := &Report{Notes: append(notes, l.notes()...)}
	for i, recorded := range l.connections {
		played, troubles, err := playOne(ctx, recorded, i+1, list, o)
		if err != nil {
			return nil, err
		}
		report.Notes = append(report.Notes, troubles...)
		prefix := ""
		if len(l.connections) > 1 {
			prefix = fmt.Sprintf("connection %d, ", i+1)
		}
		report.compare(prefix, normalize(recorded, list), normalize(played, list))
	}
	report.Equal = len(report.Differences) == 0
	return report, nil
}

// notes say what of the log cannot be played as it was.
func (l *Log) notes() []string {
	var notes []string
	redacted, skipped := 0, 0
	for _, entries := range l.connections {
		for _, e := range entries {
			switch {
			case e.sent() && e.Skipped != "":
				skipped++
			case e.sent() && strings.Contains(string(e.raw), `"[redacted]"`):
				redacted++
			}
		}
	}
	if l.torn {
		notes = append(notes, "the last line of the log is torn and left out")
	}
	if skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d lines of the client were no messages; the log does not hold them, so they are not sent", skipped))
	}
	if redacted > 0 {
		notes = append(notes, fmt.Sprintf(`%d messages of the client hold values that the log hides (env, headers, keys); they are sent as "[redacted]"`, redacted))
	}
	return notes
}

// player plays one connection.
type player struct {
	ctx      context.Context
	o        Options
	log      []entry
	child    *proc.Child
	folders  func(json.RawMessage) json.RawMessage
	troubles []string

	mu      sync.Mutex
	changed chan struct{} // closed and replaced by each message
	heard   heard
	over    bool // the program says nothing more

	asked    []string          // ids of the client's requests that were sent
	sessions map[string]string // new ids by recorded ones
	answered map[string]bool   // requests of the program, by their new id
}

// playOne plays one connection and returns its wire log.
func playOne(ctx context.Context, recorded []entry, n int, list []folder, o Options) (played []entry, troubles []string, err error) {
	wire := filepath.Join(o.Scratch, "wire-"+strconv.Itoa(n)+".jsonl")
	args := append(append([]string(nil), o.Args...), "--state-dir", filepath.Join(o.Scratch, "state"), "--wire-log", wire)
	child, err := proc.Program{
		Path: o.Program, Args: args, Dir: o.Dir, Env: o.Env, Logger: o.Logger,
		Stderr: func(text string) { o.Logger.Info("the program says", "text", text) },
		Quiet:  o.Timeout,
	}.Start()
	if err != nil {
		return nil, nil, err
	}
	p := &player{
		ctx: ctx, o: o, log: recorded, child: child, folders: replacer(list), changed: make(chan struct{}),
		heard: newHeard(), sessions: map[string]string{}, answered: map[string]bool{},
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read()
	}()
	p.play()
	_ = child.Close() // how the program ends is no part of the comparison
	<-read
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	text, err := os.Open(wire)
	if err != nil {
		return nil, nil, fmt.Errorf("the program kept no wire log; does it serve ACP? %w", err)
	}
	defer text.Close()
	l, err := Read(text)
	if err != nil {
		return nil, nil, fmt.Errorf("wire log of the program: %w", err)
	}
	return l.connections[0], p.troubles, nil
}

// read takes what the program says until it ends.
func (p *player) read() {
	lines := bufio.NewScanner(p.child)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			p.tell(func() { p.heard.add(m) })
		}
	}
	p.tell(func() { p.over = true })
}

func (p *player) tell(what func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what()
	close(p.changed)
	p.changed = make(chan struct{})
}

// errSilent is a wait in vain.
var errSilent = errors.New("no answer")

// wait waits until is, which is asked with mu held, or for at most d.
func (p *player) wait(d time.Duration, is func() bool) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		p.mu.Lock()
		ok, over, changed := is(), p.over, p.changed
		p.mu.Unlock()
		switch {
		case ok:
			return nil
		case over:
			return errors.New("the program has ended")
		}
		select {
		case <-changed:
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		case <-timer.C:
			return errSilent
		}
	}
}

// play sends the client's messages. It stops where the program does not answer.
func (p *player) play() {
	said := newHeard()
	for i, e := range p.log {
		if !e.sent() {
			if e.raw != nil {
				said.add(e.message)
			}
			continue
		}
		if e.raw == nil {
			continue
		}
		if err := p.catchUp(said, i); err != nil {
			p.troubles = append(p.troubles, fmt.Sprintf("stopped before line %d of the log: %v", e.line, err))
			return
		}
		if err := p.send(e.message, said); err != nil {
			p.troubles = append(p.troubles, fmt.Sprintf("stopped at line %d of the log: %v", e.line, err))
			return
		}
	}
	if err := p.catchUp(said, len(p.log)); err != nil {
		p.troubles = append(p.troubles, fmt.Sprintf("after the last message: %v", err))
	}
}

// catchUp waits until the program has said what was said in the log: answers for
// sure, its requests while it is at work, notifications if they come soon. What
// does not come the comparison tells.
func (p *player) catchUp(said heard, at int) error {
	for id := range said.responses {
		if err := p.until(at, func() bool { _, ok := p.heard.responses[id]; return ok }); err != nil {
			return fmt.Errorf("the request %s: %w", id, err)
		}
	}
	for method, list := range said.requests {
		came := func() bool { return len(p.heard.requests[method]) >= len(list) }
		if err := p.until(at, func() bool { return came() || p.idle() }); err != nil {
			return fmt.Errorf("request %d of %s did not come: %w", len(list), method, err)
		}
		if err := p.wait(p.o.Settle, came); err != nil && !errors.Is(err, errSilent) {
			return err
		}
	}
	err := p.wait(p.o.Settle, func() bool {
		for kind, n := range said.updates {
			if p.heard.updates[kind] < n {
				return false
			}
		}
		return true
	})
	if errors.Is(err, errSilent) {
		return nil
	}
	return err
}

// idle says whether the program has answered all that it was asked. mu is held.
func (p *player) idle() bool {
	for _, id := range p.asked {
		if _, ok := p.heard.responses[id]; !ok {
			return false
		}
	}
	return true
}

// until waits for what must come. When the program is stuck with requests that
// are answered later in the log, or not at all, they are answered at once.
func (p *player) until(at int, is func() bool) error {
	deadline := time.Now().Add(p.o.Timeout)
	for {
		err := p.wait(min(p.o.Settle, time.Until(deadline)), is)
		if !errors.Is(err, errSilent) || time.Now().After(deadline) {
			return err
		}
		if err := p.unstick(at); err != nil {
			return err
		}
	}
}
