package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// maxReads bounds the files whose text, as the agent read it, is kept.
const maxReads = 64

// reads are the files as the agent read them through us, by path: what it writes
// is a change of that. Safe for concurrent use.
type reads struct {
	mu     sync.Mutex
	byPath map[string]workspace.Handle
	order  []string // the oldest first
}

func (r *reads) put(path string, h workspace.Handle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byPath == nil {
		r.byPath = map[string]workspace.Handle{}
	}
	if _, ok := r.byPath[path]; !ok {
		r.order = append(r.order, path)
	}
	r.byPath[path] = h
	if len(r.order) > maxReads {
		delete(r.byPath, r.order[0])
		r.order = r.order[1:]
	}
}

// take forgets a file and returns it as it was read.
func (r *reads) take(path string) (workspace.Handle, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, ok := r.byPath[path]
	if ok {
		delete(r.byPath, path)
		r.order = slices.DeleteFunc(r.order, func(p string) bool { return p == path })
	}
	return h, ok
}

// readTextFile serves fs/read_text_file: unsaved text first.
func (t *turn) readTextFile(ctx context.Context, p acp.ReadTextFileRequest) (any, error) {
	path := t.abs(p.Path)
	permit, done, err := t.permitFile(ctx, tools.AccessRead, path, &presentation.GenericCall{
		Title: "Read " + path, Kind: presentation.KindRead, Locations: []presentation.FileLocation{{Path: path, Line: int(p.Line)}},
	})
	if err != nil {
		return nil, err
	}
	h, err := t.turn.View(permit.call, permit.Permit).Open(ctx, path)
	switch {
	case err != nil:
	case !h.Exists:
		err = acp.NotFound("there is no file %s", path)
	case !utf8.ValidString(h.Content()):
		err = acp.InvalidParams("%s is not UTF-8 text, so it cannot be read through the protocol", path)
	}
	done(err, nil)
	if err != nil {
		return nil, fileError(err)
	}
	t.link.reads.put(path, h)
	return acp.ReadTextFileResponse{Content: lines(h.Content(), int(p.Line), int(p.Limit))}, nil
}

