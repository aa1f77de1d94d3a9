// Package modelserver is a model's server that does as it is told: it speaks
// chat completions, responses and messages over HTTP on loopback, streaming,
// for tests and measurements without a network.
//
// It owns what such servers send, whole or broken in chosen ways. It knows no
// agent. A Server is safe for concurrent use; Close waits for its goroutines.
package modelserver

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// API is one of the protocols.
type API string

// The protocols, and the list of models, which is alike in all of them.
const (
	Chat      API = "chat"
	Responses API = "responses"
	Messages  API = "messages"
	Models    API = "models"
)

// Request is what a client asked.
type Request struct {
	API    API
	Number int // of requests so far, this one included; lists of models do not count
	Header http.Header
	Body   []byte
	Model  string
	// Results is how many results of calls the conversation holds, Tools how
	// many tools there are to call.
	Results, Tools int
	// Gone is closed when the client has left.
	Gone <-chan struct{}
}

// Reply is what the server does about it.
type Reply struct {
	// Status, when it is not 0, refuses the request with Body.
	Status int
	Header map[string]string
	Body   string

	Thought, Text string
	Calls         []Call
	Usage         Usage
	// Finish is how the answer ends: "" normally, "length" or "refusal".
	Finish string
	// Signature makes the thought one that the client has to bring back.
	Signature string

	// Pieces is how many pieces texts and arguments come in; 0 means one.
	Pieces int
	// Chunk is how many bytes are written at once; 0 means whole events.
	Chunk int
	// Cut ends the answer before the event of this number, counted from 1; 0
	// never does.
	Cut int
	// Raw, when it is set, is the whole stream instead of all this.
	Raw string
	// Hold, when it is set, is called before each event, counted from 1.
	Hold func(event int)
}

// Call is one call of a tool.
type Call struct{ ID, Name, Arguments string }

// Usage counts tokens. Cost is in dollars; only chat completions tell it.
type Usage struct {
	Input, Output, Cached int64
	Cost                  float64
}

// Server is a running server.
type Server struct {
	// URL is where it is, without a path.
	URL string

	reply  func(Request) Reply
	http   http.Server
	served sync.WaitGroup

	mu     sync.Mutex
	number int
	models []string
}

// Start starts a server on a free port of loopback; reply is called for each
// request of a model, from several goroutines where requests come together.
func Start(reply func(Request) Reply, models ...string) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String(), reply: reply, models: models}
	s.http.Handler = http.HandlerFunc(s.serve)
	s.served.Go(func() {
		_ = s.http.Serve(listener) // it ends by Close, which is no failure
	})
	return s, nil
}

// Close ends the server and breaks off what it still sends.
func (s *Server) Close() {
	_ = s.http.Close() // the listener is loopback's; nothing is lost with it
	s.served.Wait()
}

// apiOf finds the protocol of a path, whatever it begins with.
func apiOf(path string) (API, bool) {
	for suffix, api := range map[string]API{
		"/chat/completions": Chat, "/responses": Responses, "/messages": Messages, "/models": Models,
	} {
		if strings.HasSuffix(path, suffix) {
			return api, true
		}
	}
	return "", false
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	api, ok := apiOf(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if api == Models {
		s.list(w)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	s.mu.Lock()
	s.number++
	number := s.number
	s.mu.Unlock()
	q := Request{API: api, Number: number, Header: r.Header, Body: body, Gone: r.Context().Done()}
	q.look()
	s.answer(w, api, s.reply(q))
}

// list answers with the models, as all protocols do.
func (s *Server) list(w http.ResponseWriter) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Type    string `json:"type"`
		Name    string `json:"display_name"`
		Created int64  `json:"created"`
		Context int64  `json:"context_length"`
		Input   int64  `json:"max_input_tokens"`
	}
	list := []model{}
	for _, id := range s.models {
		list = append(list, model{ID: id, Object: "model", Type: "model", Name: id, Context: 100_000, Input: 100_000})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list, "has_more": false}) // a client that has left
}

// look finds the model in the body, and counts results and tools.
func (q *Request) look() {
	var body struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Input json.RawMessage
		Tools []json.RawMessage
	}
	if json.Unmarshal(q.Body, &body) != nil {
		return
	}
	q.Model, q.Tools = body.Model, len(body.Tools)
	for _, m := range body.Messages {
		if m.Role == "tool" {
			q.Results++
			continue
		}
		q.Results += count(m.Content, "tool_result")
	}
	q.Results += count(body.Input, "function_call_output") + count(body.Input, "custom_tool_call_output")
}

// count counts the items of a type; what is no list has none.
func count(list json.RawMessage, kind string) (n int) {
	var items []struct{ Type string }
	if json.Unmarshal(list, &items) != nil {
		return 0
	}
	for _, item := range items {
		if item.Type == kind {
			n++
		}
	}
	return n
}

// answer writes a reply.
func (s *Server) answer(w http.ResponseWriter, api API, r Reply) {
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	if r.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.Status)
		_, _ = io.WriteString(w, r.Body) // a client that has left
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Raw != "" {
		write(w, r.Raw, r.Chunk)
		return
	}
	for i, event := range events(api, r) {
		if r.Cut > 0 && i+1 >= r.Cut {
			return
		}
		if r.Hold != nil {
			r.Hold(i + 1)
		}
		write(w, event, r.Chunk)
	}
}

// write writes a text in chunks, each at once.
func write(w http.ResponseWriter, text string, chunk int) {
	flusher := w.(http.Flusher)
	if chunk <= 0 {
		chunk = len(text)
	}
	for len(text) > 0 {
		n := min(chunk, len(text))
		_, _ = io.WriteString(w, text[:n]) // a client that has left
		flusher.Flush()
		text = text[n:]
	}
}

// events are a whole answer, an event each.
func events(api API, r Reply) []string {
	switch api {
	case Responses:
		return responsesEvents(r)
	case Messages:
		return messagesEvents(r)
	}
	return chatEvents(r)
}

// pieces cuts a text into at most n pieces, between characters: Reply.Chunk cuts
// within them.
func pieces(text string, n int) []string {
	if text == "" {
		return nil
	}
	n = max(1, min(n, len(text)))
	out := make([]string, 0, n)
	runes := []rune(text)
	for i := range n {
		if part := string(runes[i*len(runes)/n : (i+1)*len(runes)/n]); part != "" {
			out = append(out, part)
		}
	}
	return out
}
