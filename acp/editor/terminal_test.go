package editor

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// terminals is a client whose terminal ends with status when it is told to.
type terminals struct {
	*client
	end    chan acp.TerminalExitStatus
	output acp.TerminalOutputResponse
}

func newTerminals() *terminals {
	c := &terminals{client: &client{}, end: make(chan acp.TerminalExitStatus, 1)}
	c.on(acp.MethodTerminalCreate, func(context.Context, json.RawMessage) (any, error) {
		return acp.CreateTerminalResponse{TerminalID: "t1"}, nil
	})
	c.on(acp.MethodTerminalWait, func(ctx context.Context, _ json.RawMessage) (any, error) {
		select {
		case s := <-c.end:
			return s, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	c.on(acp.MethodTerminalOutput, func(context.Context, json.RawMessage) (any, error) { return c.output, nil })
	return c
}

// killable ends the terminal by a signal when it is killed.
func (c *terminals) killable() *terminals {
	c.on(acp.MethodTerminalKill, func(context.Context, json.RawMessage) (any, error) {
		c.end <- acp.TerminalExitStatus{Signal: "SIGKILL"}
		return acp.Empty{}, nil
	})
	return c
}

func run(ctx context.Context, t *testing.T, c *terminals, command proc.Command) proc.Process {
	t.Helper()
	p, err := newEditor(t, c.client, Options{Capabilities: everything}).Start(ctx, command)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ptr[T any](v T) *T { return &v }

func TestCommandEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status acp.TerminalExitStatus
		code   *int
		signal string
	}{
		{"exit code", acp.TerminalExitStatus{ExitCode: ptr(uint32(3))}, ptr(3), ""},
		{"success", acp.TerminalExitStatus{ExitCode: ptr(uint32(0))}, ptr(0), ""},
		{"signal", acp.TerminalExitStatus{Signal: "SIGKILL"}, nil, "SIGKILL"},
		{"both", acp.TerminalExitStatus{ExitCode: ptr(uint32(137)), Signal: "SIGKILL"}, nil, "SIGKILL"},
		{"neither", acp.TerminalExitStatus{}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newTerminals()
				c.output = acp.TerminalOutputResponse{Output: "a\r\nb\n"}
				p := run(t.Context(), t, c, proc.Command{Line: "x", Dir: "/w"})
				time.AfterFunc(time.Second, func() { c.end <- tt.status })
				exit, err := p.Wait(t.Context())
				if err != nil || !equal(exit.Code, tt.code) || exit.Signal != tt.signal || exit.TimedOut || exit.Aborted {
					t.Errorf("%+v, %v", exit, err)
				}
				if exit.Stdout.Text != "a\nb\n" || exit.Stdout.Truncated || exit.Duration != time.Second {
					t.Errorf("%+v", exit)
				}
				if p.Terminal() != "t1" {
					t.Errorf("terminal %q", p.Terminal())
				}
				p.Release()
				p.Release()
				want := []string{acp.MethodTerminalCreate, acp.MethodTerminalWait, acp.MethodTerminalOutput, acp.MethodTerminalRelease}
				if got := c.methods(); !slices.Equal(got, want) {
					t.Errorf("asked %v", got)
				}
				if again, err := p.Wait(t.Context()); err != nil || again.Signal != exit.Signal {
					t.Errorf("waiting again: %+v, %v", again, err)
				}
			})
		})
	}
}

