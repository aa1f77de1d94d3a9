package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

func TestIDs(t *testing.T) {
	for n := int64(1); n < 4; n++ {
		id, ok := OwnID(WireID(jsonrpc2.NewNumberID(n)))
		if got, _ := id.Number(); !ok || got != n {
			t.Errorf("%d came back as %d, %v", n, got, ok)
		}
	}
	if WireID(jsonrpc2.NewNumberID(1)) != FirstID {
		t.Error("the first id is another")
	}
	for _, n := range []int64{-1, 0, 1, FirstID - 1} {
		if _, ok := OwnID(n); ok {
			t.Errorf("%d counts as ours", n)
		}
	}
}

// pair is two connections to each other; handler serves what the first asks.
func pair(t *testing.T, handler jsonrpc2.Handler) jsonrpc2.Conn {
	t.Helper()
	a, b := net.Pipe()
	client := jsonrpc2.NewConn(jsonrpc2.NewNDJSONStream(a))
	server := jsonrpc2.NewConn(jsonrpc2.NewNDJSONStream(b))
	client.Go(context.Background(), func(context.Context, *jsonrpc2.Request) (any, error) { return nil, jsonrpc2.ErrMethodNotFound })
	server.Go(t.Context(), handler) // ends before the cleanup
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), server.Close()); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Log(err)
		}
	})
	return client
}

func TestProtect(t *testing.T) {
	type key struct{}
	quiet := slog.New(slog.DiscardHandler)
	client := pair(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		own := context.WithValue(context.Background(), key{}, "ours")
		return Protect(own, ctx, req, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
			if req.Method() == "panics" {
				panic("on purpose")
			}
			jsonrpc2.Async(ctx) // finds its token in the other context
			return ctx.Value(key{}), nil
		}, quiet)
	})
	var got string
	if _, err := client.Call(t.Context(), "hello", nil, &got); err != nil || got != "ours" {
		t.Errorf("%q, %v", got, err)
	}
	_, err := client.Call(t.Context(), "panics", nil, &got)
	var e *jsonrpc2.Error
	if !errors.As(err, &e) || e.Code != jsonrpc2.InternalError {
		t.Errorf("a panic is %v", err)
	}
	if _, err := client.Call(t.Context(), "hello", nil, &got); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

func TestCallIsWithdrawn(t *testing.T) {
	asked := make(chan struct{}, 1)
	client := pair(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		jsonrpc2.Async(ctx)
		if req.Method() == "echo" {
			return "hello", nil
		}
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	none := func(context.Context, int64) { t.Error("withdrawn") }
	life, die := context.WithCancelCause(context.Background())
	if raw, err := Call(t.Context(), life, client, "echo", nil, none); err != nil || string(raw) != `"hello"` {
		t.Errorf("%s, %v", raw, err)
	}
	why := errors.New("why")
	for name, end := range map[string]func(cancel, die context.CancelCauseFunc){
		"the caller gives up":    func(cancel, _ context.CancelCauseFunc) { cancel(why) },
		"the connection is over": func(_, die context.CancelCauseFunc) { die(why) },
	} {
		life, die := context.WithCancelCause(context.Background())
		ctx, cancel := context.WithCancelCause(t.Context())
		withdrawn := int64(0)
		go func() {
			<-asked
			end(cancel, die)
		}()
		_, err := Call(ctx, life, client, "wait", nil, func(ctx context.Context, id int64) {
			if ctx.Err() != nil {
				t.Errorf("%s: the context of the withdrawal has ended", name)
			}
			withdrawn = id
		})
		if !errors.Is(err, why) || withdrawn < FirstID {
			t.Errorf("%s: %v, withdrawn %d", name, err, withdrawn)
		}
		cancel(nil)
		die(nil)
	}
	die(why)
	_, err := Call(t.Context(), life, client, "wait", nil, func(context.Context, int64) {})
	if !errors.Is(err, why) {
		t.Errorf("on an ended connection: %v", err)
	}
}
