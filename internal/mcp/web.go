package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// web carries the connection to a streamable HTTP server.
type web struct {
	sdk.StreamableClientTransport
	base   *http.Transport
	cancel context.CancelFunc
}

// newWeb returns the carrier for a server.
func newWeb(config ServerConfig, o Options) (*web, error) {
	u, err := url.Parse(config.URL)
	if err != nil {
		return nil, fmt.Errorf("its address is not valid: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its address does not begin with http:// or https://")
	}
	w := &web{base: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}}
	d := &door{base: w.base, origin: u, header: config.Header, wait: o.ConnectTimeout / 4, max: int64(o.MaxMessage)}
	d.life, w.cancel = context.WithCancel(context.Background())
	w.StreamableClientTransport = sdk.StreamableClientTransport{
		Endpoint: config.URL, HTTPClient: &http.Client{Transport: d}, MaxEventSize: o.MaxMessage,
	}
	return w, nil
}

// end ends the session and every request of it.
func (w *web) end(session *sdk.ClientSession) {
	if session != nil {
		_ = session.Close() // a server that does not hear of it forgets the session by itself
	}
	w.cancel()
	w.base.CloseIdleConnections()
}

// trouble has nothing to add to what requests say.
func (w *web) trouble() string { return "" }

// door is what all requests to one server go through.
type door struct {
	base   http.RoundTripper
	origin *url.URL
	header http.Header
	// life ends with the carrier, and with it each request.
	life context.Context
	// wait bounds how long the server may take to open a stream, max its answers
	// in bytes.
	wait time.Duration
	max  int64
}

// farewell bounds the request that tells a server of the end of its session.
const farewell = time.Second

// RoundTrip sends a request with the server's own headers, but to its host
// alone: a redirect must not take secrets elsewhere. Bodies are bounded, and so
// is the wait for the first byte of a stream of events, which servers need not
// offer: then the answer is that there is none.
func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	unhook := context.AfterFunc(d.life, func() { cancel(errEnded) })
	r = r.Clone(ctx)
	if r.URL.Host == d.origin.Host && (r.URL.Scheme == d.origin.Scheme || r.URL.Scheme == "https") {
		for name, values := range d.header {
			if name = http.CanonicalHeaderKey(name); r.Header[name] == nil { // the protocol's own stay
				r.Header[name] = values
			}
		}
	}
	stop := d.bound(r.Method, cancel)
	response, err := d.base.RoundTrip(r)
	stop()
	if errors.Is(context.Cause(ctx), errNoStream) {
		unhook()
		if response != nil {
			response.Body.Close()
		}
		return noStream(r), nil
	}
	if err != nil {
		unhook()
		cancel(nil)
		return nil, err
	}
	response.Body = &body{ReadCloser: response.Body, left: d.limit(response), end: func() { unhook(); cancel(nil) }}
	return response, nil
}

// bound cancels a request whose answer does not begin in time, where there is
// such a time; stop ends the wait.
func (d *door) bound(method string, cancel context.CancelCauseFunc) (stop func() bool) {
	switch method {
	case http.MethodGet:
		return time.AfterFunc(d.wait, func() { cancel(errNoStream) }).Stop
	case http.MethodDelete:
		return time.AfterFunc(farewell, func() { cancel(context.DeadlineExceeded) }).Stop
	}
	return func() bool { return true }
}

// errNoStream is the cause of a request for a stream that was not answered.
var errNoStream = errors.New("the server opens no stream")

// noStream is the answer of a server without a stream of events.
func noStream(r *http.Request) *http.Response {
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
}

// limit is how many bytes of an answer are read; streams of events have no end,
// and the SDK bounds each event.
func (d *door) limit(r *http.Response) int64 {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return -1
	}
	return d.max
}

// body is the body of an answer: bounded, and the end of its request.
type body struct {
	io.ReadCloser
	left int64 // negative: without a bound
	end  func()
}

// Read reads no more than is left.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left < 0 {
		return n, err
	}
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, proc.ErrLineTooLong
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
