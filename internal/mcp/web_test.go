package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/agent"
)

// plain answers requests one by one with JSON, as the smallest servers do: no
// stream, no session.
func plain(answers map[string]func(params json.RawMessage) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if answer := answers[m.Method]; answer != nil {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer(m.Params))
		} else {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		}
	})
}

func constant(text string) func(json.RawMessage) string {
	return func(json.RawMessage) string { return text }
}

// pong is a plain server with the tool ping.
func pong() map[string]func(json.RawMessage) string {
	return map[string]func(json.RawMessage) string{
		"initialize": constant(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"pong","version":"1"}}`),
		"tools/list": constant(`{"tools":[{"name":"ping","description":"pings","inputSchema":{"type":"object"}}]}`),
		"tools/call": constant(`{"content":[{"type":"text","text":"pong"}]}`),
	}
}

// listen serves h until the test is over.
func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func TestPlainWebServer(t *testing.T) {
	var secrets sync.Map
	server := plain(pong())
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secrets.Store(r.Method+" "+r.Header.Get("X-Secret"), true)
		server.ServeHTTP(w, r)
	}))
	w := connect(t, []ServerConfig{{Name: "web", URL: url, Header: http.Header{"X-Secret": {"s3"}, "Accept": {"odd"}}}})
	w.ready("ping")
	if got := w.says("ping", ""); got != "pong" {
		t.Errorf("ping says %q", got)
	}
	if _, ok := secrets.Load("POST s3"); !ok {
		t.Error("the header was not sent")
	}
	if _, ok := secrets.Load("POST "); ok {
		t.Error("a request came without the header")
	}
}

func TestStreamingWebServer(t *testing.T) {
	server := newTestServer()
	w := connect(t, []ServerConfig{{Name: "web", URL: listen(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))}})
	w.ready("more")
	if got := w.says("echo", "hello"); got != "hello" {
		t.Errorf("echo says %q", got)
	}
	w.says("progress", "")
	if len(eventsOf[agent.ToolCallProgress](w.sink)) == 0 {
		t.Error("no progress came")
	}
	w.says("more", "newer")
	w.ready("newer")
}

// TestForgottenSession restarts the server behind the same address: the call
// opens a new session and runs once.
func TestForgottenSession(t *testing.T) {
	var runs atomic.Int32
	fresh := func() http.Handler {
		s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
		add(s, "count", func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
			return said(fmt.Sprint(runs.Add(1))), nil, nil
		})
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	var current atomic.Pointer[http.Handler]
	first, second := fresh(), fresh()
	current.Store(&first)
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*current.Load()).ServeHTTP(w, r) }))
	w := connect(t, []ServerConfig{{Name: "web", URL: url}})
	w.ready("count")
	if got := w.says("count", ""); got != "1" {
		t.Errorf("the first call says %q", got)
	}
	current.Store(&second)
	if got := w.says("count", ""); got != "2" {
		t.Errorf("the call after the restart says %q", got)
	}
}

// TestSecretsStayWithTheirHost redirects to another server.
func TestSecretsStayWithTheirHost(t *testing.T) {
	var leaked atomic.Bool
	server := plain(pong())
	other := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Secret") != "" {
			leaked.Store(true)
		}
		server.ServeHTTP(w, r)
	}))
	url := listen(t, http.RedirectHandler(other, http.StatusTemporaryRedirect))
	w := connect(t, []ServerConfig{{Name: "web", URL: url, Header: http.Header{"Authorization": {"Bearer x"}, "X-Secret": {"s"}}}})
	w.ready("ping")
	if leaked.Load() {
		t.Error("another host got the headers")
	}
}

// TestStreamThatNeverOpens has a server that does not answer the request for
// its stream of events.
func TestStreamThatNeverOpens(t *testing.T) {
	server := plain(pong())
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		server.ServeHTTP(w, r)
	}))
	w := connect(t, []ServerConfig{{Name: "web", URL: url}}, func(o *Options) { o.ConnectTimeout = 8e9 }) // a quarter of it is for the stream
	w.ready("ping")
	if got := w.says("ping", ""); got != "pong" {
		t.Errorf("ping says %q", got)
	}
}

func TestAnswerThatIsTooLong(t *testing.T) {
	answers := pong()
	answers["tools/call"] = constant(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}`)
	for _, tt := range []struct {
		max  int
		code string
	}{{2 << 20, ""}, {100 << 10, CodeError}} {
		t.Run(fmt.Sprint(tt.max), func(t *testing.T) {
			w := connect(t, []ServerConfig{{Name: "web", URL: listen(t, plain(answers))}}, func(o *Options) { o.MaxMessage = tt.max })
			w.ready("ping")
			if r := w.call(context.Background(), "ping", ""); (r.Error == nil) != (tt.code == "") {
				t.Errorf("the call is %.200q", textOf(r))
			}
		})
	}
}

// TestServerOfTheFuture knows only versions that begin without initialize.
func TestServerOfTheFuture(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "new", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: []string{"2026-07-28"}})
	add(server, "ping", func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
		return said("pong"), nil, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	url := listen(t, handler)
	w := connect(t, []ServerConfig{{Name: "new", URL: url}})
	w.ready("ping")
	if got := w.says("ping", ""); got != "pong" {
		t.Errorf("ping says %q", got)
	}
}

// TestOddSchemas never lose a tool.
func TestOddSchemas(t *testing.T) {
	answers := pong()
	answers["tools/list"] = constant(`{"tools":[
		{"name":"none"}, {"name":"null","inputSchema":null}, {"name":"list","inputSchema":[1]},
		{"name":"string","inputSchema":{"type":"string"}}, {"name":"true","inputSchema":true},
		{"name":"odd","inputSchema":{"type":"object","properties":{"b":{"type":"string","pattern":"(?=x)"},"a":{"type":"stringy"},"z":{"type":"string"}},"required":["z","b"]}},
		{"name":"titled","title":"A Title","annotations":{"readOnlyHint":true,"title":"no"},"inputSchema":{"type":"object"}},
		{"name":"noted","annotations":{"title":"Noted"},"inputSchema":{"$ref":"#/$defs/x","$defs":{"x":{"type":"object"}}}}
	]}`)
	w := connect(t, []ServerConfig{{Name: "web", URL: listen(t, plain(answers))}})
	w.ready("none", "null", "list", "string", "true", "odd", "titled", "noted")
	for _, name := range w.names() {
		if s := w.parametersOf(name); s.Type != "object" {
			t.Errorf("%s takes %q", name, s.Type)
		}
	}
	var order []string
	for _, p := range w.parametersOf("odd").Properties {
		order = append(order, p.Name)
	}
	if got := strings.Join(order, " "); got != "z b a" {
		t.Errorf("properties %s, want the required ones first", got)
	}
	w.says("none", "any")
	for _, s := range w.session.Tools() {
		if s.Name == "titled" && !strings.Contains(s.Description, "says that this tool changes nothing") {
			t.Errorf("description %q", s.Description)
		}
	}
	w.says("titled", "")
	w.says("noted", "")
	var titles []string
	for _, e := range eventsOf[agent.ToolCallStarted](w.sink) {
		titles = append(titles, titleOf(e.View))
	}
	if got := strings.Join(titles, ","); got != "none,A Title,Noted" {
		t.Errorf("titles %s", got)
	}
}
