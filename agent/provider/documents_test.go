package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/anthropic"
	"github.com/agent-ls/agent-ls/agent/openai"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/internal/modelserver"
	"github.com/agent-ls/agent-ls/presentation"
)

// reading opens the models of servers that read documents, or do not.
func reading(documents bool) map[modelserver.API]func(e *provider.Endpoint) agent.Model {
	return map[modelserver.API]func(e *provider.Endpoint) agent.Model{
		modelserver.Chat: func(e *provider.Endpoint) agent.Model {
			e.BaseURL += "/v1"
			return openai.New(openai.Options{Endpoint: e, Documents: documents}).Model("m1")
		},
		modelserver.Responses: func(e *provider.Endpoint) agent.Model {
			e.BaseURL += "/v1"
			return openai.New(openai.Options{Endpoint: e, Responses: true, Documents: documents}).Model("m1")
		},
		modelserver.Messages: func(e *provider.Endpoint) agent.Model {
			return anthropic.New(anthropic.Options{Endpoint: e, Documents: documents}).Model("m1")
		},
	}
}

// A PDF of the user's or of a tool's result goes to servers that read it as a
// document with its name; the models of others are told of it. Images that come as
// resources are images, and what no server reads is named.
func TestDocuments(t *testing.T) {
	file := func(kind presentation.BlockType, name, mime string) presentation.Block {
		return presentation.Block{Type: kind, URI: "file:///w/" + name, MIMEType: mime, Data: []byte("bytes")}
	}
	req := agent.Request{Messages: []agent.Message{
		{Role: agent.RoleUser, Blocks: []presentation.Block{
			presentation.Text("read them"), file(presentation.BlockResource, "a.pdf", "application/pdf"),
			file(presentation.BlockResource, "c.png", "image/png"), file(presentation.BlockResource, "d.mp3", "audio/mpeg"),
		}},
		{Role: agent.RoleAssistant, Calls: []agent.AssistantCall{{CallID: "c1", Name: "read", Arguments: "{}"}}},
		{Role: agent.RoleTool, CallID: "c1", Name: "read", Blocks: []presentation.Block{presentation.Text("it is"), file(presentation.BlockDocument, "b.pdf", "application/pdf")}},
	}}
	marks := map[modelserver.API]string{modelserver.Chat: `"type":"file"`, modelserver.Responses: `"type":"input_file"`, modelserver.Messages: `"type":"document"`}
	for _, documents := range []bool{false, true} {
		for api, open := range reading(documents) {
			body := ""
			s := server(t, func(q modelserver.Request) modelserver.Reply {
				body = string(q.Body)
				return modelserver.Reply{Text: "ok"}
			})
			if _, err := ask(context.Background(), open(endpoint(s.URL)), req); err != nil {
				t.Fatal(err)
			}
			want, told := 0, 1
			if documents {
				want, told = 2, 0
			}
			if n := strings.Count(body, marks[api]); n != want || strings.Contains(body, `a.pdf`) == false || strings.Count(body, "a.pdf: 5 bytes of application/pdf, not shown") != told {
				t.Errorf("%s, documents %t: %d of them in\n%s", api, documents, n, body)
			}
			if !strings.Contains(body, "d.mp3: 5 bytes of audio/mpeg, not shown") || strings.Contains(body, "c.png: 5 bytes") {
				t.Errorf("%s, documents %t: other media in\n%s", api, documents, body)
			}
		}
	}
}
