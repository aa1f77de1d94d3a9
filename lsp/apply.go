package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/lsp/text"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// editTimes bound the steps of an edit in the editor.
type editTimes struct {
	// answer is for the answer to an edit, confirm for the edit in our mirror
	// after the editor said that it made it: editors hold their changes back
	// for a while.
	answer, confirm time.Duration
	// save is for a buffer to be saved.
	save time.Duration
}

var defaultEditTimes = editTimes{answer: 5 * time.Second, confirm: 2 * time.Second, save: 5 * time.Second}

const methodSaveDocument = "agent-ls/saveDocument"

// door is the way of an agent's edits into the editor's buffers: a
// workspace.Applier (contract §7). It takes files that are open with unsaved
// text, and all open ones of an editor that does not read them again by itself;
// the rest goes to the disk, and the editor's reload is told from typing.
type door struct{ s *Server }

func appliers(s *Server) []workspace.Applier { return []workspace.Applier{door{s}} }

// Apply makes an edit in the editor and returns when our mirror of the buffer
// has the new text: the editor's word counts for nothing.
func (d door) Apply(ctx context.Context, f workspace.FileWrite) (workspace.Outcome, error) {
	if !d.takes(f) {
		d.s.docs.expectDisk(f.Path, f.After)
		return workspace.Declined, nil
	}
	u, err := d.edit(ctx, f)
	if err != nil {
		return workspace.Declined, err
	}
	if d.s.isRich() {
		d.save(ctx, u)
	}
	return workspace.Confirmed, nil
}

// takes says whether a write goes to the buffer.
func (d door) takes(f workspace.FileWrite) bool {
	return d.s.client.applyEdit && d.s.docs.has(f.Path) && (f.Before.Dirty || !d.s.client.reloads)
}

// edit sends the edit. An error that is ErrTryAgain lets the workspace plan it
// once more on the text that is there then (settled detail 10).
func (d door) edit(ctx context.Context, f workspace.FileWrite) (uri.URI, error) {
	t, ok := d.s.docs.await(f.Path, f.After)
	if !ok {
		return "", closedMeanwhile(f.Path)
	}
	defer d.stopAwaiting(f.Path, t)
	edits, err := t.edits(f)
	if err == nil && len(edits) > 0 {
		err = d.send(ctx, t, f, edits)
	}
	var refused *refusedError
	if now, changed := d.s.docs.changedSince(f.Path, t.version); changed {
		switch {
		case errors.As(err, &refused):
			err = changedMeanwhile(f.Path)
		case errors.Is(err, errUnseen):
			err = d.explain(t, f, now)
		}
	}
	return t.uri, err
}

// arrival finds out from the text that is there now whether an edit was made
// while the user typed. One that was is told; what was typed is told by
// stopAwaiting.
func (d door) arrival(t target, f workspace.FileWrite, now text.Text) arrival {
	after := strings.TrimPrefix(f.After, t.prefix)
	a := judgeArrival(t.text.String(), after, now.String())
	if a == arrivalMade && d.s.observer != nil {
		d.s.observer.Changed(DocumentChange{
			URI: t.uri, Path: f.Path, Prefix: t.prefix, Before: t.text, After: text.New(after), Cause: causeAgent,
		})
	}
	return a
}

// explain says what became of an edit that was not seen alone in time.
func (d door) explain(t target, f workspace.FileWrite, now text.Text) error {
	switch d.arrival(t, f, now) {
	case arrivalMade:
		return nil
	case arrivalNotMade:
		return changedMeanwhile(f.Path)
	}
	return changedBesides(f.Path)
}

// errUnseen is an edit that the editor says it made without telling of any
// change. It may hold the change back, as Emacs does while a command of its user
// waits for an answer: made again, the edit could be there twice.
var errUnseen = errors.New("the editor said that it made the edit, but has not sent the text, so whether it changed is not known; read the file before you go on")

// stopAwaiting ends await. What came meanwhile without being the edit was the
// user's.
func (d door) stopAwaiting(path string, t target) {
	if d.s.docs.stopAwaiting(path, t.awaited) && d.s.observer != nil {
		d.s.observer.Changed(DocumentChange{URI: t.uri, Path: path, Cause: causeTyping})
	}
}

