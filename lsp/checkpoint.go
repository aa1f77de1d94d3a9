package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

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
	// Changes are what the restore would do to the files; only of a dry run.
	Changes []foreseen `json:"changes,omitempty"`
}

// foreseen is what a restore would do to a file.
type foreseen struct {
	Path   string `json:"path"`
	Change string `json:"change"` // create, update or delete
	// Added and Removed count lines.
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// restoreWish is the second argument of agent-ls.restoreCheckpoint.
type restoreWish struct {
	DryRun bool `json:"dryRun"`
}

// restoreArgs are the arguments of agent-ls.restoreCheckpoint.
func restoreArgs(name string, args []json.RawMessage) (id string, wish restoreWish, err error) {
	const what = `[checkpoint id], [checkpoint id, {"dryRun": true}], or no argument for the newest`
	if len(args) == 2 {
		decoder := json.NewDecoder(bytes.NewReader(args[1]))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&wish); err != nil {
			return "", wish, expected(name, what)
		}
		args = args[:1]
	}
	id, err = stringArg(name, args, what, true)
	return id, wish, err
}

// restoreCommand goes back to a checkpoint: all files that differ, or none. A
// dry run says what that would change and changes nothing.
func (r *Review) restoreCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	id, wish, err := restoreArgs(name, args)
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
	if wish.DryRun {
		out.Changes = foreseenOf(changes)
		return result(out)
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

// foreseenOf describes changes that are not made.
func foreseenOf(changes []workspace.Change) []foreseen {
	out := make([]foreseen, 0, len(changes))
	for _, c := range changes {
		before := c.Base.Content()
		f := foreseen{Path: c.Base.Path, Change: "update"}
		switch c.Op {
		case workspace.OpCreate:
			f.Change = "create"
			f.Added = countLines(c.Text)
		case workspace.OpDelete:
			f.Change = "delete"
			f.Removed = countLines(before)
		default:
			for _, e := range c.Edits {
				f.Removed += countLines(before[e.Start:e.End])
				f.Added += countLines(e.New)
			}
		}
		out = append(out, f)
	}
	return out
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// checkpointDocument begins the URIs agent-ls:/checkpoint/ID/PATH.
const checkpointDocument = scheme + ":/checkpoint/"

// then is the text of a file at a checkpoint, as restoring it would give it:
// empty for a file that was not there.
func (r *Review) then(u uri.URI) (text string, ok bool) {
	rest, ok := strings.CutPrefix(string(u), checkpointDocument)
	if !ok {
		return "", false
	}
	id, rest, _ := strings.Cut(rest, "/")
	path := filePath(parseURI("file:///" + rest))
	files, _, err := r.checkpoints.Restore(id)
	if err != nil || path == "" {
		return "", false
	}
	i := slices.IndexFunc(files, func(f review.Restored) bool { return f.Path == path })
	if i < 0 {
		return "", false
	}
	return strings.TrimPrefix(files[i].Text, bom), true
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
