package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/agent-ls/agent-ls/acp"
)

// What a user may do about an Elicitation.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// Elicitation is a question to the user: a form to fill in, or a page to go to
// (acp.md §13).
type Elicitation struct {
	Session    string
	ToolCallID string // the call it belongs to, "" for none
	Message    string
	// Schema is the form's JSON schema: a flat object of strings, numbers,
	// booleans and choices. What ACP has no word for is left out of it.
	Schema json.RawMessage
	// URL is the page, ID names the question for ElicitationCompleted; without
	// a URL it is a form.
	URL string
	ID  string
}

// ElicitationAnswer is what the user did. Content holds the form's values, for
// ElicitAccept alone.
type ElicitationAnswer struct {
	Action  string
	Content map[string]any
}

// ElicitationModes says which questions the client asks its user.
func (s *Server) ElicitationModes() (form, url bool) { return elicitationModes(s.capabilities()) }

func elicitationModes(c acp.ClientCapabilities) (form, url bool) {
	e := c.Elicitation
	return e != nil && e.Form != nil, e != nil && e.URL != nil
}

// createElicitation are the params of elicitation/create.
type createElicitation struct {
	SessionID       string          `json:"sessionId"`
	ToolCallID      string          `json:"toolCallId,omitempty"`
	Mode            string          `json:"mode"`
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema,omitempty"`
	URL             string          `json:"url,omitempty"`
	ElicitationID   string          `json:"elicitationId,omitempty"`
}

// Elicit asks the user and waits for the answer; when ctx ends first the question
// is withdrawn. It asks nothing that the client has not offered, and nothing about
// a session that the client does not know.
func (s *Server) Elicit(ctx context.Context, e Elicitation) (ElicitationAnswer, error) {
	b, err := s.bridge(e.Session)
	if err != nil {
		return ElicitationAnswer{}, err
	}
	request, err := elicitation(b.caps, e)
	if err != nil {
		return ElicitationAnswer{}, err
	}
	params, err := acp.Encode(request)
	if err != nil {
		return ElicitationAnswer{}, err
	}
	raw, err := s.peer.Call(ctx, acp.MethodElicitationCreate, params)
	if err != nil {
		return ElicitationAnswer{}, err
	}
	return elicitationAnswer(raw), nil
}

// elicitation is the request that asks e of a client with these capabilities.
func elicitation(caps acp.ClientCapabilities, e Elicitation) (createElicitation, error) {
	form, page := elicitationModes(caps)
	r := createElicitation{SessionID: e.Session, ToolCallID: e.ToolCallID, Mode: "form", Message: e.Message}
	if e.URL != "" {
		r.Mode, r.URL, r.ElicitationID = "url", e.URL, e.ID
		if u, err := url.Parse(e.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return r, errors.New("a user is sent to pages of http and https alone")
		}
	}
	if r.Mode == "form" && !form || r.Mode == "url" && !page {
		return r, fmt.Errorf("the client does not ask questions of the mode %s", r.Mode)
	}
	if r.Mode == "url" {
		return r, nil
	}
	var err error
	r.RequestedSchema, err = formSchema(e.Schema)
	return r, err
}

// elicitationAnswer reads an answer; one that cannot be understood is a cancel.
func elicitationAnswer(raw json.RawMessage) ElicitationAnswer {
	var r struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content,omitempty"`
	}
	if acp.Decode(raw, &r) != nil || !slices.Contains([]string{ElicitAccept, ElicitDecline}, r.Action) {
		return ElicitationAnswer{Action: ElicitCancel}
	}
	answer := ElicitationAnswer{Action: r.Action}
	if r.Action == ElicitAccept && r.Content != nil && json.Unmarshal(r.Content, &answer.Content) != nil {
		return ElicitationAnswer{Action: ElicitCancel}
	}
	return answer
}

// ElicitationCompleted tells the client that what the user did on the page of a
// question has come through.
func (s *Server) ElicitationCompleted(ctx context.Context, id string) error {
	if _, page := s.ElicitationModes(); !page {
		return nil
	}
	return s.peer.Notify(ctx, acp.MethodElicitationComplete, map[string]string{"elicitationId": id})
}