// refusedError is an edit that was not made, for a reason that may pass.
type refusedError struct{ reason string }

// Error says that nothing was changed.
func (e *refusedError) Error() string { return e.reason + "; nothing was changed" }

// Unwrap says that the edit may be tried again.
func (e *refusedError) Unwrap() error { return workspace.ErrTryAgain }

func changedMeanwhile(path string) error {
	return &workspace.Error{
		Code: workspace.FSStaleVersion, Path: path,
		Message: filepath.Base(path) + " was changed in the editor while the edit was on its way; nothing was changed",
		Hint:    "Read the file again and retry with its present text.", Err: workspace.ErrTryAgain,
	}
}

func changedBesides(path string) error {
	return &workspace.Error{
		Code: workspace.FSStaleVersion, Path: path,
		Message: filepath.Base(path) + " was changed in the editor while the edit was on its way, at the place of the edit, so whether the edit was made is not known",
		Hint:    "Read the file before you go on.",
	}
}

func closedMeanwhile(path string) error {
	return &workspace.Error{
		Code: workspace.FSStaleVersion, Path: path,
		Message: filepath.Base(path) + " was closed in the editor; nothing was changed",
		Hint:    "Read the file again and retry with its present text.",
	}
}

// target is a document at the moment of an edit.
type target struct {
	uri     uri.URI
	version int32
	prefix  string
	text    text.Text // without prefix
	enc     diff.Encoding
	// dirty says that the text was never on disk.
	dirty   bool
	awaited *awaited
}

// edits are the edits of the document that make f.After of it.
func (t target) edits(f workspace.FileWrite) ([]protocol.TextEdit, error) {
	content := t.prefix + t.text.String()
	edits := f.Edits
	switch {
	case content == f.Before.Content():
	case f.Before.Dirty || t.dirty: // the user has typed since the edit was planned
		return nil, changedMeanwhile(f.Path)
	default: // the buffer lags behind the disk, which the edit was planned on
		edits = diff.Lines(content, f.After)
	}
	out := make([]protocol.TextEdit, 0, len(edits))
	for _, e := range edits {
		e = trim(content, e)
		if e.Start == e.End && e.New == "" {
			continue
		}
		start, end := max(e.Start-len(t.prefix), 0), max(e.End-len(t.prefix), 0)
		out = append(out, protocol.TextEdit{Range: t.span(start, end), NewText: e.New})
	}
	return out, nil
}

func (t target) span(start, end int) protocol.Range {
	return protocol.Range{
		Start: wirePosition(t.text.Position(start, t.enc)),
		End:   wirePosition(t.text.Position(end, t.enc)),
	}
}

func wirePosition(p diff.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Column)}
}

// trim leaves out what an edit replaces by the same: whole characters, and not
// half of "\r\n".
func trim(content string, e diff.Edit) diff.Edit {
	old := content[e.Start:e.End]
	head := 0
	for head < len(old) && head < len(e.New) && old[head] == e.New[head] {
		head++
	}
	for head > 0 && splits(content, e.Start+head) || head > 0 && splits(e.New, head) {
		head--
	}
	tail := 0
	for tail < len(old)-head && tail < len(e.New)-head && old[len(old)-1-tail] == e.New[len(e.New)-1-tail] {
		tail++
	}
	for tail > 0 && (splits(content, e.End-tail) || splits(e.New, len(e.New)-tail)) {
		tail--
	}
	return diff.Edit{Start: e.Start + head, End: e.End - tail, New: e.New[head : len(e.New)-tail]}
}

// splits reports whether at is within a character or a "\r\n" of s.
func splits(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	return !utf8.RuneStart(s[at]) || s[at-1] == '\r' && s[at] == '\n'
}

// send asks the editor for the edit and waits until the mirror has it.
func (d door) send(ctx context.Context, t target, f workspace.FileWrite, edits []protocol.TextEdit) error {
	asking, stop := context.WithTimeout(d.s.conn.ctx, d.s.times.answer)
	answer := make(chan error, 1)
	d.s.run(func() {
		defer stop()
		answer <- d.ask(asking, t, edits)
	})
	select {
	case <-t.awaited.reached:
		return nil
	case err := <-answer:
		if err != nil {
			return err
		}
		return d.confirm(ctx, t, f)
	case <-ctx.Done():
		stop()
		return fmt.Errorf("cancelled while the editor was making the edit, so whether the text changed is not known: %w", context.Cause(ctx))
	}
}

