package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// transcriptWriter turns the records of a session into Markdown, each piece
// when it is complete, so that live and replayed text are the same (settled
// detail 1). It is for one goroutine at a time.
type transcriptWriter struct {
	cwd string
	// calls are the open calls by id.
	calls map[string]*openCall
	// message is the id of the message that is being written, "" between them.
	message string
}

// openCall is what is known of a call until it ends.
type openCall struct {
	title string
	view  presentation.CallView
}

// add returns what a record adds to the transcript.
func (w *transcriptWriter) add(r agent.Record) string {
	switch e := r.Event.(type) {
	case agent.AgentText:
		return w.text(e.MessageID, e.Text, "")
	case agent.AgentThought:
		return w.text("thought "+e.MessageID, e.Text, "*Thought:* ")
	}
	piece := w.block(r.Event)
	if piece != "" && w.message != "" {
		w.message = ""
		piece = "\n\n" + piece
	}
	return piece
}

// text adds a piece of a message.
func (w *transcriptWriter) text(id, text, lead string) string {
	if w.message == id {
		return text
	}
	gap := ""
	if w.message != "" {
		gap = "\n\n"
	}
	w.message = id
	return gap + lead + text
}

// block is what an event adds that stands for itself, with an empty line after
// it.
func (w *transcriptWriter) block(e agent.Event) string {
	switch e := e.(type) {
	case agent.UserMessage:
		return "## Prompt\n\n" + fence("", blocksText(e.Blocks)) + "\n\n"
	case agent.ToolCallStarted:
		if w.calls == nil {
			w.calls = map[string]*openCall{}
		}
		w.calls[e.CallID] = &openCall{title: cardTitle(e.Name, e.View, w.cwd), view: e.View}
	case agent.ToolCallPlanned:
		if c := w.calls[e.CallID]; c != nil {
			c.view = e.View
			c.title = cardTitle(c.title, e.View, w.cwd)
		}
	case agent.ToolCallFinished:
		if c := w.calls[e.CallID]; c != nil {
			delete(w.calls, e.CallID)
			return w.call(c, e)
		}
	case agent.PlanChanged:
		return planText(e.Entries)
	case agent.Notice:
		return noticeLine(e)
	case agent.CompactionChanged:
		if n, ok := e.Notice(); ok {
			return noticeLine(n)
		}
	case agent.TurnEnded:
		return endText(e)
	}
	return ""
}

// noticeLine is a notice as a paragraph.
func noticeLine(n agent.Notice) string {
	return "*" + oneLine(n.Title) + noticeText(oneLine(n.Text)) + "*\n\n"
}

// call is a finished call: what it was, how it ended, what it gave.
func (w *transcriptWriter) call(c *openCall, e agent.ToolCallFinished) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s — %s%s\n\n", presentation.Icon(presentation.CallKind(c.view)), clip(oneLine(c.title), maxProgressTitle), status(e.Result.IsError), exitText(e.View))
	if t, ok := c.view.(*presentation.TerminalCall); ok {
		b.WriteString(fence("sh", t.Title) + "\n\n")
	}
	result := blocksText(e.Result.Content)
	if d, ok := e.View.(*presentation.DiffResult); ok && !showsLines(result) {
		b.WriteString(fence("diff", diffText(d.Diffs, d.Omitted, presentation.DiffLimit)) + "\n\n")
	}
	if result != "" {
		b.WriteString(fence("", result) + "\n\n")
	}
	return b.String()
}

// showsLines reports whether a result has the changed lines itself.
func showsLines(result string) bool {
	return strings.Contains(result, "\n+") || strings.Contains(result, "\n-")
}

// exitText is how a command ended.
func exitText(v presentation.ResultView) string {
	t, ok := v.(*presentation.TerminalResult)
	switch {
	case !ok:
	case t.Signal != "":
		return ", killed by " + t.Signal
	case t.ExitCode != nil:
		return fmt.Sprintf(", exit code %d", *t.ExitCode)
	}
	return ""
}

// endText closes a turn.
func endText(e agent.TurnEnded) string {
	switch {
	case e.Error != "":
		return "*The turn failed: " + oneLine(e.Error) + "*\n\n"
	case e.Reason != agent.EndTurn:
		return "*The turn ended: " + string(e.Reason) + "*\n\n"
	}
	return "---\n\n"
}

func planText(entries []presentation.PlanEntry) string {
	var b strings.Builder
	b.WriteString("### Plan\n\n")
	for _, e := range entries {
		mark := " "
		if e.Status == "completed" {
			mark = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s (%s)\n", mark, oneLine(e.Content), e.Status)
	}
	return b.String() + "\n"
}

// blocksText is content as text; what is no text is named.
func blocksText(blocks []presentation.Block) string {
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case presentation.BlockText:
			parts = append(parts, presentation.StripANSI(b.Text))
		case presentation.BlockImage:
			parts = append(parts, fmt.Sprintf("[image %s, %d bytes]", b.MIMEType, len(b.Data)))
		default:
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("[%s %s %s]", b.Type, b.Name, b.URI)))
		}
	}
	return strings.Join(parts, "\n")
}

// diffText is diffs as lines with their signs, at most limit bytes.
func diffText(diffs []presentation.FileDiff, omitted string, limit int) string {
	var b strings.Builder
	for _, d := range diffs {
		b.WriteString(d.Heading() + "\n")
		writeLines(&b, d, limit)
	}
	if omitted != "" {
		b.WriteString(omitted + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeLines writes the lines of one diff, as long as they fit.
func writeLines(b *strings.Builder, d presentation.FileDiff, limit int) {
	left := 0
	for _, h := range d.Hunks() {
		for _, l := range h.Lines {
			if left > 0 || b.Len()+len(l.Text) > limit {
				left++
				continue
			}
			b.WriteString(string(rune(l.Op)) + l.Text + "\n")
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "(%d more lines)\n", left)
	}
}

// fence wraps text into a fenced block whose fence is longer than any run of
// backticks inside.
func fence(language, text string) string {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", max(3, longest+1))
	return marks + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + marks
}

// transcript renders records as one document.
func transcript(cwd string, records []agent.Record) string {
	w := transcriptWriter{cwd: cwd}
	var b strings.Builder
	for _, r := range records {
		b.WriteString(w.add(r))
	}
	return b.String()
}

// lastTurn returns the records of the last turn.
func lastTurn(records []agent.Record) []agent.Record {
	for i := len(records) - 1; i >= 0; i-- {
		if _, ok := records[i].Event.(agent.TurnStarted); ok {
			return records[i:]
		}
	}
	return nil
}

// transcriptFile is the transcript of clients that cannot show documents of
// ours (settled detail 2). Its owner guards it.
type transcriptFile struct{ path string }

// transcriptPath is where the transcript of a session lies.
func (s *Server) transcriptPath(session string) string {
	return filepath.Join(TranscriptDir(s.backend.StateDir), session, "transcript.md")
}

// TranscriptDir is the folder of transcripts in the state folder: a folder a
// session. Whoever wires the program sweeps it and forgets deleted sessions.
func TranscriptDir(stateDir string) string { return filepath.Join(stateDir, "transcripts") }

// append adds to the file, which is made when it is missing, for the user
// alone.
func (f *transcriptFile) append(text string) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