func equal(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

// TestCancelKills: within a second, whatever the client does (field report 32).
func TestCancelKills(t *testing.T) {
	for _, tt := range []struct {
		name    string
		client  func() *terminals
		how     func(p proc.Process, cancel func())
		within  time.Duration
		signal  string
		timeout bool
	}{
		{"context", func() *terminals { return newTerminals().killable() }, func(_ proc.Process, cancel func()) { cancel() }, 0, "SIGKILL", false},
		{"stop", func() *terminals { return newTerminals().killable() }, func(p proc.Process, _ func()) { p.Stop(); p.Stop() }, 0, "SIGKILL", false},
		{"timeout", func() *terminals { return newTerminals().killable() }, func(proc.Process, func()) {}, 0, "SIGKILL", true},
		{"a client that does not kill", newTerminals, func(p proc.Process, _ func()) { p.Stop() }, patience, "", false},
		{"a client that answers nothing", func() *terminals {
			c := newTerminals()
			for _, method := range []string{acp.MethodTerminalKill, acp.MethodTerminalRelease} {
				c.on(method, func(ctx context.Context, _ json.RawMessage) (any, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})
			}
			return c
		}, func(p proc.Process, _ func()) { p.Stop() }, 2 * patience, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := tt.client()
				c.output = acp.TerminalOutputResponse{Output: "part"}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				command := proc.Command{Line: "x"}
				if tt.timeout {
					command.Timeout = time.Minute
				}
				p := run(ctx, t, c, command)
				synctest.Wait()
				start := time.Now().Add(command.Timeout)
				tt.how(p, cancel)
				exit, err := p.Wait(context.Background())
				if err != nil || exit.Code != nil || exit.Signal != tt.signal || exit.TimedOut != tt.timeout || exit.Aborted == tt.timeout {
					t.Errorf("%+v, %v", exit, err)
				}
				p.Release()
				if took := time.Since(start); took > tt.within+patience || took > time.Second {
					t.Errorf("ended after %v", took)
				}
				methods := c.methods()
				if !slices.Contains(methods, acp.MethodTerminalKill) || methods[len(methods)-1] != acp.MethodTerminalRelease {
					t.Errorf("asked %v", methods)
				}
				if got := exit.Stdout.Text; (got == "part") != tt.timeout {
					t.Errorf("output %q", got)
				}
			})
		})
	}
}

// TestWaitGivesUp: the command goes on.
func TestWaitGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTerminals()
		p := run(t.Context(), t, c, proc.Command{Line: "x"})
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer cancel()
		if _, err := p.Wait(ctx); err != cause {
			t.Errorf("error %v", err)
		}
		if slices.Contains(c.methods(), acp.MethodTerminalKill) {
			t.Error("killed")
		}
		c.end <- acp.TerminalExitStatus{ExitCode: ptr(uint32(0))}
		if exit, err := p.Wait(t.Context()); err != nil || !equal(exit.Code, ptr(0)) {
			t.Errorf("%+v, %v", exit, err)
		}
	})
}

// TestCancelWhileCreating ends a terminal that is made too late.
func TestCancelWhileCreating(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTerminals().killable()
		c.on(acp.MethodTerminalCreate, func(context.Context, json.RawMessage) (any, error) {
			time.Sleep(time.Second)
			return acp.CreateTerminalResponse{TerminalID: "late"}, nil
		})
		e := newEditor(t, c.client, Options{Capabilities: everything})
		cause := errors.New("cancelled")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, cause)
		defer cancel()
		if _, err := e.Start(ctx, proc.Command{Line: "x"}); err != cause {
			t.Errorf("error %v", err)
		}
		time.Sleep(2 * time.Second)
		for _, method := range []string{acp.MethodTerminalKill, acp.MethodTerminalRelease} {
			if got := c.last(method); got != `{"sessionId":"s1","terminalId":"late"}` {
				t.Errorf("%s %s", method, got)
			}
		}
	})
}

// TestCloseEndsTerminals: also those that nobody released.
func TestCloseEndsTerminals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTerminals().killable()
		e := New(c.client, Options{Capabilities: everything})
		p, err := e.Start(t.Context(), proc.Command{Line: "x"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		e.Close()
		if exit, err := p.Wait(t.Context()); err != nil || !exit.Aborted {
			t.Errorf("%+v, %v", exit, err)
		}
		if got := c.methods(); got[len(got)-1] != acp.MethodTerminalRelease || !slices.Contains(got, acp.MethodTerminalKill) {
			t.Errorf("asked %v", got)
		}
		var refused *proc.Error
		if _, err := e.Start(t.Context(), proc.Command{Line: "x"}); !errors.As(err, &refused) || refused.Code != proc.CodeShuttingDown {
			t.Errorf("error %v", err)
		}
	})
}

func TestCommandsThatDoNotStart(t *testing.T) {
	c := newTerminals()
	c.on(acp.MethodTerminalCreate, func(context.Context, json.RawMessage) (any, error) {
		return nil, jsonrpc2.NewError(jsonrpc2.InternalError, "no such\nfolder")
	})
	_, err := newEditor(t, c.client, Options{Capabilities: everything}).Start(t.Context(), proc.Command{Line: "x"})
	var e *proc.Error
	if !errors.As(err, &e) || e.Code != proc.CodeSpawnFailed || !strings.Contains(e.Message, "no such folder") || e.Hint == "" {
		t.Errorf("error %v", err)
	}
}

