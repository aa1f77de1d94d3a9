package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
	"github.com/agent-ls/agent-ls/workspace/review"
)

// listedCheckpoint is an entry of the answer of agent-ls.checkpoints.
type listedCheckpoint struct {
	ID     string    `json:"id"`
	Prompt string    `json:"prompt"`
	Time   time.Time `json:"time"`
	Files  []string  `json:"files"`
}

// checkpointsCommand lists the checkpoints of a session, the newest first.
func (r *Review) checkpointsCommand(name string, args []json.RawMessage) (any, error) {
	id, err := stringArg(name, args, "[session id], or no argument for the current session", true)
	if err != nil {
		return nil, err
	}
	if id == "" {
		if id, err = r.currentSession(name); err != nil {
			return nil, err
		}
	}
	list := r.checkpoints.List(id)
	if _, open := r.s.backend.Hub.Get(id); len(list) == 0 && !open {
		return nil, unknownSession(id)
	}
	out := []listedCheckpoint{}
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		out = append(out, listedCheckpoint{c.ID, c.Prompt, c.Time, c.Files})
	}
	return result(out)
}

// currentSession is the id of the connection's current session.
func (r *Review) currentSession(name string) (string, error) {
	session, ok := r.s.backend.Hub.Current(r.s)
	if !ok {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: there is no session yet; prompt first, or name one", name)
	}
	return session.ID(), nil
}

// restored answers agent-ls.restoreCheckpoint.
type restored struct {
	Files   []string  `json:"files"`
	Refused []refused `json:"refused,omitempty"`
	// Checkpoint leads back to before the restore; absent when nothing differed.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// restoreCommand goes back to a checkpoint: all files that differ, or none.
func (r *Review) restoreCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	id, err := stringArg(name, args, "[checkpoint id], or no argument for the newest", true)
	if err != nil {
		return nil, err
	}
	if id == "" {
		if id, err = r.newestCheckpoint(name); err != nil {
			return nil, err
		}
	}
	point, err := r.checkpoints.Get(id)
	if errors.Is(err, review.ErrNoCheckpoint) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: unknown checkpoint %q; agent-ls.checkpoints lists them", name, id)
	}
	files, missing, err := r.checkpoints.Restore(id)
	if err != nil {
		return nil, err
	}
	view := r.view()
	changes, err := differing(ctx, view, files)
	if err != nil {
		return nil, err
	}
	out := restored{Files: []string{}}
	for _, m := range missing {
		out.Refused = append(out.Refused, refused(m))
	}
	for _, c := range changes {
		out.Files = append(out.Files, c.Base.Path)
	}
	if len(missing) > 0 {
		r.s.show(protocol.MessageTypeWarning, "agent-ls: not restored: "+r.refusals(missing))
	}
	if len(changes) > 0 {
		if out.Checkpoint, err = r.restore(ctx, view, point, changes); err != nil {
			return nil, err
		}
	}
	return result(out)
}

func (r *Review) newestCheckpoint(name string) (string, error) {
	session, err := r.currentSession(name)
	if err != nil {
		return "", err
	}
	id, ok := r.checkpoints.Newest(session)
	if !ok {
		return "", jsonrpc2.Errorf(codeRequestFailed, "%s: the session has no checkpoint yet; each prompt makes one", name)
	}
	return id, nil
}

// differing are the changes that bring files back to what they held.
func differing(ctx context.Context, view *workspace.View, files []review.Restored) ([]workspace.Change, error) {
	var changes []workspace.Change
	for _, f := range files {
		h, err := view.Open(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		switch {
		case h.Exists == f.Exists && h.Content() == f.Text:
		case !f.Exists:
			changes = append(changes, workspace.Change{Op: workspace.OpDelete, Base: h})
		case !h.Exists:
			changes = append(changes, workspace.Change{Op: workspace.OpCreate, Base: h, Text: f.Text, Mode: f.Mode})
		default:
			changes = append(changes, workspace.Change{Op: workspace.OpUpdate, Base: h, Edits: diff.Lines(h.Content(), f.Text), Exact: true})
		}
	}
	return changes, nil
}

// restore makes a checkpoint of what is now, then the changes. It counts as a
// change of the session, so that the review shows what it took away.
func (r *Review) restore(ctx context.Context, view *workspace.View, point review.Checkpoint, changes []workspace.Change) (string, error) {
	made := r.checkpoints.Mark(point.Session, "restore: "+strings.TrimPrefix(point.Prompt, "restore: "))
	by := review.Attribution{Session: point.Session, Call: "restore-" + made}
	applied, err := view.RecordedBy(r.recorderOf(by)).Apply(ctx, changes)
	if len(applied) > 0 {
		return made, nil
	}
	if dropErr := r.checkpoints.Drop(made); dropErr != nil {
		r.s.logger.Error("a checkpoint that leads nowhere stays", "error", dropErr)
	}
	return "", err
}
