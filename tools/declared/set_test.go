package declared

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/tools"
)

// callerFunc is a Caller made of a function.
type callerFunc func(ctx context.Context, r Request) (json.RawMessage, error)

func (f callerFunc) Call(ctx context.Context, r Request) (json.RawMessage, error) { return f(ctx, r) }

// session is a session as far as a Set can tell: a registry with one scope,
// and a pipeline that runs its calls.
type session struct {
	*Set
	tb       testing.TB
	registry *tools.Registry
	scope    *tools.Scope
	pipeline *tools.Pipeline
	run      *tools.Run
	logs     *logs
}

// logs collects the messages of a logger.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newSession(tb testing.TB, o Options) *session {
	tb.Helper()
	r := tools.NewRegistry()
	s := &session{tb: tb, registry: r, scope: r.NewScope(), logs: &logs{}}
	o.Install = s.install
	if o.Session == "" {
		o.Session = "s1"
	}
	o.Logger = slog.New(slog.NewTextHandler(s.logs, nil))
	s.Set = NewSet(o)
	s.pipeline = tools.NewPipeline(r, s.scope)
	s.run = &tools.Run{Session: o.Session}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func (s *session) install(defs ...*tools.Definition) (func(), error) {
	var added []func()
	dispose := func() {
		for _, remove := range added {
			remove()
		}
	}
	for _, d := range defs {
		remove, err := s.registry.RegisterScoped(s.scope, d)
		if err != nil {
			dispose()
			return nil, err
		}
		added = append(added, remove)
	}
	return dispose, nil
}

// declare replaces the tools by those of a manifest's text.
func (s *session) declare(tools ...string) {
	s.tb.Helper()
	if err := s.Replace(mustManifest(s.tb, manifestOf(tools...))); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *session) call(ctx context.Context, id, name, args string) tools.Result {
	return s.pipeline.ExecuteRaw(ctx, s.run, tools.Call{ID: id, Name: name, Arguments: args})
}

// outcome is the code of a failed call, or the text of one that went well.
func outcome(r tools.Result) string {
	if r.IsError && r.Error != nil {
		return r.Error.Code
	}
	return textOfResult(r)
}

func textOfResult(r tools.Result) string {
	var b strings.Builder
	for _, block := range r.Content {
		b.WriteString(block.Text)
	}
	return b.String()
}

const counter = `{"name":"update_counter","description":"d","argsSchema":{"type":"object",
	"properties":{"delta":{"type":"integer","maximum":100},"label":{"type":"object","properties":{"text":{"type":"string"}}}},"required":["delta"]},"timeoutMs":1234}`

// Appendix A.10: what reaches the handler, and what is refused before it. The
// clock is fake, so that a short timeout never fires by accident.
func TestCallsOfDeclaredTools(t *testing.T) { synctest.Test(t, testCallsOfDeclaredTools) }