// TestWaitIsRefused: a client that cannot say how a command ended.
func TestWaitIsRefused(t *testing.T) {
	for _, method := range []string{acp.MethodTerminalWait, acp.MethodTerminalOutput} {
		c := newTerminals()
		c.end <- acp.TerminalExitStatus{ExitCode: ptr(uint32(0))}
		c.on(method, func(context.Context, json.RawMessage) (any, error) { return nil, gone })
		p := run(t.Context(), t, c, proc.Command{Line: "x"})
		if _, err := p.Wait(t.Context()); !errors.Is(err, gone) {
			t.Errorf("%s: error %v", method, err)
		}
		p.Release()
	}
}

// TestSpelling: how a line becomes command and args depends on the client.
func TestSpelling(t *testing.T) {
	shell := proc.FindShell()
	argv, _ := acp.Encode(append(slices.Clone(shell.Args), `echo "a b" | wc`))
	path, _ := acp.Encode(shell.Path)
	for _, tt := range []struct{ client, want string }{
		{"", `"command":` + string(path) + `,"args":` + string(argv) + `,`},
		{"acpx", `"command":` + string(path) + `,"args":` + string(argv) + `,`},
		{"zed", `"command":"echo \"a b\" | wc","env"`},
		{"Zed", `"command":"echo \"a b\" | wc","env"`},
		{"vscode-acp-client", `"command":"echo \"a b\" | wc","env"`},
	} {
		c := newTerminals()
		c.end <- acp.TerminalExitStatus{}
		e := newEditor(t, c.client, Options{Capabilities: everything, Client: tt.client})
		p, err := e.Start(t.Context(), proc.Command{Line: `echo "a b" | wc`, Dir: "/w", Env: []string{"A=b=c"}})
		if err != nil {
			t.Fatal(err)
		}
		p.Release()
		got := c.last(acp.MethodTerminalCreate)
		if !strings.HasPrefix(got, `{"sessionId":"s1",`+tt.want) {
			t.Errorf("%q: %s", tt.client, got)
		}
		for _, part := range []string{`{"name":"A","value":"b=c"}`, `{"name":"GIT_TERMINAL_PROMPT","value":"0"}`, `"cwd":"/w"`, `"outputByteLimit":4194304`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s is not in %s", part, got)
			}
		}
	}
}

func TestLongOutput(t *testing.T) {
	long := strings.Repeat("some line\n", 20_000)
	for _, tt := range []struct {
		name      string
		truncated bool
		spill     func(*strings.Builder) func(string) (io.WriteCloser, string, error)
		ref       string
		kept      string
	}{
		{"kept", false, func(b *strings.Builder) func(string) (io.WriteCloser, string, error) {
			return func(string) (io.WriteCloser, string, error) { return closer{b}, "ref1", nil }
		}, "ref1", long},
		{"the client has not all", true, func(b *strings.Builder) func(string) (io.WriteCloser, string, error) {
			return func(string) (io.WriteCloser, string, error) { return closer{b}, "ref1", nil }
		}, "", ""},
		{"no place", false, func(*strings.Builder) func(string) (io.WriteCloser, string, error) {
			return func(string) (io.WriteCloser, string, error) { return nil, "", errors.New("disk full") }
		}, "", ""},
		{"nobody wants it", false, func(*strings.Builder) func(string) (io.WriteCloser, string, error) { return nil }, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTerminals()
			c.output = acp.TerminalOutputResponse{Output: long, Truncated: tt.truncated}
			c.end <- acp.TerminalExitStatus{ExitCode: ptr(uint32(0))}
			var kept strings.Builder
			p := run(t.Context(), t, c, proc.Command{Line: "x", Spill: tt.spill(&kept)})
			exit, err := p.Wait(t.Context())
			out := exit.Stdout
			if err != nil || !out.Truncated || out.Ref != tt.ref || out.Total != int64(len(long)) || len(out.Text) > proc.DefaultKeep || !strings.HasSuffix(long, out.Text) {
				t.Errorf("%d bytes of %d, truncated %t, ref %q, %v", len(out.Text), out.Total, out.Truncated, out.Ref, err)
			}
			if kept.String() != tt.kept {
				t.Errorf("%d bytes are kept", kept.Len())
			}
			p.Release()
		})
	}
}

type closer struct{ *strings.Builder }

func (closer) Close() error { return nil }
