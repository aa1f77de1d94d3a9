package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.lsp.dev/jsonrpc2"
)

// wire is the raw other side of a Conn.
type wire struct {
	t    *testing.T
	conn *Conn
	raw  net.Conn
	in   *bufio.Reader
}

// newWire starts a Conn with a handler. Run it in a synctest bubble: that finds
// the goroutines that are left.
func newWire(t *testing.T, o Options, handler jsonrpc2.Handler) *wire {
	t.Helper()
	ours, theirs := net.Pipe()
	w := &wire{t: t, conn: NewConn(ours, o), raw: theirs, in: bufio.NewReader(theirs)}
	w.conn.Go(t.Context(), handler)
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, w.in) }()
		if err := w.conn.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		theirs.Close()
	})
	return w
}

// send writes text in the background, since a pipe has no buffer.
func (w *wire) send(text string) {
	go func() { _, _ = io.WriteString(w.raw, text) }()
}

// line returns the next line that the Conn writes.
func (w *wire) line() string {
	w.t.Helper()
	line, err := w.in.ReadString('\n')
	if err != nil {
		w.t.Fatalf("read: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (w *wire) expect(want string) {
	w.t.Helper()
	if got := w.line(); got != want {
		w.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// answer is the next line as id and error code.
func (w *wire) answer() (id string, code int) {
	w.t.Helper()
	var m struct {
		ID    json.RawMessage
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(w.line()), &m); err != nil {
		w.t.Fatal(err)
	}
	return string(m.ID), m.Error.Code
}

// echo answers each request with its params.
func echo(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		return nil, nil
	}
	if req.Method() == "fail" {
		return nil, InvalidParams("two\nlines")
	}
	return json.RawMessage(req.Params()), nil
}

func TestLinesThatAreNoMessage(t *testing.T) {
	for _, tt := range []struct {
		line string
		id   string
		code int
	}{
		{`this is not JSON`, "null", -32700},
		{`{"jsonrpc":"2.0", this is not JSON`, "null", -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"x"} trailing`, "null", -32700},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", "null", -32700},
		{"\xff\xfe", "null", -32700},
		{`[`, "null", -32700},
		{`{"foo":1}`, "null", -32600},
		{`{"id":4}`, "null", -32600},
		{`42`, "null", -32600},
		{`"text"`, "null", -32600},
		{`null`, "null", -32600},
		{`true`, "null", -32600},
		{`[]`, "null", -32600},
		{`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, "null", -32600},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"x"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":[1],"method":"x"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":true,"method":"x"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":3,"method":7}`, "3", -32600},
		{`{"jsonrpc":"1.0","id":3,"method":"x"}`, "3", -32600},
		{`{"jsonrpc":"2.0","method":7}`, "null", -32600},
	} {
		t.Run(tt.line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, Options{}, echo)
				w.send(tt.line + "\n" + `{"jsonrpc":"2.0","id":"next","method":"ping","params":{}}` + "\n")
				if id, code := w.answer(); id != tt.id || code != tt.code {
					t.Errorf("answered id %s, code %d; want %s, %d", id, code, tt.id, tt.code)
				}
				w.expect(`{"jsonrpc":"2.0","id":"next","result":{}}`)
			})
		})
	}
}

func TestLinesThatAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{}, echo)
		w.send("\n   \n\r\n\t\n" +
			`{"jsonrpc":"2.0","method":"unknown/notification"}` + "\n" +
			`{"jsonrpc":"2.0","id":"stray","result":{}}` + "\n" +
			`{"jsonrpc":"2.0","id":5,"result":{}}` + "\n" +
			`{"jsonrpc":"2.0","id":1000000777,"result":{}}` + "\n" +
			`{"jsonrpc":"2.0","id":1000000001,"error":"odd"}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1]}}` + "\r\n")
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}`)
	})
}

func TestIDsComeBackExactly(t *testing.T) {
	for _, id := range []string{
		`0`, `7`, `-1`, `1.5`, `1e3`, `123456789012345678901234567890`, `9223372036854775808`,
		`""`, `"string-id-1"`, `"ünï/2"`, `"a\u00e9\n"`, `"\ud83d\ude00"`, `null`,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, Options{}, echo)
			w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping","params":{}}` + "\n")
			w.expect(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"fail"}` + "\n")
			w.expect(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"two lines"}}`)
		})
	}
}

func TestLineCap(t *testing.T) {
	const limit = 200
	ping := func(n int) string {
		head, tail := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"`, `"}}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail + "\n"
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{MaxLine: limit}, echo)
		for _, n := range []int{limit + 1, limit + 2, 10 * limit, 1 << 20} {
			w.send(ping(n))
			if id, code := w.answer(); id != "null" || code != -32600 {
				t.Errorf("a line of %d bytes is answered id %s, code %d", n, id, code)
			}
		}
		w.send(ping(limit))
		if id, code := w.answer(); id != "1" || code != 0 {
			t.Errorf("a line of the limit is answered id %s, code %d", id, code)
		}
	})
}

// TestLongLineIsNotStored proves that the memory for a skipped line does not
// grow with it.
func TestLongLineIsNotStored(t *testing.T) {
	const size = 64 << 20
	s := newStream(&halves{Reader: io.MultiReader(io.LimitReader(endless{}, size), strings.NewReader("\n"))},
		Options{MaxLine: 1 << 20}, func() {}, func(error) {})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.readLine()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != errTooLong || got > 16<<20 {
		t.Errorf("%d bytes allocated to skip a line of %d, error %v", got, size, err)
	}
}

// endless is a file of the letter x.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// halves is a transport made of a reader and a writer.
type halves struct {
	io.Reader
	io.Writer
}

func (*halves) Close() error { return nil }