func testCallsOfDeclaredTools(t *testing.T) {
	var got Request
	s := newSession(t, Options{Caller: callerFunc(func(_ context.Context, r Request) (json.RawMessage, error) {
		got = r
		return r.Args, nil
	})})
	s.declare(counter, `{"name":"empty","description":"d","argsSchema":`+noArgs+`}`,
		`{"name":"closed","description":"d","argsSchema":{"type":"object","additionalProperties":false}}`,
		`{"name":"own","description":"d","argsSchema":{"type":"object","properties":{"timeoutMs":{"type":"integer"}},"additionalProperties":false}}`)
	for _, c := range []struct {
		tool, args, want string
		timeout          int64
	}{
		{"update_counter", `{"delta":1}`, `{"delta":1}`, 1234},
		{"update_counter", `{"delta":3.0,"extra":"ok"}`, `{"delta":3.0,"extra":"ok"}`, 1234},
		{"update_counter", `{"delta":1,"timeoutMs":7}`, `{"delta":1}`, 7},
		{"empty", ``, `{}`, 60000},
		{"empty", `{"timeoutMs":25}`, `{}`, 25},
		{"empty", `{"z":1.50,"timeoutMs":25.0,"a":2}`, `{"a":2,"z":1.50}`, 25},
		{"closed", `{"timeoutMs":25}`, `{}`, 25},
		{"own", `{"timeoutMs":25}`, `{"timeoutMs":25}`, 25},
		{"nothing", `{}`, "UNKNOWN_TOOL", 0},
		{"update_counter", `null`, "TOOL_ARGS_INVALID", 0},
		{"update_counter", `"1"`, "TOOL_ARGS_INVALID", 0},
		{"update_counter", `[]`, "TOOL_ARGS_INVALID", 0},
		{"update_counter", `{}`, "TOOL_ARGS_INVALID", 0},
		{"update_counter", `{"delta":101}`, "TOOL_ARGS_INVALID", 0},
		{"update_counter", `{"delta":"5"}`, "TOOL_ARGS_INVALID", 0},
		{"closed", `{"x":1}`, "TOOL_ARGS_INVALID", 0},
		{"empty", `{"timeoutMs":0}`, "TOOL_ARGS_INVALID", 0},
		{"empty", `{"timeoutMs":-1}`, "TOOL_ARGS_INVALID", 0},
		{"empty", `{"timeoutMs":1.5}`, "TOOL_ARGS_INVALID", 0},
		{"empty", `{"timeoutMs":"100"}`, "TOOL_ARGS_INVALID", 0},
		{"own", `{"timeoutMs":0}`, "TOOL_ARGS_INVALID", 0},
		{"own", `{"timeoutMs":null}`, "TOOL_ARGS_INVALID", 0},
	} {
		got = Request{}
		r := s.call(t.Context(), "c1", c.tool, c.args)
		if outcome(r) != c.want || got.TimeoutMs != c.timeout {
			t.Errorf("%s %s: %s (%s), timeout %d", c.tool, c.args, outcome(r), textOfResult(r), got.TimeoutMs)
		}
	}
	r := s.call(t.Context(), "c1", "update_counter", `{"delta":1,"label":{"text":5}}`)
	if want := `Error: invalid arguments: "label.text" must be a string. Correct the arguments and call the tool again`; textOfResult(r) != want {
		t.Errorf("got %s", textOfResult(r))
	}
}

func TestTheRequest(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var texts []string
	started := at.Add(-time.Second)
	turn := "turn1"
	s := newSession(t, Options{
		Session: "sess",
		Now:     func() time.Time { return at },
		Turn:    func() (string, time.Time) { return turn, started },
		Caller: callerFunc(func(_ context.Context, r Request) (json.RawMessage, error) {
			text, err := json.Marshal(r)
			texts = append(texts, string(text))
			return json.RawMessage("null"), err
		}),
	})
	s.declare(tool(""))
	s.call(t.Context(), "call7", "t", `{"a":1}`)
	turn, started = "", time.Time{}
	s.call(t.Context(), "call8", "t", `{}`)
	want := []string{
		`{"sessionId":"sess","toolRequestId":"call7","tool":"t","args":{"a":1},"turnId":"turn1","turnStartedAt":"2026-01-02T03:04:04Z","emittedAt":"2026-01-02T03:04:05Z","timeoutMs":60000}`,
		`{"sessionId":"sess","toolRequestId":"call8","tool":"t","args":{},"emittedAt":"2026-01-02T03:04:05Z","timeoutMs":60000}`,
	}
	if strings.Join(texts, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(texts, "\n"))
	}
}

// codedError is an application's own error.
type codedError struct{}

func (codedError) Error() string     { return "no selection" }
func (codedError) ErrorCode() string { return "NO_SELECTION" }

