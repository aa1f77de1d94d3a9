package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
)

// toyVariable makes the test binary a toy that serves ACP, of the kind it names.
const toyVariable = "AGENT_LS_TEST_TOY"

func TestMain(m *testing.M) {
	kind := os.Getenv(toyVariable)
	if kind == "" {
		os.Exit(m.Run())
	}
	wire := os.Args[len(os.Args)-1]
	if kind == "no log" {
		wire = os.DevNull
	}
	f, err := os.Create(wire)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	conn := acp.NewConn(pipes{os.Stdin, os.Stdout}, acp.Options{WireLog: acp.NewWireLog(f, time.Now)})
	t := &toy{kind: kind, conn: conn}
	conn.Go(context.Background(), t.handle)
	<-conn.Done()
}

// pipes are the standard streams.
type pipes struct {
	io.ReadCloser
	out *os.File
}

func (p pipes) Write(b []byte) (int, error) { return p.out.Write(b) }

// toy is an agent whose turns ask for permission once for each word of the
// prompt and then say it.
type toy struct {
	kind string
	conn *acp.Conn
}

func (t *toy) handle(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	switch r.Method() {
	case acp.MethodInitialize:
		return acp.InitializeResponse{ProtocolVersion: 1, AgentInfo: &acp.Implementation{Name: "toy", Version: t.kind}}, nil
	case acp.MethodSessionNew:
		cwd := acp.NewSessionRequest{}
		if err := acp.Decode(json.RawMessage(r.Params()), &cwd); err != nil {
			return nil, err
		}
		id := fmt.Sprintf("session-%d-of-%s", os.Getpid(), cwd.Cwd)
		return acp.NewSessionResponse{SessionID: id, Meta: acp.NewMeta("made", time.Now())}, nil
	case acp.MethodSessionPrompt:
		var p acp.PromptRequest
		if err := acp.Decode(json.RawMessage(r.Params()), &p); err != nil {
			return nil, err
		}
		jsonrpc2.Async(ctx)
		return t.prompt(ctx, p)
	}
	return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", r.Method())
}

func (t *toy) prompt(ctx context.Context, p acp.PromptRequest) (any, error) {
	switch t.kind {
	case "mute":
		<-ctx.Done()
		return nil, ctx.Err()
	case "mortal":
		os.Exit(3)
	}
	words := strings.Fields(p.Prompt[0].(acp.TextContent).Text)
	if t.kind == "curious" {
		words = append(words, "more")
	}
	for i, word := range words {
		id := fmt.Sprintf("%s-%d", p.SessionID, i)
		t.update(p.SessionID, acp.ToolCall{ToolCallID: id, Title: word, Status: acp.StatusPending})
		outcome := "nothing"
		raw, err := t.conn.Call(ctx, acp.MethodRequestPermission, map[string]any{"sessionId": p.SessionID, "toolCall": map[string]any{"toolCallId": id}})
		var answer acp.RequestPermissionResponse
		if err == nil && acp.Decode(raw, &answer) == nil {
			if selected, ok := answer.Outcome.(acp.SelectedPermissionOutcome); ok {
				outcome = selected.OptionID
			}
		}
		t.update(p.SessionID, acp.ToolCallUpdate{ToolCallID: id, Status: acp.StatusCompleted})
		for _, piece := range strings.SplitAfter(outcome+" "+word+". ", "o") {
			t.update(p.SessionID, acp.AgentMessageChunk{ContentChunk: acp.ContentChunk{Content: acp.Text(piece), MessageID: "m" + id}})
		}
	}
	return acp.PromptResponse{StopReason: acp.StopEndTurn}, nil
}

func (t *toy) update(session string, u acp.SessionUpdate) {
	if err := t.conn.Notify(context.Background(), acp.MethodSessionUpdate, acp.SessionNotification{SessionID: session, Update: u}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
