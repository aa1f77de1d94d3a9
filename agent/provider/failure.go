package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/agent"
)

// maxMessage bounds what of a server's message is shown, in bytes.
const maxMessage = 500

// Failure is what a server said when it refused a request or broke one off.
type Failure struct {
	// Status is the HTTP status, 0 when the answer had begun.
	Status int
	Header http.Header
	// Kind is the server's own word for it, Message its sentence.
	Kind, Message string
}

// Kinds of failures by the words of servers, whatever the status is.
var (
	temporaryKinds = []string{"rate_limit_error", "rate_limit_exceeded", "overloaded_error", "api_error", "server_error", "timeout_error", "internal_server_error"}
	// finalKinds are refusals that come with the status of a rate limit.
	finalKinds   = []string{"insufficient_quota", "billing_not_active", "billing_error"}
	loginKinds   = []string{"authentication_error", "invalid_api_key"}
	tooLongKinds = []string{"context_length_exceeded", "request_too_large", "exceed_context_size_error"}
	// tooLongWords are in the messages of servers without a kind for it.
	tooLongWords = []string{"context length", "context window", "context size", "prompt is too long", "maximum context", "input is too long", "too many tokens"}
)

// Fail turns a refusal into an error that is safe to show.
func (e *Endpoint) Fail(f Failure) *agent.ProviderError {
	p := &agent.ProviderError{
		Status: f.Status, RetryAfter: retryAfter(f.Header, time.Now()),
		Login: f.Status == http.StatusUnauthorized || slices.Contains(loginKinds, f.Kind),
		TooLong: f.Status == http.StatusRequestEntityTooLarge || slices.Contains(tooLongKinds, f.Kind) ||
			f.Status == http.StatusBadRequest && containsAny(strings.ToLower(f.Message), tooLongWords),
	}
	p.Temporary = !p.Login && !p.TooLong && !slices.Contains(finalKinds, f.Kind) &&
		(slices.Contains(temporaryKinds, f.Kind) || temporaryStatus(f.Status))
	p.Message = e.Name + ": " + e.say(f)
	if p.Login {
		e.Key.Forget()
		p.Message += ". " + e.Hint
	}
	return p
}

// say is what a failure was, in one line.
func (e *Endpoint) say(f Failure) string {
	var parts []string
	if f.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", f.Status, http.StatusText(f.Status))))
	}
	if message := e.clean(f.Message); message != "" {
		parts = append(parts, message)
	}
	if len(parts) == 0 {
		parts = append(parts, "the server broke the answer off")
	}
	return strings.Join(parts, ": ")
}

// clean makes one line of a server's message, without a key.
func (e *Endpoint) clean(message string) string {
	message = strings.ToValidUTF8(strings.Join(strings.Fields(e.Key.Redact(message)), " "), "\uFFFD")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return strings.TrimSuffix(message, ".")
}

// temporaryStatus says that a request may succeed later.
func temporaryStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// Broken turns what broke a request off, other than a refusal of the server,
// into an error that is safe to show: the address is the user's, not the
// key's. The end of ctx is no failure and comes back as it is.
func (e *Endpoint) Broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	return &agent.ProviderError{Temporary: true, Message: e.Name + ": the connection to the model's server failed: " + e.clean(err.Error())}
}

// streamedPrefix is what the SDKs put before an error that a server sends in a
// stream.
const streamedPrefix = "received error while streaming: "

// Streamed returns what a server said when it broke a stream off.
func Streamed(err error) (said []byte, ok bool) {
	text, ok := strings.CutPrefix(err.Error(), streamedPrefix)
	return []byte(text), ok
}

// Cut is a stream that ended before the answer was complete.
func (e *Endpoint) Cut() error {
	return &agent.ProviderError{Temporary: true, Message: e.Name + ": the model's server ended its answer before it was complete"}
}

// retryAfter reads how long a server wants to be left alone.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