// ask returns nil when the editor says that it made the edit.
func (d door) ask(ctx context.Context, t target, edits []protocol.TextEdit) error {
	var result protocol.ApplyWorkspaceEditResult
	err := d.s.call(ctx, protocol.MethodWorkspaceApplyEdit, d.params(t, edits), &result)
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return &refusedError{"the editor refused the edit: " + refused.Message}
	case err != nil:
		return fmt.Errorf("the editor did not answer, so whether the text changed is not known: %w", err)
	case !result.Applied:
		reason := "the editor did not apply the edit"
		if result.FailureReason != nil && *result.FailureReason != "" {
			reason += ": " + *result.FailureReason
		}
		return &refusedError{reason}
	}
	return nil
}

// quiet is how long an editor tells of no change before the text is judged in
// which the user may have typed besides.
const quiet = 50 * time.Millisecond

// confirm waits for an edit that the editor says it made.
func (d door) confirm(ctx context.Context, t target, f workspace.FileWrite) error {
	timer, pause := time.NewTimer(d.s.times.confirm), time.NewTimer(quiet)
	defer timer.Stop()
	defer pause.Stop()
	for {
		select {
		case <-t.awaited.reached:
			return nil
		case <-t.awaited.moved:
			pause.Reset(quiet)
		case <-pause.C:
			if now, changed := d.s.docs.changedSince(f.Path, t.version); changed && d.arrival(t, f, now) == arrivalMade {
				return nil
			}
		case <-timer.C:
			return errUnseen
		case <-ctx.Done():
			return fmt.Errorf("cancelled before the edit was seen in the editor, so whether the text changed is not known: %w", context.Cause(ctx))
		}
	}
}

// params are the edit for the client, versioned where it knows versions.
func (d door) params(t target, edits []protocol.TextEdit) *protocol.ApplyWorkspaceEditParams {
	label := "agent-ls"
	p := &protocol.ApplyWorkspaceEditParams{Label: &label}
	if !d.s.client.documentChanges {
		p.Edit.Changes = map[uri.URI][]protocol.TextEdit{t.uri: edits}
		return p
	}
	part := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: t.uri}, Version: &t.version,
	}}
	for i := range edits {
		part.Edits = append(part.Edits, &edits[i])
	}
	p.Edit.DocumentChanges = []protocol.DocumentChange{part}
	return p
}

// save asks a rich client to save the buffer, so that commands see the edit.
// What cannot be saved stays in the buffer; the user sees that there.
func (d door) save(ctx context.Context, u uri.URI) {
	ctx, stop := context.WithTimeout(ctx, d.s.times.save)
	defer stop()
	params, err := json.Marshal(map[string]string{"uri": u.String()})
	if err == nil {
		err = d.s.call(ctx, methodSaveDocument, json.RawMessage(params), nil)
	}
	if err != nil {
		d.s.logger.Warn("the editor did not save an edit, so commands do not see it", "uri", u, "error", err)
	}
}

// has reports whether a file is open.
func (s *Documents) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byFile[fileKey(path)] != nil
}

// await returns an open document for an edit that will make after of it.
func (s *Documents) await(path, after string) (t target, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byFile[fileKey(path)]
	if d == nil {
		return target{}, false
	}
	d.awaited = &awaited{fingerprint: fingerprintOf(after), reached: make(chan struct{}), moved: make(chan struct{}, 1), before: d.buffer.Text()}
	return target{d.uri, d.version, d.prefix, d.buffer.Text(), s.encoding, d.dirty, d.awaited}, true
}

// stopAwaiting ends await. strayed says that the document changed without
// reaching the text.
func (s *Documents) stopAwaiting(path string, a *awaited) (strayed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.byFile[fileKey(path)]; d != nil && d.awaited == a {
		d.awaited = nil
	}
	return a.parts && !a.done
}

// changedSince returns the text of a document that is open and has another
// version than the given one.
func (s *Documents) changedSince(path string, version int32) (now text.Text, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byFile[fileKey(path)]
	if d == nil || d.version == version {
		return text.Text{}, false
	}
	return d.buffer.Text(), true
}
