package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/anthropic"
	"github.com/agent-ls/agent-ls/agent/openai"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/internal/modelserver"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// secret is the key of all tests; it must come out nowhere.
const secret = "sk-very-secret-0123456789"

// server starts a model's server.
func server(t *testing.T, reply func(modelserver.Request) modelserver.Reply) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start(reply, "m1", "m2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// endpoint is a server as a user would configure it.
func endpoint(url string) *provider.Endpoint {
	return &provider.Endpoint{
		Name: "test", BaseURL: url, Key: provider.NewKey(provider.Source{Value: secret}),
		Hint: "Put a key somewhere", Client: provider.NewClient(time.Minute, nil),
	}
}

// models opens the model of a server in each protocol.
var models = map[modelserver.API]func(e *provider.Endpoint) agent.Model{
	modelserver.Chat: func(e *provider.Endpoint) agent.Model {
		e.BaseURL += "/v1"
		return openai.New(openai.Options{Endpoint: e}).Model("m1")
	},
	modelserver.Responses: func(e *provider.Endpoint) agent.Model {
		e.BaseURL += "/v1"
		return openai.New(openai.Options{Endpoint: e, Responses: true}).Model("m1")
	},
	modelserver.Messages: func(e *provider.Endpoint) agent.Model {
		return anthropic.New(anthropic.Options{Endpoint: e}).Model("m1")
	},
}

// each runs a test in each protocol, against a server that replies so.
func each(t *testing.T, reply func(modelserver.Request) modelserver.Reply, test func(t *testing.T, m agent.Model)) {
	for api, open := range models {
		t.Run(string(api), func(t *testing.T) {
			s := server(t, func(q modelserver.Request) modelserver.Reply {
				if q.API != api || q.Model != "m1" {
					t.Errorf("the request is for %s of %q", q.API, q.Model)
				}
				return reply(q)
			})
			test(t, open(endpoint(s.URL)))
		})
	}
}

// said is what a response came to.
type said struct {
	text, thought string
	calls         []agent.CallDelta
	opaque        []presentation.Block
	finish        agent.Finish
}

// ask makes one request.
func ask(ctx context.Context, m agent.Model, req agent.Request) (out said, err error) {
	out.finish, err = m.Respond(ctx, req, func(d agent.Delta) error {
		out.text += d.Text
		out.thought += d.Thought
		if d.Call != nil {
			out.calls = append(out.calls, *d.Call)
		}
		if d.Opaque != nil {
			out.opaque = append(out.opaque, *d.Opaque)
		}
		return nil
	})
	return out, err
}

// request is a conversation with all that there is in one.
func request() agent.Request {
	text := func(s string) []presentation.Block { return []presentation.Block{presentation.Text(s)} }
	png := presentation.Image([]byte("not really a png"), "image/png")
	type args struct {
		Path string `json:"path"`
	}
	of, err := schema.Of[args]()
	if err != nil {
		panic(err)
	}
	return agent.Request{
		Session: "s1", System: "be good",
		Tools: []tools.ToolSchema{
			{Name: "read", Description: "reads", Parameters: of},
			{Name: "server/odd name", Description: "odd"},
		},
		Messages: []agent.Message{
			{Role: agent.RoleUser, Blocks: append(text("look at this"), png, presentation.Block{Type: presentation.BlockLink, Name: "a.go", URI: "file:///w/a.go"})},
			{Role: agent.RoleAssistant, Blocks: text("let me see"), Calls: []agent.AssistantCall{
				{CallID: "c1", ModelID: "x", Name: "read", Arguments: `{"path":"a.go"}`},
				{CallID: "c2", ModelID: "x", Name: "server/odd name", Arguments: `not json`},
			}},
			{Role: agent.RoleTool, CallID: "c1", Name: "read", Blocks: append(text("1: package a"), png)},
			{Role: agent.RoleTool, CallID: "c2", Name: "server/odd name", Blocks: text("Error: no"), IsError: true},
			{Role: agent.RoleContext, Name: "background", Blocks: text("a task ended")},
			{Role: agent.RoleUser, Blocks: text("go on")},
		},
	}
}

// The whole of an answer arrives, however it is cut on its way.
func TestWholeAnswers(t *testing.T) {
	reply := modelserver.Reply{
		Thought: "hm, 思考", Text: "Grüße, 世界 👋\nand a \"quoted\" line", Signature: "sig",
		Calls: []modelserver.Call{
			{ID: "call_0", Name: "read", Arguments: `{"path":"文件.go"}`},
			{ID: "call_1", Name: "read", Arguments: ``},
			{ID: "call_2", Name: provider.Names{}.Wire("server/odd name"), Arguments: `{"path": broken`},
		},
		Usage: modelserver.Usage{Input: 100, Output: 20, Cached: 30, Cost: 0.25},
	}
	for _, cut := range []struct{ pieces, chunk int }{{1, 0}, {7, 0}, {1, 1}, {1000, 3}, {5, 17}} {
		each(t, func(modelserver.Request) modelserver.Reply {
			r := reply
			r.Pieces, r.Chunk = cut.pieces, cut.chunk
			return r
		}, func(t *testing.T, m agent.Model) {
			got, err := ask(context.Background(), m, request())
			if err != nil {
				t.Fatal(err)
			}
			if got.text != reply.Text || got.thought != reply.Thought || got.finish.Reason != "" {
				t.Errorf("%+v: text %q, thought %q, finish %+v", cut, got.text, got.thought, got.finish)
			}
			want := []agent.CallDelta{
				{ID: "call_0", Name: "read", Arguments: `{"path":"文件.go"}`}, {ID: "call_1", Name: "read"},
				{ID: "call_2", Name: "server/odd name", Arguments: `{"path": broken`},
			}
			if fmt.Sprint(got.calls) != fmt.Sprint(want) {
				t.Errorf("%+v: calls %v", cut, got.calls)
			}
			u := got.finish.Usage
			if u == nil || u.Input != 70 || u.CacheRead != 30 || u.Output != 20 {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

func TestHowAnswersEnd(t *testing.T) {
	for finish, want := range map[string]agent.StopReason{"": "", "length": agent.MaxTokens, "refusal": agent.Refusal} {
		each(t, func(modelserver.Request) modelserver.Reply {
			return modelserver.Reply{Text: "so far", Finish: finish}
		}, func(t *testing.T, m agent.Model) {
			if got, err := ask(context.Background(), m, request()); err != nil || got.finish.Reason != want || got.text != "so far" {
				t.Errorf("%q: %+v, %v", finish, got, err)
			}
		})
	}
}

func TestThoughtsComeBackToTheirModel(t *testing.T) {
	for _, api := range []modelserver.API{modelserver.Responses, modelserver.Messages} {
		var bodies []string
		s := server(t, func(q modelserver.Request) modelserver.Reply {
			bodies = append(bodies, string(q.Body))
			return modelserver.Reply{Thought: "deep", Signature: "signed-by-the-server", Text: "ok"}
		})
		m := models[api](endpoint(s.URL))
		got, err := ask(context.Background(), m, request())
		if err != nil || len(got.opaque) != 1 {
			t.Fatalf("%s: %+v, %v", api, got, err)
		}
		for _, model := range []string{"m1", "another"} {
			b := got.opaque[0]
			b.Kind = model
			req := request()
			req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Blocks: []presentation.Block{b, presentation.Text("ok")}},
				agent.Message{Role: agent.RoleUser, Blocks: []presentation.Block{presentation.Text("more")}})
			if _, err := ask(context.Background(), m, req); err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(bodies[len(bodies)-1], "signed-by-the-server"); has != (model == "m1") {
				t.Errorf("%s: the thought of %s comes back: %v", api, model, has)
			}
		}
	}
}

// What a server refuses is an error that says what to do about it, holds no key
// and says whether the same request may succeed later.
func TestRefusals(t *testing.T) {
	say := func(kind, message string) string {
		b, err := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "code": kind, "message": message}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tc := range []struct {
		name   string
		reply  modelserver.Reply
		want   agent.ProviderError
		saying string
	}{
		{"401", modelserver.Reply{Status: 401, Body: say("authentication_error", "wrong key "+secret)}, agent.ProviderError{Login: true}, "wrong key [key]. Put a key"},
		{"429", modelserver.Reply{Status: 429, Body: say("rate_limit_error", "slow down"), Header: map[string]string{"Retry-After": "7"}},
			agent.ProviderError{Temporary: true, RetryAfter: 7 * time.Second}, "slow down"},
		{"429 in milliseconds", modelserver.Reply{Status: 429, Body: "", Header: map[string]string{"Retry-After-Ms": "1500"}},
			agent.ProviderError{Temporary: true, RetryAfter: 1500 * time.Millisecond}, "Too Many Requests"},
		{"no money", modelserver.Reply{Status: 429, Body: say("insufficient_quota", "pay first")}, agent.ProviderError{}, "pay first"},
		{"500", modelserver.Reply{Status: 500, Body: "<html>oops</html>"}, agent.ProviderError{Temporary: true}, "500"},
		{"529", modelserver.Reply{Status: 529, Body: say("overloaded_error", "Overloaded")}, agent.ProviderError{Temporary: true}, "Overloaded"},
		{"400", modelserver.Reply{Status: 400, Body: say("invalid_request_error", "a field\nis wrong")}, agent.ProviderError{}, "a field is wrong"},
		{"too long", modelserver.Reply{Status: 400, Body: say("context_length_exceeded", "too much")}, agent.ProviderError{TooLong: true}, "too much"},
		{"too long in words", modelserver.Reply{Status: 400, Body: say("invalid_request_error", "prompt is too long: 9 tokens > 8")}, agent.ProviderError{TooLong: true}, "too long"},
		{"404", modelserver.Reply{Status: 404, Body: say("not_found_error", "no such model")}, agent.ProviderError{}, "no such model"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(modelserver.Request) modelserver.Reply { return tc.reply }, func(t *testing.T, m agent.Model) {
				got, err := ask(context.Background(), m, request())
				var p *agent.ProviderError
				if !errors.As(err, &p) {
					t.Fatalf("%+v, error %v", got, err)
				}
				if p.Login != tc.want.Login || p.Temporary != tc.want.Temporary || p.TooLong != tc.want.TooLong || p.RetryAfter != tc.want.RetryAfter || p.Status != tc.reply.Status {
					t.Errorf("%+v, want %+v", p, tc.want)
				}
				if !strings.Contains(p.Message, tc.saying) || strings.Contains(fmt.Sprintf("%+v %#v", p, p), secret) || strings.Contains(p.Message, "\n") {
					t.Errorf("says %q, want %q", p.Message, tc.saying)
				}
			})
		})
	}
}

// A stream that ends too early is a failure, wherever it ends; one that breaks
// off with an error says which.
func TestCutStreams(t *testing.T) {
	whole := modelserver.Reply{Text: "a", Thought: "b", Calls: []modelserver.Call{{ID: "x", Name: "read", Arguments: "{}"}}}
	for cut := 1; cut <= 8; cut++ {
		reply := whole
		reply.Cut = cut
		each(t, func(modelserver.Request) modelserver.Reply { return reply }, func(t *testing.T, m agent.Model) {
			got, err := ask(context.Background(), m, request())
			var p *agent.ProviderError
			if err != nil && (!errors.As(err, &p) || !p.Temporary) {
				t.Errorf("cut before event %d: %v", cut, err)
			}
			if err == nil && len(got.calls) == 0 {
				t.Errorf("cut before event %d: a normal end without the call", cut)
			}
		})
	}
}

func TestErrorsInStreams(t *testing.T) {
	broken := `{"type":"error","code":"overloaded_error","message":"Overloaded","error":{"type":"overloaded_error","code":"overloaded_error","message":"Overloaded"}}`
	for name, raw := range map[string]string{"named": "event: error\ndata: " + broken + "\n\n", "malformed": "event: message_start\ndata: {broken\n\n", "empty": "\n\n"} {
		each(t, func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Raw: raw} }, func(t *testing.T, m agent.Model) {
			_, err := ask(context.Background(), m, request())
			var p *agent.ProviderError
			if !errors.As(err, &p) || !p.Temporary || name == "named" && !strings.Contains(p.Message, "Overloaded") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// A cancel ends the request in each phase, at once, and the server notices.
func TestCancelInEachPhase(t *testing.T) {
	for _, phase := range []int{0, 1, 2, 4, 6} { // before the headers, and before some event
		cancelled := make(chan struct{}, 1)
		each(t, func(q modelserver.Request) modelserver.Reply {
			wait := func() {
				cancelled <- struct{}{}
				<-q.Gone
			}
			if phase == 0 {
				wait()
			}
			return modelserver.Reply{Text: "abcdef", Pieces: 6, Hold: func(event int) {
				if event == phase {
					wait()
				}
			}}
		}, func(t *testing.T, m agent.Model) {
			ctx, cancel := context.WithCancelCause(context.Background())
			mine := errors.New("cancelled by the test")
			go func() {
				<-cancelled
				cancel(mine)
			}()
			if _, err := ask(ctx, m, request()); !errors.Is(err, mine) {
				t.Errorf("phase %d: %v", phase, err)
			}
		})
	}
}

// An error of the one who listens ends the request, and is what comes back.
func TestListenersErrorEndsTheRequest(t *testing.T) {
	each(t, func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Text: "abc", Pieces: 3} }, func(t *testing.T, m agent.Model) {
		mine := errors.New("enough")
		if _, err := m.Respond(context.Background(), request(), func(agent.Delta) error { return mine }); !errors.Is(err, mine) {
			t.Error(err)
		}
	})
}

func TestSilentServersAreGivenUp(t *testing.T) {
	for api, open := range models {
		for _, at := range []int{0, 3} {
			s := server(t, func(q modelserver.Request) modelserver.Reply {
				if at == 0 {
					<-q.Gone
				}
				return modelserver.Reply{Text: "abc", Pieces: 3, Hold: func(event int) {
					if event == at {
						<-q.Gone
					}
				}}
			})
			e := endpoint(s.URL)
			e.Client = provider.NewClient(50*time.Millisecond, nil)
			_, err := ask(context.Background(), open(e), request())
			var p *agent.ProviderError
			if !errors.As(err, &p) || !p.Temporary || !strings.Contains(p.Message, "said nothing for 50ms") {
				t.Errorf("%s: %v", api, err)
			}
		}
	}
}

func TestNoServer(t *testing.T) {
	for api, open := range models {
		e := endpoint("http://user:" + secret + "@127.0.0.1:1")
		_, err := ask(context.Background(), open(e), request())
		var p *agent.ProviderError
		if !errors.As(err, &p) || !p.Temporary || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "context") {
			t.Errorf("%s: %v", api, err)
		}
	}
}

func TestWithoutAKeyNothingIsAsked(t *testing.T) {
	for api, open := range models {
		e := endpoint("http://127.0.0.1:1")
		e.Key = provider.NewKey(provider.Source{})
		_, err := ask(context.Background(), open(e), request())
		var p *agent.ProviderError
		if !errors.As(err, &p) || !p.Login || !strings.Contains(p.Message, "there is no key. Put a key somewhere") {
			t.Errorf("%s: %v", api, err)
		}
	}
}

// listers list the models of a server in each protocol.
func listers(url string) map[modelserver.API]func(context.Context) ([]agent.ModelInfo, error) {
	ours, theirs := endpoint(url+"/v1"), endpoint(url)
	return map[modelserver.API]func(context.Context) ([]agent.ModelInfo, error){
		modelserver.Chat:     openai.New(openai.Options{Endpoint: ours}).Models,
		modelserver.Messages: anthropic.New(anthropic.Options{Endpoint: theirs}).Models,
	}
}
