package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/lsp"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/review"
)

// reviewFolder is where the reviews of all workspaces lie in the state folder.
const reviewFolder = "review"

// reviewing is what the language server knows of agents' changes in a
// workspace. Other front ends have nobody who decides about them.
type reviewing struct {
	ledger      *review.Ledger
	checkpoints *review.Checkpoints
	shown       *lsp.Review // nil without an editor
}

// openReview opens the review of a workspace. Without one the rest works, so
// what is wrong is a warning; a damaged file is one too, and a new one begun.
func (a *app) openReview(folder string) (warnings []string) {
	review.SweepStores(filepath.Join(a.config.StateDir, reviewFolder), 0, time.Now(), a.log)
	store, err := review.OpenStore(review.StoreOptions{Dir: reviewDir(a.config.StateDir, folder), Logger: a.log})
	if err != nil {
		return []string{"agent-ls: changes cannot be reviewed: " + err.Error()}
	}
	ledger, err := review.OpenLedger(store, review.LedgerOptions{})
	if err != nil {
		warnings = append(warnings, "agent-ls: "+err.Error())
	}
	checkpoints, err := review.OpenCheckpoints(store, review.CheckpointOptions{})
	if err != nil {
		warnings = append(warnings, "agent-ls: "+err.Error())
	}
	if ledger != nil && checkpoints != nil {
		a.review = &reviewing{ledger: ledger, checkpoints: checkpoints}
	}
	return warnings
}

// reviewDir is the folder of a workspace's review in the state folder.
func reviewDir(stateDir, folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(stateDir, reviewFolder, hex.EncodeToString(sum[:8]))
}

// showReview shows the review to a client.
func (a *app) showReview(s *lsp.Server) lsp.Reviewer {
	a.review.shown = lsp.NewReview(s, a.review.ledger, a.review.checkpoints)
	return a.review.shown
}

// turnBegins makes the checkpoint of a turn.
func (a *app) turnBegins(s *agent.Session, prompt string) {
	if a.review != nil && a.review.shown != nil {
		a.review.shown.TurnBegins(s, prompt)
	}
}

// recorder is told of the changes of a call.
func (a *app) recorder(s *agent.Session, call string) workspace.Recorder {
	switch {
	case a.review == nil:
		return nil
	case a.review.shown == nil:
		return noting{a, review.Attribution{Session: s.ID(), Call: call}}
	}
	return a.review.shown.Recorder(s, call)
}

// reviewAlone opens the review of a workspace for a process without an editor: what
// is changed is noted, and shown by the editor that is started next.
func (a *app) reviewAlone(folder string) {
	for _, w := range a.openReview(folder) {
		a.log.Warn(w)
	}
}

// noting notes the changes of a call in the ledger (workspace.Recorder).
type noting struct {
	app *app
	by  review.Attribution
}

// Changing notes what becomes of changes.
func (n noting) Changing([]workspace.Handle) (done func([]workspace.Applied), err error) {
	return func(applied []workspace.Applied) {
		for _, a := range applied {
			if c, ok := lsp.ReviewChange(a); ok {
				n.keep(n.app.review.ledger.Record(c, n.by))
			}
		}
		n.keep(n.app.review.ledger.Flush())
	}, nil
}

func (n noting) keep(err error) {
	if err != nil {
		n.app.log.Error("the review does not know a change", "error", err)
	}
}

// promptMeta is the _meta of a prompt's answer. What the turn changed is stored
// before it: a turn that has been answered is reviewed also after a crash.
func (a *app) promptMeta(s *agent.Session) map[string]any {
	if a.review == nil {
		return nil
	}
	a.storeReview()
	return a.review.shown.PromptMeta(s)
}

// forget removes what is kept of a deleted session beside its log.
func (a *app) forget(session agent.SessionInfo) error {
	err := errors.Join(a.outputs.Remove(session.ID), a.transcripts.Remove(session.ID), a.hosted.forget(session))
	if a.review != nil {
		err = errors.Join(err, a.review.checkpoints.Forget(session.ID))
	}
	return err
}

// storeReview stores what happened last.
func (a *app) storeReview() {
	if a.review == nil {
		return
	}
	if err := a.review.shown.Flush(); err != nil {
		a.log.Error("the review is not stored", "error", err)
	}
}
