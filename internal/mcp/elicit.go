package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Elicitor asks the user on behalf of a server.
type Elicitor interface {
	// Modes says which questions can be asked: a form to fill in, a URL to go
	// to. Servers are told when they are reached.
	Modes() (form, url bool)
	// Elicit asks and waits for the answer or the end of ctx. An error counts
	// as ElicitCancel.
	Elicit(ctx context.Context, e Elicitation) (ElicitationAnswer, error)
	// Completed says that what the user did at a URL has reached the server; of
	// e just Server and ID are set.
	Completed(ctx context.Context, e Elicitation) error
}

// Elicitation is a question of a server.
type Elicitation struct {
	Server  string // the server's name
	CallID  string // the call that it comes from, "" when that is not known
	Message string
	// Schema is the JSON schema of the form: a flat object. nil for a URL.
	Schema json.RawMessage
	// URL is where the user is sent, and ID names this question in the session.
	URL string
	ID  string
}

// What a user may answer.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// ElicitationAnswer is the user's answer. Content is the form that was filled
// in, for ElicitAccept alone.
type ElicitationAnswer struct {
	Action  string
	Content map[string]any
}

// offerElicitation tells a server what it may ask, and who answers.
func (l *link) offerElicitation(c *connection, o *sdk.ClientOptions) {
	if l.client.o.Elicitor == nil {
		return
	}
	form, url := l.client.o.Elicitor.Modes()
	if !form && !url {
		return
	}
	caps := &sdk.ElicitationCapabilities{}
	if form {
		caps.Form = &sdk.FormElicitationCapabilities{}
	}
	if url {
		caps.URL = &sdk.URLElicitationCapabilities{}
	}
	o.Capabilities.Elicitation = caps
	o.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		if asked := r.Params.URL != ""; asked && !url || !asked && !form {
			return &sdk.ElicitResult{Action: ElicitDecline}, nil
		}
		return l.elicit(ctx, c, r.Params), nil
	}
	o.ElicitationCompleteHandler = func(ctx context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
		l.calls.alive()
		l.visits.complete(r.Params.ElicitationID)
		e := Elicitation{Server: l.config.Name, ID: l.elicitationID(r.Params.ElicitationID)}
		if err := l.client.o.Elicitor.Completed(ctx, e); err != nil {
			l.log.Info("nobody heard that a question is answered", "error", err)
		}
	}
}

// elicit asks the user. The question is withdrawn when the server, its calls or
// the session end. A server that is not connected yet has nothing to ask.
func (l *link) elicit(ctx context.Context, c *connection, p *sdk.ElicitParams) *sdk.ElicitResult {
	if l.last() != c {
		return &sdk.ElicitResult{Action: ElicitDecline}
	}
	ctx, callID, done := l.calls.ask(ctx)
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.client.life, cancel)()
	e := Elicitation{Server: l.config.Name, CallID: callID, Message: p.Message}
	if p.URL != "" {
		e.URL, e.ID = p.URL, l.elicitationID(p.ElicitationID)
	} else if schema, err := json.Marshal(p.RequestedSchema); err == nil {
		e.Schema = schema
	}
	answer, err := l.client.o.Elicitor.Elicit(ctx, e)
	if err != nil {
		l.log.Info("a question was not answered", "error", err)
		return &sdk.ElicitResult{Action: ElicitCancel}
	}
	return &sdk.ElicitResult{Action: answer.Action, Content: answer.Content}
}

// elicitationID makes the id of a server's question unique in the session.
func (l *link) elicitationID(id string) string { return l.label + ":" + id }
