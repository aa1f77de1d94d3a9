package lsp

import (
	"encoding/json"
	"os"
	"sort"
	"strings"

	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// serve answers a request of the server. What the personality did not declare
// is a fault.
func (e *editor) serve(m message) {
	switch m.Method {
	case "workspace/applyEdit":
		e.applyMu.Lock()
		defer e.applyMu.Unlock()
		e.applyEdit(m)
	case "window/showDocument":
		e.showDocument(m)
	case "window/showMessageRequest":
		e.ask(m)
	case "window/workDoneProgress/create":
		e.createProgress(m)
	case "workspace/textDocumentContent/refresh":
		var p struct{ URI string }
		e.decode(m.Params, &p)
		e.mu.Lock()
		e.refreshed = append(e.refreshed, p.URI)
		e.mu.Unlock()
		e.answer(m.ID, nil)
	case "workspace/codeLens/refresh", "client/registerCapability":
		e.answer(m.ID, nil)
	case methodSaveDocument:
		e.saveDocument(m)
	default:
		e.fault("unexpected request %s", m.Method)
		e.refuse(m.ID, -32601, "unknown method")
	}
}

func (e *editor) decode(raw json.RawMessage, v any) {
	if err := json.Unmarshal(raw, v); err != nil {
		e.fault("ill-formed params: %v: %s", err, raw)
	}
}

// ------------------------------------------------------------------ the edits

type wireEdit struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	NewText string
}

type editPart struct {
	TextDocument struct {
		URI     string
		Version *int
	}
	Edits []wireEdit
}

type workspaceEdit struct {
	Changes         map[string][]wireEdit
	DocumentChanges []editPart
}

func (w workspaceEdit) parts() []editPart {
	parts := w.DocumentChanges
	for u, edits := range w.Changes {
		p := editPart{Edits: edits}
		p.TextDocument.URI = u
		parts = append(parts, p)
	}
	return parts
}

func (e *editor) applyEdit(m message) {
	var p struct{ Edit workspaceEdit }
	e.decode(m.Params, &p)
	e.mu.Lock()
	e.edits = append(e.edits, m.Params)
	decide := e.onEdit
	e.mu.Unlock()
	verdict := ""
	if decide != nil {
		verdict = decide()
	}
	switch verdict {
	case "reject":
		e.answer(m.ID, map[string]any{"applied": false, "failureReason": "the editor refused"})
		return
	case "lie":
		e.answer(m.ID, map[string]any{"applied": true})
		return
	case "silent":
		return
	}
	for _, part := range p.Edit.parts() {
		if !e.applyPart(m.ID, part) {
			return
		}
	}
	if !e.p.late {
		e.answer(m.ID, map[string]any{"applied": true})
	}
}

// applyPart makes the edits of one document and sends the change, before or
// after the answer as the personality does.
func (e *editor) applyPart(id json.RawMessage, part editPart) bool {
	e.mu.Lock()
	d := e.docs[part.TextDocument.URI]
	if d == nil {
		e.mu.Unlock()
		e.fault("edit of %s, which is not open", part.TextDocument.URI)
		return false
	}
	if v := part.TextDocument.Version; v != nil && *v != d.version {
		e.mu.Unlock()
		e.answer(id, map[string]any{"applied": e.p.stale == "skip"})
		return false
	}
	changes := append(d.held, e.make(d, part.Edits)...)
	d.held = nil
	e.mu.Unlock()
	if e.p.late {
		e.answer(id, map[string]any{"applied": true})
	}
	if !e.p.apart {
		e.sendChanges(d, changes...)
		return true
	}
	for _, change := range changes {
		e.sendChanges(d, change)
	}
	return true
}

// make makes edits, the last one first, so that each change refers to the text
// that the ones before it made. The lock is held.
func (e *editor) make(d *fakeDoc, edits []wireEdit) (changes []map[string]any) {
	type span struct {
		start, end int
		text       string
	}
	mapper := diff.NewMapper(d.text)
	offset := func(line, character int) int {
		p := diff.Position{Line: line, Column: character}
		at := mapper.Offset(p, e.enc)
		if mapper.Position(at, e.enc) != p {
			e.faults = append(e.faults, "an edit at no position of the text")
		}
		return at
	}
	var spans []span
	for _, w := range edits {
		spans = append(spans, span{offset(w.Range.Start.Line, w.Range.Start.Character), offset(w.Range.End.Line, w.Range.End.Character), w.NewText})
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].start > spans[j].start })
	for i, s := range spans {
		if s.end < s.start || i > 0 && s.end > spans[i-1].start {
			e.faults = append(e.faults, "edits overlap")
		}
		changes = append(changes, e.splice(d, s.start, s.end, s.text))
	}
	return changes
}

