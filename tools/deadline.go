package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// abandonGrace is how long an abandonable tool may go on after its context
// ended (tools.md §3.5.6).
const abandonGrace = 5 * time.Second

// deadline keeps the tools' own deadlines (tools.md §3.5) and owns those that
// it gave up waiting for.
type deadline struct {
	grace time.Duration

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed while nothing runs
}

func newDeadline(grace time.Duration) *deadline {
	idle := make(chan struct{})
	close(idle)
	return &deadline{grace: grace, idle: idle}
}

// expired is the cause of a context whose tool ran out of its own time. Each
// call has one of its own: only it tells the tool's deadline from others.
type expired struct{ after time.Duration }

// Error is the text of tools.md §3.5.2.
func (e *expired) Error() string {
	return fmt.Sprintf("tool call timed out after %dms", e.after.Milliseconds())
}

// Unwrap makes it a deadline like any other.
func (e *expired) Unwrap() error { return context.DeadlineExceeded }

// around runs the tool within its deadline. When that has fired, whatever the
// tool returned is replaced; when the caller gave up first, it is not.
func (d *deadline) around(ctx context.Context, def *Definition, log *slog.Logger, tool func(context.Context) Result) Result {
	if def.Timeout <= 0 {
		return d.await(ctx, def, log, tool)
	}
	own := &expired{def.Timeout}
	limited, cancel := context.WithTimeoutCause(ctx, def.Timeout, own)
	defer cancel()
	r := d.await(limited, def, log, tool)
	if errors.Is(context.Cause(limited), own) {
		return errorResult(&ErrorInfo{Name: "ToolTimeoutError", Code: CodeToolTimeout}, own.Error())
	}
	return r
}

// await waits for the tool to settle, however long it takes; for an
// abandonable one no longer than the grace after ctx has ended.
func (d *deadline) await(ctx context.Context, def *Definition, log *slog.Logger, tool func(context.Context) Result) Result {
	if !def.Abandonable {
		return tool(ctx)
	}
	settled := make(chan Result, 1)
	var late atomic.Bool
	d.enter()
	go func() {
		defer d.leave()
		settled <- tool(ctx)
		if late.Load() {
			log.Warn("tools: dropped the late result of an abandoned tool", "tool", def.Name)
		}
	}()
	select {
	case r := <-settled:
		return r
	case <-ctx.Done():
	}
	grace := time.NewTimer(d.grace)
	defer grace.Stop()
	select {
	case r := <-settled:
		return r
	case <-grace.C:
	}
	late.Store(true)
	log.Warn("tools: gave up waiting for a tool", "tool", def.Name, "grace", d.grace)
	return aborted()
}

func (d *deadline) enter() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running == 0 {
		d.idle = make(chan struct{})
	}
	d.running++
}

func (d *deadline) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running--; d.running == 0 {
		close(d.idle)
	}
}

// wait returns when no abandonable tool runs.
func (d *deadline) wait(ctx context.Context) error {
	d.mu.Lock()
	idle := d.idle
	d.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running == 0 {
		return nil
	}
	return fmt.Errorf("%d abandoned tool calls still run: %w", d.running, context.Cause(ctx))
}

// ClampTimeout returns the time for a call that asked for requested, a number
// of milliseconds called name, or nil for none: the default then, and never
// more than limit. A default or limit of 0 means none; so does a result of 0.
// An asked time that is not positive and finite is an error (tools.md §3.5.4).
func ClampTimeout(name string, requested *float64, def, limit time.Duration) (time.Duration, error) {
	d := def
	if requested != nil {
		ms := *requested
		if !(ms > 0) || math.IsInf(ms, 0) {
			return 0, &Error{
				Name: "ToolArgsError", Code: CodeInvalidArgs,
				Message: name + " must be a positive finite number",
				Hint:    "Leave it out for the default, or give milliseconds",
			}
		}
		d = milliseconds(ms)
	}
	if limit > 0 && (d <= 0 || d > limit) {
		d = limit
	}
	return max(d, 0), nil
}

// milliseconds converts ms > 0 to a Duration, at least 1 ns, at most all
// there is.
func milliseconds(ms float64) time.Duration {
	ns := ms * float64(time.Millisecond)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(time.Duration(ns), 1)
}
