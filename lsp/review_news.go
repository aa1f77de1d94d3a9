package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/workspace/review"
)

const methodReview = "agent-ls/review"

// newsPatience bounds the wait for a client to take a refresh.
const newsPatience = 5 * time.Second

// reviewNews tells the client about hunks: agent-ls/review to a rich one, a
// refresh of lenses to any. What comes while the client is told something is
// told next, once a file. Safe for concurrent use.
type reviewNews struct {
	r    *Review
	wake chan struct{} // holds a token while something is due

	mu     sync.Mutex
	open   bool            // the client may be told things
	due    map[string]bool // paths
	hunks  map[string][]review.HunkID
	spoken map[string]bool // files that the client was told hunks of
}

func newReviewNews(r *Review) *reviewNews {
	return &reviewNews{
		r: r, wake: make(chan struct{}, 1), due: map[string]bool{}, hunks: map[string][]review.HunkID{}, spoken: map[string]bool{},
	}
}

// about says that there may be news about a file.
func (n *reviewNews) about(path string) {
	n.mu.Lock()
	n.due[path] = true
	n.mu.Unlock()
	n.ring()
}

// ready lets the news go out, with all that is pending.
func (n *reviewNews) ready() {
	n.mu.Lock()
	n.open = true
	for _, path := range n.r.ledger.Pending() {
		n.due[path] = true
	}
	n.mu.Unlock()
	n.ring()
}

func (n *reviewNews) ring() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// run tells the news until the connection ends.
func (n *reviewNews) run() {
	for {
		select {
		case <-n.r.s.conn.done:
			return
		case <-n.wake:
		}
		changed := false
		for _, path := range n.take() {
			changed = n.tell(path) || changed
		}
		if changed {
			ctx, stop := context.WithTimeout(n.r.s.conn.ctx, newsPatience)
			n.r.s.refreshLenses(ctx)
			stop()
		}
	}
}

// take returns what is due, sorted.
func (n *reviewNews) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.open {
		return nil
	}
	var paths []string
	for path := range n.due {
		paths = append(paths, path)
	}
	clear(n.due)
	slices.Sort(paths)
	return paths
}

// reviewParams are those of agent-ls/review (contract §7).
type reviewParams struct {
	URI     uri.URI      `json:"uri"`
	Version *int32       `json:"version"` // null: not open
	Hunks   []reviewHunk `json:"hunks"`
}

type reviewHunk struct {
	ID        review.HunkID `json:"id"`
	Range     wireRange     `json:"range"`
	OldText   string        `json:"oldText"`
	SessionID string        `json:"sessionId"`
	ToolCall  string        `json:"toolCallId"`
}

type wireRange struct {
	Start wirePlace `json:"start"`
	End   wirePlace `json:"end"`
}

type wirePlace struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// tell tells a rich client the hunks of a file; changed says that they are
// others than before. A document that has moved on is told with its next change.
func (n *reviewNews) tell(path string) (changed bool) {
	if n.r.awaits(path) {
		return false
	}
	shown, text, err := n.r.shown(path)
	if err != nil {
		n.r.s.logger.Error("the hunks of a file are not known", "path", path, "error", err)
	}
	var ids []review.HunkID
	for _, h := range shown {
		ids = append(ids, h.ID)
	}
	changed = !slices.Equal(n.hunks[path], ids)
	if n.hunks[path] = ids; len(ids) == 0 {
		delete(n.hunks, path)
	}
	if !n.r.s.isRich() || len(ids) == 0 && !n.spoken[path] {
		return changed
	}
	p := reviewParams{URI: fileURI(path), Hunks: []reviewHunk{}}
	if u, version, content, ok := n.r.s.docs.opened(path); ok {
		p.URI, p.Version = u, &version
		if content != text && len(ids) > 0 {
			return changed
		}
	}
	for _, h := range shown {
		p.Hunks = append(p.Hunks, wireHunk(h))
	}
	if n.spoken[path] = true; len(ids) == 0 {
		delete(n.spoken, path)
	}
	raw, err := json.Marshal(p)
	if err == nil {
		n.r.s.tell(methodReview, json.RawMessage(raw))
	}
	return changed
}

func wireHunk(h shownHunk) reviewHunk {
	out := reviewHunk{ID: h.ID, OldText: strings.ToValidUTF8(h.OldText, "\ufffd"), Range: wireRange{
		Start: wirePlace{h.span.Start.Line, h.span.Start.Character}, End: wirePlace{h.span.End.Line, h.span.End.Character},
	}}
	if len(h.By) > 0 {
		last := h.By[len(h.By)-1]
		out.SessionID, out.ToolCall = last.Session, last.Call
	}
	return out
}

// opened returns an open document of a file as the client knows it, with its
// text as it would be saved.
func (s *Documents) opened(path string) (u uri.URI, version int32, content string, ok bool) {
	s.mu.Lock()
	d := s.byFile[fileKey(path)]
	if d == nil {
		s.mu.Unlock()
		return "", 0, "", false
	}
	u, version = d.uri, d.version
	h := d.snapshot()
	s.mu.Unlock()
	return u, version, h.Content(), true
}