// lines are limit lines of text from the 1-based line on; 0 is the beginning, and
// the end.
func lines(text string, line, limit int) string {
	for n := 1; n < line && text != ""; n++ {
		_, text, _ = strings.Cut(text, "\n")
	}
	if limit <= 0 {
		return text
	}
	end := 0
	for range limit {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// writeTextFile serves fs/write_text_file: through the editor where the file is
// open, recorded for the review as the change of a call.
func (t *turn) writeTextFile(ctx context.Context, p acp.WriteTextFileRequest) (any, error) {
	path := t.abs(p.Path)
	before, err := t.turn.Session().View().Open(ctx, path)
	if err != nil {
		return nil, fileError(err)
	}
	view := writeView(path, before, p.Content)
	permit, done, err := t.permitFile(ctx, tools.AccessEdit, path, view)
	if err != nil {
		return nil, err
	}
	resume := t.pause(permit.call)
	applied, err := t.turn.View(permit.call, permit.Permit).Apply(ctx, []workspace.Change{t.writing(path, before, p.Content)})
	resume(applied)
	var result presentation.ResultView
	if err == nil && len(applied) > 0 {
		kept, omitted := presentation.Bound(appliedDiffs(path, applied[0]), presentation.DiffLimit)
		result = &presentation.DiffResult{Diffs: kept, Omitted: omitted, Locations: presentation.Locations(kept)}
	}
	done(err, result)
	if err != nil {
		return nil, fileError(err)
	}
	return acp.Empty{}, nil
}

// writing is the change that makes text of a file. Over unsaved text that the
// agent has not read it is a change of the saved one, which is moved along.
func (t *turn) writing(path string, now workspace.Handle, text string) workspace.Change {
	base, read := t.link.reads.take(path)
	if !read {
		base = now.Saved()
	}
	if !base.Exists {
		return workspace.Change{Op: workspace.OpCreate, Base: now, Text: text}
	}
	return workspace.Change{Op: workspace.OpUpdate, Base: base, Edits: diff.Lines(base.Content(), text)}
}

// writeView is the card of a write that belongs to no call of the agent's.
func writeView(path string, before workspace.Handle, text string) *presentation.DiffCall {
	kept, omitted := presentation.Bound(presentation.Hunks(path, before.Content(), text, before.Exists), presentation.DiffLimit)
	return &presentation.DiffCall{Title: "Write " + path, Diffs: kept, Omitted: omitted, Locations: presentation.Locations(kept)}
}

func appliedDiffs(path string, a workspace.Applied) []presentation.FileDiff {
	return presentation.Hunks(path, a.Before.Content(), a.After.Content(), a.Before.Exists)
}

// filePermit is a permit and the call that it was given for.
type filePermit struct {
	agent.Permit
	call string
}

// permitFile decides about a file that the agent asks for. It belongs to the open
// call that names the file; where there is none, and something has to be shown,
// to a call of its own with the card view. done ends that call.
func (t *turn) permitFile(ctx context.Context, kind tools.AccessKind, path string, view presentation.CallView) (p filePermit, done func(error, presentation.ResultView), err error) {
	t.mu.Lock()
	c := t.about(path)
	intent := agent.Intent{Name: t.link.d.toolName("fs_" + string(kind)), Access: []tools.Access{{Kind: kind, Path: path}}, View: view}
	allowed := c != nil && c.allowed
	own := c == nil && kind == tools.AccessEdit && !t.over
	switch {
	case c != nil:
		intent.CallID, intent.View = c.id, c.view
	case own:
		t.endMessage()
		intent.CallID = t.feed.NewCallID()
		t.feed.Start(tools.Call{ID: intent.CallID, Name: intent.Name}, view, true)
	}
	t.mu.Unlock()
	done = func(err error, result presentation.ResultView) {
		if own {
			t.endOwn(intent.CallID, err, result)
		}
	}
	p.call = intent.CallID
	p.Permit = t.decide(ctx, intent, allowed)
	if !p.Allowed() {
		err = notAllowed(fmt.Sprintf("%s of %s", kind, path), p.Why)
		done(err, nil)
		return p, nil, err
	}
	return p, done, nil
}

// decide decides about an intent. One that belongs to a call that was allowed is
// judged without asking again; one without a card asks in a call of its own.
func (t *turn) decide(ctx context.Context, intent agent.Intent, allowed bool) agent.Permit {
	if allowed {
		return t.turn.Judged(intent)
	}
	return t.turn.Permit(ctx, intent)
}

// endOwn ends a call that was made for a request.
func (t *turn) endOwn(id string, err error, view presentation.ResultView) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	result := tools.Result{}
	if err != nil {
		result = tools.TextResult("Error: " + wireMessage(err))
		result.IsError = true
	}
	if err != nil || view == nil {
		view = &presentation.GenericResult{}
	}
	t.feed.Finish(id, result, view)
}

// about returns the open call that names a file; one that changes it comes
// first. t.mu is held.
func (t *turn) about(path string) *card {
	var found *card
	for _, c := range t.cards {
		if c.done || !slices.Contains(t.paths(c), path) {
			continue
		}
		if found == nil || c.changes() && !found.changes() {
			found = c
		}
	}
	return found
}

// pause stops following the files of a call while we change one of them
// ourselves: that is told by the change itself.
func (t *turn) pause(call string) (resume func([]workspace.Applied)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var c *card
	for _, open := range t.cards {
		if open.id == call {
			c = open
		}
	}
	if c == nil {
		return func([]workspace.Applied) {}
	}
	c.settle(t)
	return func(applied []workspace.Applied) {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, a := range applied {
			c.changed = append(c.changed, workspace.Saw{Path: a.Before.Path, Before: a.Before, After: a.After})
		}
		if !t.over {
			t.follow(c)
		}
	}
}

// createTerminal serves terminal/create: the command runs where the session's
// commands run.
func (t *turn) createTerminal(ctx context.Context, p acp.CreateTerminalRequest) (any, error) {
	whole := t.link.quirks().WholeLine
	line := commandLine(p.Command, p.Args)
	if whole && len(p.Args) > 0 {
		line = p.Command + " " + strings.Join(p.Args, " ")
	}
	dir := t.link.d.session.Cwd()
	if p.Cwd != "" {
		dir = t.abs(p.Cwd)
	}
	if err := t.permitCommand(ctx, line, dir); err != nil {
		return nil, err
	}
	own, err := t.link.terminals.start(context.WithoutCancel(ctx), command(line, dir, p.Env), p.OutputByteLimit)
	if err != nil {
		return nil, acp.Errorf(jsonrpc2.InternalError, "the command cannot run: %v", err)
	}
	return acp.CreateTerminalResponse{TerminalID: own.id}, nil
}
