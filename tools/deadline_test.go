package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// timed returns a pipeline with one tool of the given deadline.
func timed(t *testing.T, timeout time.Duration, abandonable bool, fn func(ctx context.Context) (Result, error)) *Pipeline {
	d := tool("n", func(ctx context.Context, _ json.RawMessage, _ *Context) (Result, error) { return fn(ctx) })
	d.Timeout, d.Abandonable = timeout, abandonable
	return newTestPipeline(t, d)
}

// untilDone waits for the end of ctx, as a cooperative tool does.
func untilDone(ctx context.Context) (Result, error) {
	<-ctx.Done()
	return Result{}, ctx.Err()
}

func TestDeadline(t *testing.T) {
	const timedOut = "Error: tool call timed out after 20ms"
	tests := []struct {
		name string
		tool func(ctx context.Context) (Result, error)
		want string
		code string // "" means success
	}{
		{"fast", func(context.Context) (Result, error) { return TextResult("ok"), nil }, "ok", ""},
		{"cooperative", untilDone, timedOut, CodeToolTimeout},
		{"own success", func(ctx context.Context) (Result, error) { <-ctx.Done(); return TextResult("ok"), nil }, timedOut, CodeToolTimeout},
		{"own error", func(ctx context.Context) (Result, error) {
			<-ctx.Done()
			return Result{}, &Error{Code: "HTTP", Message: "connection closed"}
		}, timedOut, CodeToolTimeout},
		{"never races", func(context.Context) (Result, error) { time.Sleep(time.Hour); return TextResult("ok"), nil }, timedOut, CodeToolTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := timed(t, 20*time.Millisecond, false, tt.tool)
				live := false
				p.OnPostExecute(func(ctx context.Context, _ Execution, _ Result, next func() (PostDecision, error)) (PostDecision, error) {
					_, limited := ctx.Deadline()
					live = ctx.Err() == nil && !limited // the caller's context is back
					return next()
				})
				r := run(p, "n", "")
				if tt.code == "" {
					wantText(t, r, tt.want)
				} else {
					wantError(t, r, tt.want, tt.code)
					if r.Error.Name != "ToolTimeoutError" || r.Thrown {
						t.Errorf("got %+v", r)
					}
				}
				if !live {
					t.Error("the deadline outlives the tool")
				}
			})
		})
	}
}

func TestNoDeadline(t *testing.T) {
	p := timed(t, 0, false, func(ctx context.Context) (Result, error) {
		if _, limited := ctx.Deadline(); limited {
			t.Error("there is a deadline")
		}
		return TextResult("ok"), nil
	})
	wantText(t, run(p, "n", ""), "ok")
}

// TestCallersEndIsNoTimeout: a cancel, or a deadline of somebody else, is not
// the tool's own (tools.md §3.5.2).
func TestCallersEndIsNoTimeout(t *testing.T) {
	tests := []struct {
		name string
		end  func(ctx context.Context) (context.Context, context.CancelFunc)
	}{
		{"cancel", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}},
		{"outer deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}},
		{"outer tool's deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, time.Second, &expired{time.Second})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := tt.end(context.Background())
				defer cancel()
				p := timed(t, time.Minute, false, untilDone)
				wantError(t, p.ExecuteRaw(ctx, nil, Call{ID: "c", Name: "n"}), "Error: Operation aborted", CodeAborted)
			})
		})
	}
}

// TestAbandonable: a tool that ignores its end is given up a grace later; its
// late result goes nowhere, and Wait waits for it.
func TestAbandonable(t *testing.T) {
	tests := []struct {
		name     string
		timeout  time.Duration
		cancel   time.Duration // 0 means never
		took     time.Duration
		text     string
		code     string
		waitTook time.Duration
	}{
		{"deadline", time.Second, 0, time.Second + abandonGrace, "Error: tool call timed out after 1000ms", CodeToolTimeout, time.Hour},
		{"cancel", time.Minute, time.Second, time.Second + abandonGrace, "Error: Operation aborted", CodeAborted, time.Hour},
		{"cancel without a deadline", 0, time.Second, time.Second + abandonGrace, "Error: Operation aborted", CodeAborted, time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				p := timed(t, tt.timeout, true, func(context.Context) (Result, error) { time.Sleep(time.Hour); return TextResult("late"), nil })
				begin := time.Now()
				r := p.ExecuteRaw(ctx, &Run{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Call{ID: "c", Name: "n"})
				wantError(t, r, tt.text, tt.code)
				if took := time.Since(begin); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				short, stop := context.WithTimeout(context.Background(), time.Second)
				defer stop()
				if err := p.Wait(short); err == nil || !strings.Contains(err.Error(), "1 abandoned tool calls still run") || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Wait says %v", err)
				}
				if err := p.Wait(context.Background()); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took != time.Hour {
					t.Errorf("the tool was awaited for %v", took)
				}
				if !strings.Contains(log.String(), "gave up") || !strings.Contains(log.String(), "late result") {
					t.Errorf("log %s", &log)
				}
			})
		})
	}
}

func TestAbandonableThatBehaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fast := timed(t, time.Second, true, func(context.Context) (Result, error) { return TextResult("ok"), nil })
		wantText(t, run(fast, "n", ""), "ok")
		slow := timed(t, time.Second, true, func(ctx context.Context) (Result, error) {
			<-ctx.Done()
			time.Sleep(abandonGrace / 2)
			return Result{}, ctx.Err()
		})
		wantError(t, run(slow, "n", ""), "Error: tool call timed out after 1000ms", CodeToolTimeout)
		for _, p := range []*Pipeline{fast, slow} {
			if err := p.Wait(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestClampTimeout(t *testing.T) {
	ms := func(f float64) *float64 { return &f }
	tests := []struct {
		name       string
		requested  *float64
		def, limit time.Duration
		want       time.Duration
		bad        bool
	}{
		{"default", nil, time.Second, time.Minute, time.Second, false},
		{"asked", ms(1500), time.Second, time.Minute, 1500 * time.Millisecond, false},
		{"capped", ms(1e9), time.Second, time.Minute, time.Minute, false},
		{"default capped", nil, time.Hour, time.Minute, time.Minute, false},
		{"no default, capped", nil, 0, time.Minute, time.Minute, false},
		{"none", nil, 0, 0, 0, false},
		{"negative default is none", nil, -1, 0, 0, false},
		{"no cap", ms(1e9), 0, 0, 1e9 * time.Millisecond, false},
		{"tiny", ms(1e-9), 0, 0, 1, false},
		{"huge", ms(1e300), 0, 0, math.MaxInt64, false},
		{"zero", ms(0), time.Second, 0, 0, true},
		{"negative", ms(-1), time.Second, 0, 0, true},
		{"infinite", ms(math.Inf(1)), time.Second, 0, 0, true},
		{"no number", ms(math.NaN()), time.Second, 0, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ClampTimeout("timeout_ms", tt.requested, tt.def, tt.limit)
			if got != tt.want || (err != nil) != tt.bad {
				t.Errorf("got %v, %v, want %v, error %v", got, err, tt.want, tt.bad)
			}
			if tt.bad && !strings.HasPrefix(err.Error(), "timeout_ms must be a positive finite number") {
				t.Errorf("got %v", err)
			}
		})
	}
}
