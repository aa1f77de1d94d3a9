package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/agent-ls/agent-ls/agent"
)

// DefaultIdle is how long a server may say nothing.
const DefaultIdle = 5 * time.Minute

// Endpoint is a server as the user configured it.
type Endpoint struct {
	// Name is what the user calls it, for messages.
	Name string
	// BaseURL is where it is, "" for the SDK's own.
	BaseURL string
	Key     *Key
	// Hint says where a key can be put.
	Hint string
	// Header are further headers.
	Header map[string]string
	// Client makes the requests, see NewClient.
	Client *http.Client
}

// NewClient returns a client that gives up on a server that says nothing for
// idle, and copies the traffic to recorder where that is not nil. It makes no
// request again by itself.
func NewClient(idle time.Duration, recorder *Recorder) *http.Client {
	var transport http.RoundTripper = http.DefaultTransport.(*http.Transport).Clone()
	if recorder != nil {
		transport = &recording{next: transport, to: recorder}
	}
	return &http.Client{Transport: &watched{next: transport, idle: idle}}
}

// Login returns the key; without one it is a *agent.ProviderError that says
// where to put it.
func (e *Endpoint) Login(ctx context.Context) (string, error) {
	key, err := e.Key.Get(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", &agent.ProviderError{
			Status: http.StatusUnauthorized, Login: true,
			Message: fmt.Sprintf("%s: %v. %s", e.Name, err, e.Hint),
		}
	}
	return key, nil
}

// errIdle is why a request of a silent server ends.
type errIdle struct{ after time.Duration }

func (e errIdle) Error() string { return fmt.Sprintf("the server said nothing for %v", e.after) }

// watched ends requests whose server says nothing.
type watched struct {
	next http.RoundTripper
	idle time.Duration
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(w.idle, func() { cancel(errIdle{w.idle}) })
	response, err := w.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		timer.Stop()
		err = causeOf(ctx, err)
		cancel(nil)
		return nil, err
	}
	response.Body = &watchedBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, timer: timer, idle: w.idle}
	return response, nil
}

// causeOf is why a request failed: err, or what ended its context.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && cause != nil {
		return cause
	}
	return err
}

// watchedBody is a body whose reads wind the watch up again.
type watchedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}
	b.timer.Reset(b.idle)
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
