package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/agent"
)

// fakeRich is a handler of the session methods that remembers what it was
// given.
type fakeRich struct {
	o      RichOptions
	mu     sync.Mutex
	got    []string
	events []agent.Event
}

func (r *fakeRich) Handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	method := req.Method()
	r.mu.Lock()
	r.got = append(r.got, method)
	r.mu.Unlock()
	switch method {
	case "session/late":
		return answered{func() { _ = r.o.Peer.Notify(context.Background(), "session/update", json.RawMessage(`{"after":true}`)) }}, nil
	case "session/asks":
		jsonrpc2.Async(ctx)
		return r.o.Peer.Call(ctx, "window/showDocument", json.RawMessage(`{"uri":"x:y","takeFocus":false}`))
	case "session/waits":
		jsonrpc2.Async(ctx)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case "session/fails":
		return nil, errors.New("went wrong")
	case "session/panics":
		panic("on purpose")
	}
	return json.RawMessage(`{"method":"` + method + `"}`), nil
}

// answered is a result with something to do after its answer.
type answered struct{ run func() }

func (a answered) MarshalJSON() ([]byte, error) { return []byte(`"first"`), nil }
func (a answered) AfterResponse()               { a.run() }

// Event makes it the sink of the sessions that commands open.
func (r *fakeRich) Event(_ *agent.Session, record agent.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, record.Event)
}

func (r *fakeRich) Front(cwd string) (agent.SessionOptions, func(*agent.Session)) {
	front := r.o.Doors()
	front.Sink, front.Connection = r, r.o.Connection
	return agent.SessionOptions{Cwd: cwd, FrontEnd: front}, func(*agent.Session) {}
}

func (r *fakeRich) Close() {}

// startRich starts a server with a client that declares the session methods.
func startRich(t *testing.T, w world) (*setup, *fakeRich) { return startRichAs(t, "vscode", w) }

func startRichAs(t *testing.T, personality string, w world) (*setup, *fakeRich) {
	r := &fakeRich{}
	w.change = func(_ *Options, b *Backend) {
		if b != nil {
			b.Rich = func(o RichOptions) Rich {
				r.o = o
				return r
			}
		}
	}
	w.params = func(p map[string]any) {
		p["capabilities"].(map[string]any)["experimental"] = map[string]any{"acp": map[string]any{"session": map[string]any{}}}
	}
	return start(t, personality, w), r
}

func TestSessionMethodsGoToTheirHandler(t *testing.T) {
	s, r := startRich(t, world{})
	if string(r.o.Capabilities) != `{"session":{}}` || r.o.Client != "code-server" || r.o.Connection != s.server {
		t.Fatalf("options %+v", r.o)
	}
	for _, method := range []string{"acp/initialize", "session/new", "_agent-ls/set_tools"} {
		if result, err := s.request(method, map[string]any{}); err != nil || string(result) != `{"method":"`+method+`"}` {
			t.Errorf("%s: %s, %v", method, result, err)
		}
	}
	if _, err := s.request("elicitation/create", map[string]any{}); code(err) != -32601 {
		t.Errorf("a method of the client's side: %v", err)
	}
	s.notify("session/cancel", map[string]any{})
	s.taken()
	if r.got[len(r.got)-1] != "session/cancel" {
		t.Errorf("handled %q", r.got)
	}
}

func TestSessionMethodsOverTheConnection(t *testing.T) {
	s, _ := startRich(t, world{})
	if result, err := s.request("session/late", nil); err != nil || string(result) != `"first"` {
		t.Fatalf("%s, %v", result, err)
	}
	s.until("what follows the answer", func() bool { return len(s.updates) == 1 })
	if _, err := s.request("session/asks", nil); err != nil || len(s.shown) != 1 {
		t.Fatalf("asking the client: %v", err)
	}
	if _, err := s.request("session/fails", nil); code(err) != -32803 {
		t.Fatalf("an error: %v", err)
	}
	if _, err := s.request("session/panics", nil); code(err) != -32603 {
		t.Fatalf("a panic: %v", err)
	}
	id, wait := s.editor.start("session/waits", nil)
	s.notify("$/cancelRequest", map[string]any{"id": id})
	if _, err := wait(); code(err) != -32800 {
		t.Fatalf("a cancelled request: %v", err)
	}
}

func TestCommandsOfARichClient(t *testing.T) {
	s, r := startRich(t, world{files: map[string]string{"a.txt": numbered}})
	s.open("a.txt")
	s.typeAfter("a.txt", "line 1", " typed")
	out := s.prompt(s.swap("a.txt", "line 7", "seven"))
	if !strings.Contains(out.Transcript, "2 calls: 2 completed") {
		t.Fatalf("transcript %s", out.Transcript)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) == 0 || len(s.begun) != 0 {
		t.Fatalf("%d events for the handler, %d progresses", len(r.events), len(s.begun))
	}
	if got := s.disk(t, "a.txt"); got != s.text("a.txt") || !strings.Contains(got, "seven") || len(s.saves) != 1 {
		t.Fatalf("disk %q after %d saves", got, len(s.saves))
	}
}

func TestClientThatBecomesRich(t *testing.T) {
	r := &fakeRich{}
	s := start(t, "vscode", world{change: func(_ *Options, b *Backend) {
		if b != nil {
			b.Rich = func(o RichOptions) Rich { r.o = o; return r }
		}
	}})
	if s.server.isRich() {
		t.Fatal("rich before it said so")
	}
	if _, err := s.request("acp/initialize", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	if !s.server.isRich() {
		t.Fatal("not rich after acp/initialize")
	}
}

// TestRichNeovim edits a clean buffer: Neovim does not reload, so the edit goes
// to the buffer, which is then saved.
func TestRichNeovim(t *testing.T) {
	s, _ := startRichAs(t, "nvim12", world{files: map[string]string{"a.txt": numbered}})
	s.open("a.txt")
	out := s.prompt(s.swap("a.txt", "line 7", "seven"))
	if !strings.Contains(out.Transcript, "2 calls: 2 completed") {
		t.Fatalf("transcript %s", out.Transcript)
	}
	if got := s.disk(t, "a.txt"); got != s.text("a.txt") || !strings.Contains(got, "seven") {
		t.Fatalf("buffer %q, disk %q", s.text("a.txt"), got)
	}
	if len(s.edits) != 1 || len(s.saves) != 1 {
		t.Fatalf("%d edits of the buffer, %d saves", len(s.edits), len(s.saves))
	}
}