// tools.md §4.3.3: whatever a handler does is a result.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		handler Handler
		want    string // code, or text
		text    string // begins the text of a failure
	}{
		"text":     {answering(`"hi"`), "hi", ""},
		"object":   {answering(`{"value":1.0}`), `{"value":1.0}`, ""},
		"null":     {answering(`null`), "null", ""},
		"error":    {answering(`{"error":{"code":"OWN","message":"broken","details":{"a":1}}}`), "OWN", "Error: broken. "},
		"uncoded":  {answering(`{"error":{"message":"broken"}}`), "TOOL_HANDLER_ERROR", "Error: broken. "},
		"no error": {answering(`{"error":"x"}`), `{"error":"x"}`, ""},
		"beside":   {answering(`{"error":{"message":"m"},"value":1}`), `{"error":{"message":"m"},"value":1}`, ""},
		"nothing":  {answering(``), "TOOL_HANDLER_ERROR", "Error: tool result must be JSON: unexpected end of JSON"},
		"no JSON":  {answering(`{`), "TOOL_HANDLER_ERROR", "Error: tool result must be JSON"},
		"lossy":    {answering(`{"a":1,"a":2}`), "TOOL_HANDLER_ERROR", "Error: tool result must be JSON"},
		"large":    {answering(`"` + strings.Repeat("x", MaxMessage) + `"`), "MESSAGE_TOO_LARGE", "Error: result of 1048578 bytes is too large"},
		"throws": {func(context.Context, Request) (json.RawMessage, error) { return nil, errors.New("boom") },
			"TOOL_HANDLER_ERROR", "Error: boom. Correct the call if"},
		"own code": {func(context.Context, Request) (json.RawMessage, error) { return nil, codedError{} },
			"NO_SELECTION", "Error: no selection. "},
		"empty code": {func(context.Context, Request) (json.RawMessage, error) { return nil, &Error{Message: "m"} },
			"TOOL_HANDLER_ERROR", "Error: m. "},
		"panics": {func(context.Context, Request) (json.RawMessage, error) { panic("oh") },
			"TOOL_HANDLER_ERROR", "Error: Tool handler panicked. "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, Options{Caller: &Handlers{}})
			m := mustManifest(t, manifestOf(tool("")))
			m.Tools[0].Handler = c.handler
			if err := s.Replace(m); err != nil {
				t.Fatal(err)
			}
			r := s.call(t.Context(), "c1", "t", `{}`)
			if got := outcome(r); got != c.want || r.IsError != (c.text != "") || !strings.HasPrefix(textOfResult(r), c.text) {
				t.Errorf("got %.80s: %.200s", got, textOfResult(r))
			}
		})
	}
}

func TestErrorDetailsAreKept(t *testing.T) {
	var h Handlers
	s := newSession(t, Options{Caller: &h})
	s.declare(tool(""))
	r := s.call(t.Context(), "c1", "t", `{}`)
	const want = `{"error":{"code":"TOOL_HANDLER_NOT_FOUND","message":"No tool handler registered for t","details":{"tool":"t"}}}`
	if outcome(r) != "TOOL_HANDLER_NOT_FOUND" || string(r.Details) != want {
		t.Errorf("got %s: %s", outcome(r), r.Details)
	}
}

func TestArgumentsThatAreTooLarge(t *testing.T) {
	s := newSession(t, Options{Caller: &Handlers{}})
	s.declare(tool(""))
	r := s.call(t.Context(), "c1", "t", `{"a":"`+strings.Repeat("x", MaxMessage)+`"}`)
	if outcome(r) != "MESSAGE_TOO_LARGE" {
		t.Errorf("got %s", outcome(r))
	}
}

// tools.md §4.4.1 and §4.4.5, with a fake clock.
func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		fields, args string
		want         time.Duration
		text         string
	}{
		{``, `{}`, time.Minute, "Error: tool call timed out after 60000ms. "},
		{`"timeoutMs":1500`, `{}`, 1500 * time.Millisecond, "Error: tool call timed out after 1500ms. "},
		{`"timeoutMs":1500`, `{"timeoutMs":20}`, 20 * time.Millisecond, "Error: tool call timed out after 20ms. "},
	} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan error, 1)
			s := newSession(t, Options{Caller: callerFunc(func(ctx context.Context, _ Request) (json.RawMessage, error) {
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			})})
			s.declare(tool(c.fields))
			start := time.Now()
			r := s.call(t.Context(), "c1", "t", c.args)
			if outcome(r) != "TOOL_TIMEOUT" || !strings.HasPrefix(textOfResult(r), c.text) || r.Error.Name != "ToolTimeoutError" {
				t.Errorf("got %s: %s", outcome(r), textOfResult(r))
			}
			if d := time.Since(start); d != c.want {
				t.Errorf("after %s, want %s", d, c.want)
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the handler's context: %v", err)
			}
			synctest.Wait()
			if s.Late() != 0 || s.logs.String() != "" {
				t.Errorf("a handler that only stopped counts as late: %s", s.logs)
			}
		})
	}
}

