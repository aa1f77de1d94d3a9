package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools"
)

// page is a page that the user has to go to before a server runs a call; the
// server says so by the error −32042.
type page struct {
	Message string `json:"message"`
	URL     string `json:"url"`
	ID      string `json:"elicitationId"`
}

// pagesOf are the pages that an error asks for, none for any other error.
func pagesOf(err error) []page {
	var refusal *jsonrpc.Error
	if !errors.As(err, &refusal) || refusal.Code != sdk.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Pages []page `json:"elicitations"`
	}
	if json.Unmarshal(refusal.Data, &data) != nil {
		return nil // the refusal is told as it is
	}
	return data.Pages
}

// visits are the pages that users are sent to. Safe for concurrent use.
type visits struct {
	mu   sync.Mutex
	open map[string]chan struct{} // by the server's id of the page
}

// begin registers a visit; over is closed when the server says that it is done.
// end must be called.
func (v *visits) begin(id string) (over <-chan struct{}, end func()) {
	done := make(chan struct{})
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open == nil {
		v.open = map[string]chan struct{}{}
	}
	v.open[id] = done
	return done, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.open[id] == done {
			delete(v.open, id)
		}
	}
}

// complete ends a visit.
func (v *visits) complete(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if done, ok := v.open[id]; ok {
		delete(v.open, id)
		close(done)
	}
}

// visit sends the user to the pages and returns when the server knows that they
// have been there. An error is for the model.
func (l *link) visit(ctx context.Context, pages []page) error {
	if e := l.client.o.Elicitor; e == nil {
		return l.unvisited(pages, "and nobody can be sent there here")
	} else if _, url := e.Modes(); !url {
		return l.unvisited(pages, "and nobody can be sent there here")
	}
	for _, p := range pages {
		over, end := l.visits.begin(p.ID)
		defer end()
		answer := l.elicit(ctx, l.last(), &sdk.ElicitParams{Message: p.Message, URL: p.URL, ElicitationID: p.ID})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if answer.Action != ElicitAccept {
			return l.unvisited(pages, "which the user did not")
		}
		if err := l.await(ctx, over); err != nil {
			return err
		}
	}
	return nil
}

// await waits for the end of a visit. Meanwhile no call runs out of time: users
// take theirs.
func (l *link) await(ctx context.Context, over <-chan struct{}) error {
	_, _, done := l.calls.ask(ctx)
	defer done()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unvisited is the error of a call whose pages nobody went to.
func (l *link) unvisited(pages []page, why string) error {
	var places []string
	for _, p := range pages {
		places = append(places, fmt.Sprintf("%s (%s)", p.URL, p.Message))
	}
	return &tools.Error{
		Name: "MCPError", Code: CodeError,
		Message: fmt.Sprintf("the MCP server %q wants the user to go to a page first, %s: %s", l.config.Name, why, strings.Join(places, ", ")),
		Hint:    "Tell the user the address, and repeat the call when they say that they have been there; or go on without it",
	}
}
