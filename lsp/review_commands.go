package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/review"
)

// decided answers a command of the review.
type decided struct {
	// Hunks is how many were decided about.
	Hunks   int       `json:"hunks"`
	Refused []refused `json:"refused,omitempty"`
}

type refused struct {
	ID   review.HunkID `json:"id,omitempty"`
	Path string        `json:"path,omitempty"`
	Why  string        `json:"why"`
}

// Command runs a command of the review or of checkpoints (contract §7).
func (r *Review) Command(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	switch name {
	case "agent-ls.restoreCheckpoint":
		return r.restoreCommand(ctx, name, args)
	case "agent-ls.checkpoints":
		return r.checkpointsCommand(name, args)
	case "agent-ls.undoDecision":
		if len(args) > 0 {
			return nil, expected(name, "no arguments")
		}
		return r.takeBack(ctx, name)
	}
	ids, err := r.hunksOf(name, args)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "agent-ls.keep") {
		plan, err := r.ledger.Keep(ids...)
		return r.decided(name, plan, err)
	}
	return r.undo(ctx, name, ids)
}

// hunksOf are the hunks that a command is about.
func (r *Review) hunksOf(name string, args []json.RawMessage) ([]review.HunkID, error) {
	switch {
	case strings.HasSuffix(name, "Hunk"):
		id, err := stringArg(name, args, "[hunk id], as a lens, an action or agent-ls/review has it", false)
		return []review.HunkID{review.HunkID(id)}, err
	case strings.HasSuffix(name, "File"):
		u, err := stringArg(name, args, "[uri], the file: URI of a document", false)
		if err != nil {
			return nil, err
		}
		path := filePath(parseURI(u))
		if path == "" {
			return nil, expected(name, "[uri], the file: URI of a document")
		}
		r.look(path)
		return r.ledger.IDs(path), nil
	}
	if len(args) > 0 {
		return nil, expected(name, "no arguments")
	}
	return r.ledger.IDs(""), nil
}

// decided is the answer about a plan whose steps have been applied. What was
// refused while something else was done is shown to the user; a command that
// did nothing is an error.
func (r *Review) decided(name string, plan review.Plan, err error) (any, error) {
	if errors.Is(err, review.ErrNothingToTakeBack) {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s: %v", name, err)
	}
	if err != nil {
		return nil, err
	}
	r.announce(plan)
	out := decided{Hunks: plan.Done}
	for _, f := range plan.Refused {
		out.Refused = append(out.Refused, refused(f))
	}
	if len(out.Refused) == 0 {
		return result(out)
	}
	message := r.refusals(plan.Refused)
	if plan.Done == 0 {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s: %s", name, message)
	}
	r.s.show(protocol.MessageTypeWarning, "agent-ls: "+message)
	return result(out)
}

// maxRefusals is how many refusals a message has.
const maxRefusals = 3

func (r *Review) refusals(list []review.Refusal) string {
	var parts []string
	for i, f := range list {
		if i == maxRefusals {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		part := f.Why
		if f.Path != "" {
			part = filepath.Base(f.Path) + ": " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// announce tells the client what a decision has changed.
func (r *Review) announce(plan review.Plan) {
	for _, path := range r.ledger.Paths() {
		r.news.about(path)
	}
	for _, s := range plan.Steps {
		r.news.about(s.Path)
	}
}

// undo undoes hunks, as the files are now.
func (r *Review) undo(ctx context.Context, name string, ids []review.HunkID) (any, error) {
	looked := map[string]bool{}
	for _, id := range ids {
		if path, ok := r.ledger.PathOf(id); ok && !looked[path] {
			looked[path] = true
			r.look(path)
		}
	}
	plan, err := r.ledger.Undo(ids...)
	if err == nil {
		r.carryOut(ctx, &plan)
	}
	return r.decided(name, plan, err)
}

// takeBack takes the newest decision back.
func (r *Review) takeBack(ctx context.Context, name string) (any, error) {
	for _, path := range r.ledger.Paths() {
		r.look(path)
	}
	plan, err := r.ledger.UndoDecision()
	if err == nil {
		r.carryOut(ctx, &plan)
	}
	return r.decided(name, plan, err)
}

// carryOut applies the steps of a plan; those that cannot be are refused.
func (r *Review) carryOut(ctx context.Context, plan *review.Plan) {
	for _, s := range plan.Steps {
		err := r.apply(ctx, s)
		if err == nil {
			plan.Done += s.Hunks()
			continue
		}
		if dropErr := r.ledger.Drop(s); dropErr != nil {
			r.s.logger.Error("the review is not stored", "error", dropErr)
		}
		plan.Refused = append(plan.Refused, review.Refusal{Path: s.Path, Why: err.Error()})
	}
}

// apply applies one step and settles it.
func (r *Review) apply(ctx context.Context, s review.Step) error {
	view := r.view()
	h, err := view.Open(ctx, s.Path)
	if err != nil {
		return err
	}
	if h.Exists != s.Before.Exists || h.Content() != s.Before.Text {
		return errors.New("the file has changed meanwhile; look at it and try again")
	}
	settle := func(c review.Change) error { return r.ledger.Settle(s, c.Before, c.After) }
	c := changeFor(h, s)
	if c.Op == workspace.OpUpdate && s.Before.Text == s.After.Text {
		return settle(review.Change{Path: s.Path, Before: s.Before, After: s.After})
	}
	applied, err := view.RecordedBy(recorder{r: r, note: settle}).Apply(ctx, []workspace.Change{c})
	if len(applied) > 0 {
		return nil
	}
	return err
}

// changeFor is the change that a step makes.
func changeFor(h workspace.Handle, s review.Step) workspace.Change {
	switch {
	case s.To != "":
		return workspace.Change{Op: workspace.OpMove, Base: h, Edits: s.Edits, MoveTo: s.To}
	case !s.After.Exists:
		return workspace.Change{Op: workspace.OpDelete, Base: h}
	case !s.Before.Exists:
		return workspace.Change{Op: workspace.OpCreate, Base: h, Text: s.After.Text, Mode: s.After.Mode}
	}
	return workspace.Change{Op: workspace.OpUpdate, Base: h, Edits: s.Edits}
}