// tools.md §4.4.3: the handler goes on, its late answer is counted and dropped,
// also while a newer request is pending.
func TestLateAnswersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan chan string, 2)
		first, second := make(chan string), make(chan string)
		answers <- first
		answers <- second
		s := newSession(t, Options{Caller: callerFunc(func(context.Context, Request) (json.RawMessage, error) {
			return json.RawMessage(<-<-answers), nil
		})})
		s.declare(tool(""))
		if got := outcome(s.call(t.Context(), "c1", "t", `{}`)); got != "TOOL_TIMEOUT" {
			t.Errorf("got %s", got)
		}
		got := make(chan string)
		go func() { got <- outcome(s.call(t.Context(), "c1", "t", `{}`)) }()
		synctest.Wait()
		first <- `"late"`
		synctest.Wait()
		if s.Late() != 1 || !strings.Contains(s.logs.String(), "PENDING_TOOL_REQUEST_NOT_FOUND") {
			t.Errorf("%d late answers, log %s", s.Late(), s.logs)
		}
		second <- `"second"`
		if got := <-got; got != "second" {
			t.Errorf("got %s", got)
		}
	})
}

// tools.md §5 row 9: the calls of a session queue; waiting costs none of the
// time that a call has.
func TestCallsOfASessionQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		var mu sync.Mutex
		s := newSession(t, Options{Caller: callerFunc(func(context.Context, Request) (json.RawMessage, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(40 * time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return json.RawMessage(`1`), nil
		})})
		s.declare(tool(""))
		calls := []tools.Call{{ID: "a", Name: "t"}, {ID: "b", Name: "t"}, {ID: "c", Name: "t"}}
		start := time.Now()
		results, _ := s.pipeline.ExecuteBatch(t.Context(), s.run, calls, tools.BatchOptions{})
		for i, r := range results {
			if r.IsError {
				t.Errorf("call %d: %s", i, textOfResult(r))
			}
		}
		if d := time.Since(start); most != 1 || d != 2*time.Minute {
			t.Errorf("%d at once, %s", most, d)
		}
	})
}

func TestAForeignRequestIsInTheWay(t *testing.T) {
	var p Pending
	s := newSession(t, Options{Caller: &Handlers{}, Pending: &p})
	s.declare(tool(""))
	foreign := begin(t, &p, "s1", "x")
	if got := outcome(s.call(t.Context(), "c1", "t", `{}`)); got != "PENDING_TOOL_REQUEST_EXISTS" {
		t.Errorf("got %s", got)
	}
	if err := foreign.Answer(result("1")); err != nil {
		t.Error(err)
	}
}

func TestCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, Options{Caller: callerFunc(func(ctx context.Context, _ Request) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})})
		s.declare(tool(""))
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan string)
		go func() { results <- outcome(s.call(ctx, "c1", "t", `{}`)) }()
		synctest.Wait()
		go func() { results <- outcome(s.call(ctx, "c2", "t", `{}`)) }() // queues
		synctest.Wait()
		cancel()
		for range 2 {
			if got := <-results; got != "ABORTED" {
				t.Errorf("got %s", got)
			}
		}
	})
}

func TestDeferredAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := make(chan string, 1)
		s := newSession(t, Options{Caller: callerFunc(func(_ context.Context, r Request) (json.RawMessage, error) {
			ids <- r.ToolRequestID
			return nil, ErrDeferred
		})})
		s.declare(tool(""))
		for _, c := range []struct {
			answer Response
			want   string
		}{
			{result(`"done"`), "done"},
			{Response{Err: &Error{Code: "OWN", Message: "m"}}, "OWN"},
			{result(`{"error":{"message":"m"}}`), "TOOL_HANDLER_ERROR"},
		} {
			got := make(chan string)
			go func() { got <- outcome(s.call(t.Context(), "c1", "t", `{}`)) }()
			id := <-ids
			time.Sleep(time.Second)
			if err := s.Submit("other", c.answer); codeOf(err) != CodeRequestNotFound {
				t.Errorf("got %v", err)
			}
			if err := s.Submit(id, result(`nonsense`)); codeOf(err) != CodeHandlerError {
				t.Errorf("got %v", err)
			}
			if err := s.Submit(id, c.answer); err != nil {
				t.Error(err)
			}
			if got := <-got; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		}
		if got := outcome(s.call(t.Context(), "c2", "t", `{}`)); got != "TOOL_TIMEOUT" {
			t.Errorf("got %s", got)
		}
		if err := s.Submit("c2", result(`1`)); codeOf(err) != CodeRequestNotFound || s.Late() != 4 {
			t.Errorf("got %v, %d late", err, s.Late())
		}
	})
}
