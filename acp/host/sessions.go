package host

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// idPrefix begins the ids of sessions that a hosted agent keeps and we do not.
const idPrefix = "acp_"

// maxSessions bounds the sessions of an agent that are listed, maxOwnID the length
// of an id that one of ours is made of: names of files have to hold it.
const (
	maxSessions = 200
	maxOwnID    = 70
)

// SessionID is our id for a session that the agent of a name keeps under its own
// id, "" for one that is too long for us.
func SessionID(name, own string) string {
	if len(name)+1+len(own) > maxOwnID {
		return ""
	}
	return idPrefix + base64.RawURLEncoding.EncodeToString([]byte(name+"\x00"+own))
}

// ParseSessionID takes an id of SessionID apart; ok is false for any other.
func ParseSessionID(id string) (name, own string, ok bool) {
	encoded, ok := strings.CutPrefix(id, idPrefix)
	if !ok {
		return "", "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(raw), "\x00")
}

// Sessions lists the sessions that the agent keeps itself, at most 200, of one
// folder or, with cwd "", of all; none where it cannot list them or open them
// again. Their ids are those of SessionID.
func (a *Agent) Sessions(ctx context.Context, cwd string) ([]agent.SessionInfo, error) {
	r, err := a.any(ctx)
	if err != nil {
		return nil, err
	}
	if caps := r.can(); caps.SessionCapabilities.List == nil || r.reopening(true) == "" {
		return nil, nil
	}
	var out []agent.SessionInfo
	for cursor, more := "", true; more && len(out) < maxSessions; {
		var page acp.ListSessionsResponse
		if err := r.call(ctx, acp.MethodSessionList, acp.ListSessionsRequest{Cwd: cwd, Cursor: cursor}, &page); err != nil {
			return out, fmt.Errorf("%s: %s", a.config.Name, wireMessage(err))
		}
		for _, s := range page.Sessions {
			if info, ok := a.info(s); ok {
				out = append(out, info)
			}
		}
		more = page.NextCursor != "" && page.NextCursor != cursor
		cursor = page.NextCursor
	}
	return out, nil
}

// info is an entry of the agent's list as one of ours.
func (a *Agent) info(s acp.SessionInfo) (agent.SessionInfo, bool) {
	id := SessionID(a.config.Name, s.SessionID)
	updated, err := time.Parse(time.RFC3339, s.UpdatedAt)
	if err != nil {
		updated = time.Time{} // it does not say when
	}
	return agent.SessionInfo{
		ID: id, Cwd: s.Cwd, Roots: s.AdditionalDirectories, Title: acp.OneLine(s.Title), Updated: updated.UTC(),
	}, id != "" && filepath.IsAbs(s.Cwd)
}

// Delete deletes a session that the agent keeps; ok is false for an agent that
// cannot.
func (a *Agent) Delete(ctx context.Context, own string) (ok bool, err error) {
	r, err := a.any(ctx)
	if err != nil || r.can().SessionCapabilities.Delete == nil {
		return false, err
	}
	if err := r.call(ctx, acp.MethodSessionDelete, acp.SessionRequest{SessionID: own}, nil); err != nil {
		return false, fmt.Errorf("%s: %s", a.config.Name, wireMessage(err))
	}
	return true, nil
}

// Forks reports whether a run of the agent has said that it can fork sessions, and
// that it can open what it has forked; it starts none.
func (a *Agent) Forks() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.runs {
		if r.known() && r.can().SessionCapabilities.Fork != nil && r.reopening(true) != "" {
			return true
		}
	}
	return false
}

// Fork makes a copy of a session that the agent keeps, in a folder, and returns the
// copy's own id.
func (a *Agent) Fork(ctx context.Context, own, cwd string) (copied string, err error) {
	r, err := a.any(ctx)
	if err != nil {
		return "", err
	}
	var response acp.NewSessionResponse
	if err := r.call(ctx, acp.MethodSessionFork, acp.LoadSessionRequest{SessionID: own, Cwd: cwd}, &response); err != nil {
		return "", a.explain(r, err)
	}
	return response.SessionID, nil
}

// Adopt makes a session that the agent keeps under its own id the session's. It
// is the driver of a turn that records what was said in it before, see
// agent.Hub.Import; servers and elicitor are those of Begin.
func (d *Driver) Adopt(own string, servers []acp.McpServer, elicitor Elicitor) agent.Driver {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.servers, d.elicitor = servers, elicitor
	return adoption{d, own}
}

// adoption is the driver of the turn that tells what was said before.
type adoption struct {
	d   *Driver
	own string
}

// Run opens the agent's session and records what the agent tells of it.
func (a adoption) Run(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
	d := a.d
	select {
	case d.connecting <- struct{}{}:
		defer func() { <-d.connecting }()
	case <-ctx.Done():
		return agent.StopCancelled, nil
	}
	l, err := d.linked(ctx)
	if err != nil {
		return "", err
	}
	past := &turn{link: l, turn: t, feed: t.Feed(), ctx: ctx, cards: map[string]*card{}, past: true}
	l.setTurn(past)
	defer l.setTurn(nil)
	defer past.end()
	if err := l.keep(a.own); err != nil {
		return "", err
	}
	err = l.openLoggedIn(ctx)
	if needs := (*loginError)(nil); errors.As(err, &needs) {
		return "", needs.failure()
	}
	if err != nil && !errors.Is(err, agent.ErrUnknownSession) {
		err = d.agent.explain(l.run, err)
	}
	return agent.EndTurn, err
}
