package lsp

import (
	"sync"

	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// front shows one session to a plain client: it is the session's Sink and
// Asker. Safe for concurrent use.
type front struct {
	s       *Server
	session *agent.Session // set before anyone else knows the front
	cwd     string
	roots   []string

	mu      sync.Mutex
	writer  transcriptWriter
	prompts []*turnText // submitted and not done, the running one first
	file    transcriptFile
}

// turnText collects the transcript of one prompt.
type turnText struct {
	text    []byte
	running bool
}

// Event shows a record.
func (f *front) Event(session *agent.Session, r agent.Record) {
	f.write(r)
	switch e := r.Event.(type) {
	case agent.TurnStarted:
		f.s.follow.startTurn()
	case agent.ToolCallStarted:
		f.s.progress.start(session, e.CallID, cardTitle(e.Name, e.View, f.cwd))
		f.s.follow.locate(callLocations(e.View), f.cwd)
	case agent.ToolCallPlanned:
		f.s.follow.locate(callLocations(e.View), f.cwd)
	case agent.PermissionAsked:
		f.s.progress.report(e.CallID, "waits for permission")
	case agent.ToolCallRunning:
		f.s.progress.report(e.CallID, "runs")
	case agent.ToolCallFinished:
		f.s.progress.end(e.CallID, status(e.Result.IsError))
		f.s.follow.locate(resultLocations(e.View), f.cwd)
	case agent.Notice:
		f.s.show(severity(e.Severity), e.Title+noticeText(e.Text))
	case agent.CompactionChanged:
		if n, ok := e.Notice(); ok {
			f.s.show(severity(n.Severity), n.Title+noticeText(n.Text))
		}
	}
}

func noticeText(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// severity is a notice's as LSP has it.
func severity(s string) protocol.MessageType {
	switch s {
	case "error":
		return protocol.MessageTypeError
	case "warning":
		return protocol.MessageTypeWarning
	}
	return protocol.MessageTypeInfo
}

// show tells the user something.
func (s *Server) show(t protocol.MessageType, message string) {
	s.tell(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: t, Message: message})
}

// note tells the client's log something.
func (s *Server) note(t protocol.MessageType, message string) {
	s.tell(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: t, Message: message})
}

// write puts a record into the transcript.
func (f *front) write(r agent.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := r.Event.(agent.TurnStarted); ok && len(f.prompts) > 0 {
		f.prompts[0].running = true
	}
	piece := f.writer.add(r)
	if piece == "" {
		return
	}
	if len(f.prompts) > 0 && f.prompts[0].running {
		f.prompts[0].text = append(f.prompts[0].text, piece...)
	}
	if f.s.client.content {
		f.s.content.changed(f.s, f.session.ID())
	} else if err := f.file.append(piece); err != nil {
		f.s.logger.Warn("transcript not written", "session", f.session.ID(), "error", err)
	}
}

// expect registers a prompt before it is submitted.
func (f *front) expect() *turnText {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &turnText{}
	f.prompts = append(f.prompts, t)
	return t
}

// done forgets a prompt and returns its transcript.
func (f *front) done(t *turnText) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, p := range f.prompts {
		if p == t {
			f.prompts = append(f.prompts[:i:i], f.prompts[i+1:]...)
			break
		}
	}
	return string(t.text)
}

// idle reports whether no prompt is submitted.
func (f *front) idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.prompts) == 0
}

// status is the word for how a call ended.
func status(failed bool) string {
	if failed {
		return "failed"
	}
	return "completed"
}

// cardTitle is the title of a pending card, relative to cwd.
func cardTitle(name string, v presentation.CallView, cwd string) string {
	title := name
	switch v := v.(type) {
	case *presentation.GenericCall:
		title = first(v.Title, name)
	case *presentation.TerminalCall:
		title = first(v.Title, name)
	case *presentation.DiffCall:
		title = first(v.Title, name)
	}
	return presentation.Relativize(title, presentation.TitlePath(v), cwd)
}

func callLocations(v presentation.CallView) []presentation.FileLocation {
	switch v := v.(type) {
	case *presentation.GenericCall:
		return v.Locations
	case *presentation.DiffCall:
		return v.Locations
	}
	return nil
}

func resultLocations(v presentation.ResultView) []presentation.FileLocation {
	switch v := v.(type) {
	case *presentation.GenericResult:
		return v.Locations
	case *presentation.DiffResult:
		return v.Locations
	}
	return nil
}
