package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// Options say how cards are shown.
type Options struct {
	// Colour paints; set it only for a terminal that wants it.
	Colour bool
	// Lines is the most lines of one card's content, 20 when 0; a command's
	// output is bounded by it as well, its end being kept.
	Lines int
}

// Sink shows one session's events as text. Its zero value is not usable; see
// NewSink.
type Sink struct {
	mu      sync.Mutex
	w       io.Writer
	style   style
	lines   int
	cards   map[string]*card
	cwd     string
	message string // kind and id of the message being written, "" between them
	current *card  // whose lines stand last, nil when it is none's
	failed  int
}

// card is what the sink keeps of an open call.
type card struct {
	title   string
	kind    presentation.ToolCallKind
	view    presentation.CallView
	started time.Time
	shown   bool   // the title line is out
	output  string // streamed output not shown yet
	lines   int    // lines of output shown
	hidden  int    // lines of output held back
	tail    []string
	last    string // the last line of output, as it came
}

// NewSink returns a sink that writes to w.
func NewSink(w io.Writer, o Options) *Sink {
	if o.Lines <= 0 {
		o.Lines = 20
	}
	return &Sink{w: w, style: style{o.Colour}, lines: o.Lines, cards: map[string]*card{}}
}

// Failed returns how many calls have failed so far.
func (s *Sink) Failed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Event shows one record.
func (s *Sink) Event(ses *agent.Session, r agent.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cwd = ses.Cwd()
	s.show(r)
}

// show shows a record; mu is held, or nobody else has the sink.
func (s *Sink) show(r agent.Record) {
	switch e := r.Event.(type) {
	case agent.AgentText:
		s.text("text "+e.MessageID, e.Text, func(t string) string { return t })
	case agent.AgentThought:
		s.text("thought "+e.MessageID, e.Text, s.style.dim)
	case agent.ToolCallStarted:
		s.endMessage()
		s.open(e.CallID, e.Name, e.View, r.Time)
	case agent.ToolCallPlanned:
		if c := s.cards[e.CallID]; c != nil {
			c.setView(e.View, s.cwd)
		}
	case agent.ToolCallRunning:
		if c := s.cards[e.CallID]; c != nil {
			s.running(c)
		}
	case agent.ToolCallOutput:
		if c := s.cards[e.CallID]; c != nil {
			s.output(c, e.Text)
		}
	case agent.ToolCallFinished:
		s.finish(e, r.Time)
	case agent.PlanChanged:
		s.plan(e.Entries)
	case agent.Notice:
		s.notice(e)
	case agent.CompactionChanged:
		if n, ok := e.Notice(); ok {
			s.notice(n)
		}
	case agent.TurnEnded:
		s.endMessage()
	}
}

// notice prints a notice.
func (s *Sink) notice(n agent.Notice) {
	s.endMessage()
	s.printf("%s %s\n", s.style.bold("!"), presentation.OneLine(noticeText(n)))
}

// noticeText is a notice in one line.
func noticeText(n agent.Notice) string {
	if n.Title == "" || n.Text == "" {
		return n.Title + n.Text
	}
	return strings.TrimRight(n.Title, ".:") + ": " + n.Text
}

func (s *Sink) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// text writes a piece of the message or thought with the key.
func (s *Sink) text(key, text string, paint func(string) string) {
	if s.message != key {
		s.endMessage()
		s.message, s.current = key, nil
	}
	s.printf("%s", paint(presentation.Visible(presentation.StripANSI(text))))
}

func (s *Sink) endMessage() {
	if s.message != "" {
		s.printf("\n\n")
		s.message = ""
	}
}

func (s *Sink) open(id, name string, view presentation.CallView, at time.Time) {
	c := &card{title: name, started: at}
	c.setView(view, s.cwd)
	s.cards[id] = c
}

func (c *card) setView(v presentation.CallView, cwd string) {
	if v == nil {
		return
	}
	c.view, c.kind = v, presentation.CallKind(v)
	switch v := v.(type) {
	case *presentation.GenericCall:
		c.title = v.Title
	case *presentation.TerminalCall:
		c.title = v.Title
	case *presentation.DiffCall:
		c.title = v.Title
	}
	c.title = presentation.Relativize(c.title, presentation.TitlePath(v), cwd)
}

// running writes the title line of a call that runs alone, so that one sees
// what takes long. Of calls that run side by side each gets its title with its
// first lines.
func (s *Sink) running(c *card) {
	if len(s.cards) == 1 {
		s.head(c)
	}
}

// head writes the title line of a card unless its lines stand last; a card
// that others came between gets it again, marked.
func (s *Sink) head(c *card) {
	if s.current == c {
		return
	}
	again := ""
	if c.shown {
		again = s.style.dim("… ")
	}
	c.shown, s.current = true, c
	line := again + s.style.blue(presentation.Icon(c.kind)) + " " + s.style.bold(presentation.OneLine(c.title))
	if t, ok := c.view.(*presentation.TerminalCall); ok && t.Description != "" {
		line += s.style.dim("  # " + presentation.OneLine(t.Description))
	}
	s.printf("%s%s\n", line, s.style.dim(where(c.view)))
}