// The tests of Call run in no synctest bubble: jsonrpc2 pools channels over
// connections.

func TestCall(t *testing.T) {
	w := newWire(t, Options{}, echo)
	type answer struct {
		raw json.RawMessage
		err error
	}
	answers := make(chan answer, 1)
	call := func() {
		raw, err := w.conn.Call(t.Context(), "ask", map[string]string{"q": "<&>"})
		answers <- answer{raw, err}
	}
	go call()
	w.expect(`{"jsonrpc":"2.0","method":"ask","params":{"q":"<&>"},"id":1000000001}`)
	w.send(`{"jsonrpc":"2.0","id":1000000001,"result":{"yes":true}}` + "\n")
	if a := <-answers; a.err != nil || string(a.raw) != `{"yes":true}` {
		t.Errorf("answer %s, %v", a.raw, a.err)
	}
	go call()
	w.line()
	w.send(`{"jsonrpc":"2.0","id":1000000002,"error":{"code":-32002,"message":"no\nfile","data":{"p":1}}}` + "\n")
	var e *jsonrpc2.Error
	if a := <-answers; !errors.As(a.err, &e) || e.Code != -32002 || e.Message != "no file" || string(e.Data) != `{"p":1}` {
		t.Errorf("error %#v", a.err)
	}
}

func TestCallIsWithdrawn(t *testing.T) {
	w := newWire(t, Options{}, echo)
	cause := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := w.conn.Call(ctx, "ask", nil)
		result <- err
	}()
	w.expect(`{"jsonrpc":"2.0","method":"ask","id":1000000001}`)
	cancel(cause)
	w.expect(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1000000001}}`)
	if err := <-result; err != cause {
		t.Errorf("error %v, want the cause", err)
	}
	// The late answer is nobody's; the connection lives.
	w.send(`{"jsonrpc":"2.0","id":1000000001,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	w.expect(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	if _, err := w.conn.Call(ctx, "ask", nil); err != cause {
		t.Errorf("a call with a context that is over: %v", err)
	}
}

// TestCloseEndsCalls: whoever waits for an answer is told that none comes.
func TestCloseEndsCalls(t *testing.T) {
	ours, theirs := net.Pipe()
	c := NewConn(ours, Options{})
	c.Go(t.Context(), echo)
	result := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), "ask", nil)
		result <- err
	}()
	in := bufio.NewReader(theirs)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, ErrEnded) {
		t.Errorf("error %v", err)
	}
	theirs.Close()
}

func TestCancelRequest(t *testing.T) {
	for _, id := range []string{`5`, `"a\u0062"`, `null`} {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, Options{}, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
				if req.Method() == "other" {
					return nil, nil
				}
				jsonrpc2.Async(ctx)
				<-ctx.Done()
				return nil, ctx.Err()
			})
			same := strings.ReplaceAll(id, `\u0062`, "b")
			w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"wait"}` + "\n" +
				`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"nothing"}}` + "\n" +
				`{"jsonrpc":"2.0","method":"$/cancel_request","params":"odd"}` + "\n" +
				`{"jsonrpc":"2.0","id":"alive","method":"other"}` + "\n" +
				`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + same + `}}` + "\n")
			w.expect(`{"jsonrpc":"2.0","id":"alive","result":{}}`)
			w.expect(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32800,"message":"request cancelled"}}`)
		})
	}
}

func TestAfterResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *wire
		after := func() { _ = w.conn.Notify(context.Background(), "after", nil) }
		w = newWire(t, Options{}, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
			jsonrpc2.Async(ctx)
			if req.Method() == "fail" {
				return nil, ErrorThen{Err: NotFound("nothing here"), Run: after}
			}
			return Then{Result: map[string]int{"n": 1}, Run: after}, nil
		})
		w.send(`{"jsonrpc":"2.0","id":1,"method":"new"}` + "\n")
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
		w.expect(`{"jsonrpc":"2.0","method":"after"}`)
		w.send(`{"jsonrpc":"2.0","id":2,"method":"fail"}` + "\n")
		w.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"nothing here"}}`)
		w.expect(`{"jsonrpc":"2.0","method":"after"}`)
	})
}

func TestHandlerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{}, func(_ context.Context, req *jsonrpc2.Request) (any, error) {
			if req.Method() == "panic" {
				panic("boom")
			}
			return nil, errors.New("plain\nerror")
		})
		w.send(`{"jsonrpc":"2.0","method":"panic"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"panic"}` + "\n")
		w.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error in panic"}}`)
		w.send(`{"jsonrpc":"2.0","id":2,"method":"x"}` + "\n")
		w.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"plain error"}}`)
	})
}

// TestWholeLines writes from many goroutines at once.
func TestWholeLines(t *testing.T) {
	const writers, each = 8, 50
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{}, echo)
		var wg sync.WaitGroup
		for n := range writers {
			wg.Go(func() {
				for i := range each {
					text := strings.Repeat("é\n", n*100+i)
					if err := w.conn.Notify(t.Context(), "n", map[string]string{"t": text}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range writers * each {
			if line := w.line(); !json.Valid([]byte(line)) {
				t.Fatalf("broken line %.80s", line)
			}
		}
		wg.Wait()
	})
}

// TestLinesStayOne proves that raw JSON with line ends in it becomes one line.
func TestLinesStayOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{}, func(context.Context, *jsonrpc2.Request) (any, error) {
			return json.RawMessage("{\n \"a\": 1\n}"), nil
		})
		go func() { _ = w.conn.Notify(t.Context(), "n", json.RawMessage("{\n \"b\": 2\n}")) }()
		w.expect(`{"jsonrpc":"2.0","method":"n","params":{"b":2}}`)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n")
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
	})
}
