package declared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// expired is the cause that ends a request that ran out of time.
type expired struct{ after time.Duration }

func (e *expired) Error() string {
	return fmt.Sprintf("tool call timed out after %dms", e.after.Milliseconds())
}

// executor returns the Execute of t.
func (s *Set) executor(t *checkedTool) func(context.Context, json.RawMessage, *tools.Context) (tools.Result, error) {
	return func(ctx context.Context, args json.RawMessage, tc *tools.Context) (tools.Result, error) {
		args, timeout := t.normalize(args)
		if len(args) > MaxMessage {
			return failed(tooLarge("arguments", len(args)))
		}
		leave, err := s.enter(ctx)
		if err != nil {
			return failed(err)
		}
		defer leave()
		return s.request(ctx, timeout, Request{
			SessionID: s.o.Session, ToolRequestID: tc.CallID, Tool: t.Name, Args: args, inline: t.Handler,
		})
	}
}

// enter waits until the session has no other request.
func (s *Set) enter(ctx context.Context) (leave func(), err error) {
	if s.life.Err() != nil {
		return nil, errEnded
	}
	select {
	case s.turnstile <- struct{}{}:
		return func() { <-s.turnstile }, nil
	case <-s.life.Done():
		return nil, errEnded
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// request makes one request and waits for its answer, its deadline, or the end
// of the call or of the session.
func (s *Set) request(ctx context.Context, timeout time.Duration, r Request) (tools.Result, error) {
	r.TimeoutMs, r.EmittedAt = timeout.Milliseconds(), s.o.Now()
	if s.o.Turn != nil {
		r.TurnID, r.TurnStartedAt = s.o.Turn()
	}
	ticket, err := s.pending.Begin(r)
	if err != nil {
		return failed(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.o.AfterFunc(timeout, func() { cancel(&expired{timeout}) })()
	defer context.AfterFunc(s.life, func() { cancel(errEnded) })()
	asked := make(chan struct{})
	if !s.send(ctx, ticket, r, asked) {
		cancel(errEnded)
	}
	answer, err := ticket.Wait(ctx)
	switch {
	case err != nil:
		withdrawn(asked)
		return failed(err)
	case answer.Err != nil:
		return failed(answer.Err)
	}
	return tools.Normalize(answer.Result), nil
}

// withdrawal is how long a call whose context has ended waits for its Caller
// to have withdrawn the request.
const withdrawal = time.Second

// withdrawn waits until a Caller that heeds its context has returned, so that
// nothing of a request goes out after the call has ended.
func withdrawn(asked <-chan struct{}) {
	timer := time.NewTimer(withdrawal)
	defer timer.Stop()
	select {
	case <-asked:
	case <-timer.C:
	}
}

// send starts the goroutine that asks, and closes asked when it is done; it is
// not started on a closed set.
func (s *Set) send(ctx context.Context, ticket *Ticket, r Request, asked chan<- struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(asked)
		return false
	}
	s.work.Go(func() {
		defer close(asked)
		a, none := s.ask(ctx, r)
		if !none && ticket.Answer(a) != nil {
			s.lateAnswer(r.ToolRequestID)
		}
	})
	return true
}

// ask calls the Caller and makes an answer of whatever it does; none means that
// it gave no answer, yet or at all.
func (s *Set) ask(ctx context.Context, r Request) (a Response, none bool) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Logger.Error("declared: a handler panicked", "tool", r.Tool, "panic", p, "stack", string(debug.Stack()))
			a, none = Response{Err: &Error{Code: CodeHandlerError, Message: "Tool handler panicked"}}, false
		}
	}()
	result, err := s.o.Caller.Call(ctx, r)
	if errors.Is(err, ErrDeferred) || gaveUp(ctx, err) {
		return Response{}, true
	}
	if err == nil {
		err = checkResult(result)
	}
	if err != nil {
		return Response{Err: handlerError(err)}, false
	}
	return Response{Result: result, Err: errorIn(result)}, false
}

// gaveUp reports whether a Caller only says that its context has ended, which
// is no answer.
func gaveUp(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// errorIn finds the error in a result {"error":{code,message,details}}, the
// form in which handlers of other processes fail (tools.md §4.3.1).
func errorIn(result json.RawMessage) *Error {
	fields, ok := fieldsOf(result)
	if !ok || len(fields) != 1 {
		return nil
	}
	var e Error
	if json.Unmarshal(fields["error"], &e) == nil && e.Message != "" {
		return handlerError(&e)
	}
	return nil
}

// checkResult refuses results that are too large or no JSON.
func checkResult(result json.RawMessage) error {
	if len(result) > MaxMessage {
		return tooLarge("result", len(result))
	}
	if err := schema.Lossless(result); err != nil {
		return &Error{Code: CodeHandlerError, Message: "tool result must be JSON: " + err.Error()}
	}
	return nil
}

// handlerError is the answer of a handler that failed: its own code when it
// has one, else TOOL_HANDLER_ERROR (tools.md §4.3.3).
func handlerError(err error) *Error {
	var own *Error
	if errors.As(err, &own) && own != nil {
		e := *own
		if e.Code == "" {
			e.Code = CodeHandlerError
		}
		return &e
	}
	e := &Error{Code: CodeHandlerError, Message: err.Error()}
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) && coded.ErrorCode() != "" {
		e.Code = coded.ErrorCode()
	}
	return e
}

// hints say what a model can do about a failure; those with a code of the
// application's own have the last one.
var hints = map[string]string{
	CodeToolTimeout: "The application may still be at work, but its answer will not be taken. " +
		"Look at its state before you call the tool again",
	CodeHandlerNotFound: "The application does not serve this tool now; go on without it",
	CodeMessageTooLarge: "Ask for less, or give less, in one call",
	CodeSessionEnded:    "Its tools are gone; go on without them",
	"":                  "Correct the call if the message says how, else go on without the tool",
}

// failed is the result of a call that failed: an answer like any other (tools.md
// §4.3.3), with {"error":{code,message,details}} as its details. Only a call
// that was cancelled has no result.
func failed(err error) (tools.Result, error) {
	var timeout *expired
	e := &Error{}
	switch {
	case errors.As(err, &timeout):
		e = &Error{Code: CodeToolTimeout, Message: timeout.Error()}
	case errors.Is(err, errEnded):
		e = &Error{Code: CodeSessionEnded, Message: errEnded.Error()}
	case !errors.As(err, &e):
		return tools.Result{}, err
	}
	hint, ok := hints[e.Code]
	if !ok {
		hint = hints[""]
	}
	r := tools.TextResult("Error: " + (&tools.Error{Message: e.Message, Hint: hint}).Error())
	r.IsError = true
	r.Error = &tools.ErrorInfo{Name: e.name(), Code: e.Code}
	if details, err := json.Marshal(map[string]*Error{"error": e}); err == nil {
		r.Details = details
	}
	return r, nil
}

func (e *Error) name() string {
	if e.Code == CodeToolTimeout {
		return "ToolTimeoutError"
	}
	return "DeclaredToolError"
}