// ------------------------------------------------------------------ the window

func (e *editor) showDocument(m message) {
	var p struct {
		URI       string
		TakeFocus *bool
		External  *bool
	}
	e.decode(m.Params, &p)
	if p.TakeFocus == nil || *p.TakeFocus || p.External != nil && *p.External {
		e.fault("showDocument takes the focus: %s", m.Params)
	}
	if u := uri.URI(p.URI); u.IsFile() {
		if info, err := os.Stat(u.FsPath()); err != nil || info.IsDir() {
			e.fault("showDocument of no file: %s", p.URI)
		}
	}
	e.mu.Lock()
	e.shown = append(e.shown, p.URI)
	e.mu.Unlock()
	e.answer(m.ID, map[string]any{"success": true})
}

func (e *editor) ask(m message) {
	var p struct {
		Message string
		Actions []struct{ Title string }
	}
	e.decode(m.Params, &p)
	q := &question{id: string(m.ID), text: p.Message, answer: make(chan string, 1)}
	for _, a := range p.Actions {
		q.titles = append(q.titles, a.Title)
	}
	e.mu.Lock()
	e.questions = append(e.questions, q)
	decide := e.onQuestion
	e.mu.Unlock()
	e.changed()
	var title string
	if decide != nil {
		title = decide(q)
	} else {
		select {
		case title = <-q.answer:
		case <-e.done:
			return
		}
	}
	if title == "" {
		e.answer(m.ID, nil)
		return
	}
	e.answer(m.ID, map[string]any{"title": title})
}

// button returns the title of a question's button that begins with prefix.
func (q *question) button(prefix string) string {
	for _, t := range q.titles {
		if strings.HasPrefix(t, prefix) {
			return t
		}
	}
	return ""
}

func (e *editor) createProgress(m message) {
	var p struct{ Token string }
	e.decode(m.Params, &p)
	e.mu.Lock()
	_, twice := e.begun[p.Token]
	refuse := e.refuseCreate
	if !refuse {
		e.begun[p.Token] = ""
	}
	e.mu.Unlock()
	if twice {
		e.fault("progress %s created twice", p.Token)
	}
	if refuse {
		e.refuse(m.ID, -32603, "no progress")
		return
	}
	e.answer(m.ID, nil)
}

func (e *editor) saveDocument(m message) {
	var p struct{ URI string }
	e.decode(m.Params, &p)
	e.mu.Lock()
	e.saves = append(e.saves, p.URI)
	d := e.docs[p.URI]
	e.mu.Unlock()
	if d == nil {
		e.refuse(m.ID, -32602, "not open")
		return
	}
	e.save(strings.TrimPrefix(uri.URI(p.URI).FsPath(), e.dir+"/"))
	e.answer(m.ID, nil)
}

// notified takes a notification.
func (e *editor) notified(m message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch m.Method {
	case "window/showMessage", "window/logMessage":
		var p struct {
			Type    int
			Message string
		}
		_ = json.Unmarshal(m.Params, &p)
		e.messages = append(e.messages, p.Message)
	case "$/cancelRequest":
		var p struct{ ID json.RawMessage }
		_ = json.Unmarshal(m.Params, &p)
		e.withdrawn = append(e.withdrawn, string(p.ID))
	case "$/progress":
		e.progressed(m.Params)
	case methodReview:
		e.reviews = append(e.reviews, m.Params)
	case "session/update":
		e.updates = append(e.updates, m.Params)
	default:
		e.faults = append(e.faults, "unexpected notification "+m.Method)
	}
}

// progressed takes a step of a progress. The lock is held.
func (e *editor) progressed(params json.RawMessage) {
	var p struct {
		Token string
		Value struct {
			Kind, Title string
			Cancellable bool
		}
	}
	_ = json.Unmarshal(params, &p)
	title, created := e.begun[p.Token]
	switch {
	case !created:
		e.faults = append(e.faults, "progress under an unknown token: "+p.Token)
	case p.Value.Kind == "begin":
		if title != "" || p.Value.Title == "" || !p.Value.Cancellable {
			e.faults = append(e.faults, "progress begun wrongly: "+string(params))
		}
		e.begun[p.Token] = p.Value.Title
	case title == "" || e.ended[p.Token]:
		e.faults = append(e.faults, "progress out of order: "+string(params))
	case p.Value.Kind == "end":
		e.ended[p.Token] = true
	}
}
