package acp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// input is a transport whose input ends while its output lives on.
type input struct {
	io.Reader
	out *io.PipeWriter
}

func (i *input) Write(p []byte) (int, error) { return i.out.Write(p) }
func (i *input) Close() error                { return i.out.Close() }

func TestEndOfInput(t *testing.T) {
	for _, end := range []string{"\n", ""} {
		synctest.Test(t, func(t *testing.T) {
			out, in := io.Pipe()
			script := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"wait"}` + end
			c := NewConn(&input{strings.NewReader(script), in}, Options{})
			c.Go(t.Context(), func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
				if req.Method() == "wait" {
					jsonrpc2.Async(ctx)
					<-ctx.Done()
					return map[string]string{"stopReason": "cancelled"}, nil
				}
				return nil, nil
			})
			lines := bufio.NewScanner(out)
			for _, want := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}`} {
				if !lines.Scan() || lines.Text() != want {
					t.Errorf("got %s, want %s", lines.Text(), want)
				}
			}
			<-c.Done()
			if err := c.Err(); err != nil {
				t.Errorf("an end of input is the error %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEndOfInputIsBounded leaves a handler that does not end.
func TestEndOfInputIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, in := io.Pipe()
		release := make(chan struct{})
		c := NewConn(&input{strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"wait"}` + "\n"), in}, Options{})
		start := time.Now()
		c.Go(t.Context(), func(ctx context.Context, _ *jsonrpc2.Request) (any, error) {
			jsonrpc2.Async(ctx)
			<-release
			return nil, nil
		})
		<-c.Done()
		if took := time.Since(start); took != drainTime {
			t.Errorf("done after %v, want %v", took, drainTime)
		}
		close(release)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestWriteErrorEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, feed := io.Pipe()
		broken := errors.New("broken pipe")
		out, w := io.Pipe()
		_ = out.CloseWithError(broken)
		c := NewConn(&input{in, w}, Options{})
		ended := make(chan error, 1)
		c.Go(t.Context(), func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
			if req.Method() == "wait" {
				jsonrpc2.Async(ctx)
				<-ctx.Done()
				ended <- context.Cause(ctx)
			}
			return nil, nil
		})
		_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
		<-c.Done()
		if err := c.Err(); !errors.Is(err, broken) {
			t.Errorf("error %v, want %v", err, broken)
		}
		<-ended
		feed.Close()
		_ = c.Close()
	})
}

func TestContextEndsHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		ours, theirs := net.Pipe()
		c := NewConn(ours, Options{})
		ended := make(chan struct{})
		c.Go(ctx, func(ctx context.Context, _ *jsonrpc2.Request) (any, error) {
			jsonrpc2.Async(ctx)
			<-ctx.Done()
			close(ended)
			return nil, nil
		})
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		_, _ = io.WriteString(theirs, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n")
		cancel()
		<-ended
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		theirs.Close()
	})
}