// where names the place that a card points to, when it is not the beginning.
func where(v presentation.CallView) string {
	var ls []presentation.FileLocation
	switch v := v.(type) {
	case *presentation.GenericCall:
		ls = v.Locations
	case *presentation.DiffCall:
		ls = v.Locations
	}
	if len(ls) == 0 || ls[0].Line <= 1 {
		return ""
	}
	return fmt.Sprintf("  → line %d", ls[0].Line)
}

// output shows a command's output as it comes: the first lines at once, of
// the rest only the end, when the command has ended.
func (s *Sink) output(c *card, text string) {
	s.head(c)
	c.output += text
	for {
		line, rest, more := strings.Cut(c.output, "\n")
		if !more {
			return
		}
		c.output = rest
		s.outputLine(c, line)
	}
}

func (s *Sink) outputLine(c *card, line string) {
	c.last = line
	line = presentation.OneLine(presentation.StripANSI(line))
	if c.lines < s.lines/2 {
		c.lines++
		s.bodyLine(line)
		return
	}
	c.tail = append(c.tail, line)
	if len(c.tail) > s.lines/2 {
		c.hidden++
		c.tail = c.tail[1:]
	}
}

func (s *Sink) bodyLine(line string) { s.printf("%s %s\n", s.style.dim("│"), line) }

// finish settles a card: what its result shows, then how it ended.
func (s *Sink) finish(e agent.ToolCallFinished, at time.Time) {
	c := s.cards[e.CallID]
	if c == nil {
		return
	}
	delete(s.cards, e.CallID)
	s.head(c)
	s.held(c)
	exit := s.result(e, c)
	mark, word := s.style.green("✓"), "completed"
	if exit.bad {
		mark = s.style.yellow("✓")
	}
	if e.Result.IsError {
		s.failed++
		mark, word = s.style.red("✗"), "failed"
	}
	s.current = nil
	s.printf("%s %s%s\n\n", mark, word, exit.words(s.style)+s.style.dim(" · "+took(at.Sub(c.started))))
}

// held shows the output that was held back for the end of a card.
func (s *Sink) held(c *card) {
	if c.output != "" {
		s.outputLine(c, c.output)
	}
	if c.hidden > 0 {
		s.bodyLine(s.style.dim(fmt.Sprintf("… %d lines not shown …", c.hidden)))
	}
	for _, l := range c.tail {
		s.bodyLine(l)
	}
}

// exit is how a command ended; bad says that it is worth a look.
type exit struct {
	text string
	bad  bool
}

func (x exit) words(s style) string {
	if x.bad {
		return s.yellow(x.text)
	}
	return s.dim(x.text)
}

// result shows the body of a finished card and returns how a command exited.
func (s *Sink) result(e agent.ToolCallFinished, c *card) (x exit) {
	content := e.Result.Content
	switch v := e.View.(type) {
	case *presentation.DiffResult:
		s.diffs(v.Diffs, v.Omitted)
		return x
	case *presentation.TerminalResult:
		if c.lines == 0 {
			s.block(v.Output)
		} else {
			s.notes(v.Notes)
		}
		switch {
		case v.Signal != "":
			x = exit{", killed by " + v.Signal, true}
		case v.ExitCode != nil:
			x = exit{fmt.Sprintf(", exit code %d", *v.ExitCode), *v.ExitCode != 0}
		}
		return x
	case *presentation.GenericResult:
		if v.Content != nil {
			content = v.Content
		}
	}
	s.blocks(content, c.last)
	return x
}

// notes shows what is to be said of a command below the output that came.
func (s *Sink) notes(notes []string) {
	for _, n := range notes {
		s.bodyLine(s.style.yellow(presentation.OneLine(n)))
	}
}

// blocks shows what a result holds beside the output that was shown already, of
// which shown is the end.
func (s *Sink) blocks(blocks []presentation.Block, shown string) {
	for _, b := range blocks {
		switch b.Type {
		case presentation.BlockText:
			s.block(presentation.Beyond(b.Text, shown))
		case presentation.BlockImage:
			s.bodyLine(s.style.dim(fmt.Sprintf("[image %s, %d bytes]", b.MIMEType, len(b.Data))))
		default:
			s.bodyLine(s.style.dim(fmt.Sprintf("[%s %s]", b.Type, presentation.OneLine(b.Name+b.URI))))
		}
	}
}

// block shows text, at most the bound of lines.
func (s *Sink) block(text string) {
	text = strings.TrimRight(presentation.StripANSI(text), "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i == s.lines && len(lines) > s.lines+1 {
			s.bodyLine(s.style.dim(fmt.Sprintf("… %d more lines", len(lines)-i)))
			return
		}
		s.bodyLine(presentation.OneLine(l))
	}
}

func (s *Sink) plan(entries []presentation.PlanEntry) {
	s.endMessage()
	s.printf("%s\n", s.style.bold("Plan"))
	marks := map[string]string{"pending": "○", "in_progress": "◐", "completed": "●"}
	for _, e := range entries {
		s.printf("  %s %s\n", marks[e.Status], presentation.OneLine(e.Content))
	}
	s.printf("\n")
}
