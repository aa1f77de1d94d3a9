package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
	"github.com/agent-ls/agent-ls/workspace/review"
)

// Review is the Reviewer over a ledger and checkpoints. It feeds the ledger:
// with the editor's changes in the order of the wire, with agents' changes as
// they are made, and with what files hold where neither says so. Safe for
// concurrent use.
type Review struct {
	s           *Server
	ledger      *review.Ledger
	checkpoints *review.Checkpoints
	news        *reviewNews
	keeper      keeper

	// mu is held while the ledger is told something. What is read of a file is
	// told only if nothing else was told since it was read.
	mu      sync.Mutex
	told    int
	flights map[string]*flight // by fileKey
}

// Flush stores what was told last; call it once more after the server has
// closed.
func (r *Review) Flush() error {
	return errors.Join(r.ledger.Flush(), r.checkpoints.Flush())
}

// NewReview returns the review of a connection; its goroutines end with the
// server.
func NewReview(s *Server, ledger *review.Ledger, checkpoints *review.Checkpoints) *Review {
	r := &Review{s: s, ledger: ledger, checkpoints: checkpoints, flights: map[string]*flight{}}
	r.news = newReviewNews(r)
	s.run(r.news.run)
	r.keeper = keeper{due: make(chan struct{}, 1)}
	s.run(r.store)
	return r
}

// storePace is the shortest time between two storings of what the ledger was
// told: an agent's calls do not wait for them. Decisions are stored at once.
const storePace = 200 * time.Millisecond

// keeper says when there is something to store.
type keeper struct {
	due chan struct{} // holds a token while there is
}

func (k keeper) ring() {
	select {
	case k.due <- struct{}{}:
	default:
	}
}

// store stores what the ledger was told, until the connection ends; then Flush
// does.
func (r *Review) store() {
	for {
		select {
		case <-r.s.conn.done:
			return
		case <-r.keeper.due:
		}
		if err := r.Flush(); err != nil {
			r.s.logger.Error("the review is not stored", "error", err)
		}
		select {
		case <-r.s.conn.done:
		case <-time.After(storePace):
		}
	}
}

// TurnBegins makes the checkpoint of a turn, for agent.Config.
func (r *Review) TurnBegins(s *agent.Session, prompt string) {
	r.checkpoints.Mark(s.ID(), prompt)
}

// metaCheckpoint is where the answer of a prompt names its checkpoint (contract
// §7).
const metaCheckpoint = "agent-ls/checkpoint"

// PromptMeta is the _meta of a prompt's answer.
func (r *Review) PromptMeta(s *agent.Session) map[string]any {
	id, ok := r.checkpoints.Newest(s.ID())
	if !ok {
		return nil
	}
	return map[string]any{metaCheckpoint: id}
}

// Lenses are a Keep and an Undo at the first line of each hunk (settled detail
// 8).
func (r *Review) Lenses(_ context.Context, u uri.URI) ([]protocol.CodeLens, error) {
	shown, _, err := r.shown(filePath(u))
	lenses := make([]protocol.CodeLens, 0, 2*len(shown))
	for _, h := range shown {
		at := protocol.Range{Start: h.span.Start, End: h.span.Start}
		lenses = append(lenses,
			protocol.CodeLens{Range: at, Command: commandWith("Keep"+h.about(), "agent-ls.keepHunk", h.ID)},
			protocol.CodeLens{Range: at, Command: commandWith("Undo"+h.about(), "agent-ls.undoHunk", h.ID)},
		)
	}
	return lenses, err
}

// Actions are those of the hunks that a range touches, and of their file.
func (r *Review) Actions(_ context.Context, u uri.URI, at protocol.Range) ([]protocol.CodeAction, error) {
	shown, _, err := r.shown(filePath(u))
	var actions []protocol.CodeAction
	for _, h := range shown {
		if h.touches(at) {
			actions = append(actions,
				action("Keep this change"+h.about(), "agent-ls.keepHunk", h.ID),
				action("Undo this change"+h.about(), "agent-ls.undoHunk", h.ID))
		}
	}
	if len(actions) > 0 && len(shown) > 1 {
		actions = append(actions,
			action("Keep all changes in this file", "agent-ls.keepFile", u),
			action("Undo all changes in this file", "agent-ls.undoFile", u))
	}
	return actions, err
}

// commandWith is a command with an argument.
func commandWith[A ~string](title, name string, arg A) protocol.Command {
	raw, _ := json.Marshal(arg) // a string
	return protocol.Command{Title: title, Command: name, Arguments: []protocol.LSPAny{protocol.LSPAny(raw)}}
}

func action[A ~string](title, name string, arg A) protocol.CodeAction {
	kind, c := codeActionKind, commandWith(title, name, arg)
	return protocol.CodeAction{Title: title, Kind: &kind, Command: c}
}

// baseDocument is where the documents of texts before agents' changes are; the
// path of a file: URI follows.
const baseDocument = scheme + ":/review/base"

// baseURI is the document of a file's text before agents changed it.
func baseURI(path string) uri.URI {
	return parseURI(baseDocument + strings.TrimPrefix(string(fileURI(path)), "file://"))
}

// Document is the text of a file before agents changed it or at a checkpoint:
// empty for a file that was not there. A file that no agent has changed has
// none.
func (r *Review) Document(u uri.URI) (text string, ok bool) {
	rest, ok := strings.CutPrefix(string(u), baseDocument+"/")
	if !ok {
		return r.then(u)
	}
	path := filePath(parseURI("file:///" + rest))
	if path == "" || !r.ledger.Tracks(path) {
		return "", false
	}
	text, _ = r.ledger.Base(path)
	return strings.TrimPrefix(text, bom), true
}

// shownHunk is a hunk at its place in the editor's document.
type shownHunk struct {
	review.Hunk
	span protocol.Range
}

// about says in a title what is not plain text.
func (h shownHunk) about() string {
	switch {
	case h.Kind == review.KindMove:
		return " move"
	case h.Kind == review.KindCreate:
		return " new file"
	case h.Kind == review.KindDelete:
		return " deletion"
	case h.Mixed:
		return " (with your text)"
	}
	return ""
}

// touches reports whether a range of the editor is at a line of the hunk.
func (h shownHunk) touches(at protocol.Range) bool {
	last := h.span.End.Line
	if h.span.End.Character == 0 && last > h.span.Start.Line {
		last--
	}
	return at.Start.Line <= last && at.End.Line >= h.span.Start.Line
}

// shown returns the hunks of a file and the text that their places are in.
func (r *Review) shown(path string) (hunks []shownHunk, text string, err error) {
	if path == "" {
		return nil, "", nil
	}
	r.mu.Lock()
	found, err := r.ledger.Hunks(path)
	text, _ = r.ledger.Text(path)
	r.mu.Unlock()
	if err != nil || len(found) == 0 {
		return nil, text, err
	}
	plain := strings.TrimPrefix(text, bom)
	hidden := len(text) - len(plain)
	m, enc := diff.NewMapper(plain), r.s.docs.Encoding()
	for _, h := range found {
		hunks = append(hunks, shownHunk{h, protocol.Range{
			Start: wirePosition(m.Position(h.Start-hidden, enc)), End: wirePosition(m.Position(h.End-hidden, enc)),
		}})
	}
	return hunks, text, nil
}

// view returns a view on the folders of now for the user's own decisions.
func (r *Review) view() *workspace.View {
	cwd, roots := r.s.places()
	return r.s.backend.Workspace.View(workspace.ViewOptions{
		Cwd: cwd, Roots: append([]string{cwd}, roots...), Appliers: appliers(r.s),
	})
}
