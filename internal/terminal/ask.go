package terminal

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// Asker asks for permission on a terminal. Questions come one at a time.
type Asker struct {
	sink  *Sink
	lines chan typed
	asked bool // a question was asked before
}

// typed is a line and when it was read.
type typed struct {
	text string
	at   time.Time
}

// NewAsker returns an asker that shows questions through s and reads answers,
// a line each, from in until it ends. It reads in the background for as long
// as the process lives: a terminal cannot be left half read.
func NewAsker(s *Sink, in io.Reader) *Asker {
	a := &Asker{sink: s, lines: make(chan typed, 64)}
	go func() {
		defer close(a.lines)
		for buf := make([]byte, 4096); ; {
			n, err := in.Read(buf)
			at := time.Now()
			for _, l := range strings.SplitAfter(string(buf[:n]), "\n") {
				if l == "" {
					continue
				}
				a.lines <- typed{strings.TrimRight(l, "\r\n"), at}
			}
			if err != nil {
				return
			}
		}
	}()
	return a
}

// choices are the keys and what they answer.
var choices = map[string]agent.Answer{
	"y": agent.AllowOnce, "yes": agent.AllowOnce, "a": agent.AllowAlways, "always": agent.AllowAlways,
	"n": agent.RejectOnce, "no": agent.RejectOnce, "": agent.RejectOnce, "never": agent.RejectAlways,
}

// Ask shows the whole command or change and waits for an answer; anything
// that is none asks again, and what was typed before a further question was shown
// is no answer to it: the first may be answered by a script ahead. The end of the input rejects.
func (a *Asker) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	a.show(q)
	var shown time.Time
	if a.asked {
		shown = time.Now()
	}
	a.asked = true
	a.prompt(q)
	for {
		select {
		case <-ctx.Done():
			a.say("")
			return agent.AnswerCancelled, context.Cause(ctx)
		case line, ok := <-a.lines:
			if !ok {
				a.say("")
				return agent.RejectOnce, nil
			}
			if line.at.Before(shown) {
				continue
			}
			if answer, known := answerTo(q, strings.ToLower(strings.TrimSpace(line.text))); known {
				return answer, nil
			}
			a.say(answersOf(q))
			a.prompt(q)
		}
	}
}

// answerTo is what a line answers; known is false for one that is no answer. Of a
// question with choices of its own the number of one is.
func answerTo(q agent.Question, line string) (answer agent.Answer, known bool) {
	if len(q.Choices) == 0 {
		answer, known = choices[line]
		return answer, known
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || n > len(q.Choices) {
		return "", false
	}
	return agent.Answer(q.Choices[n-1].ID), true
}

// answersOf says what may be typed.
func answersOf(q agent.Question) string {
	if len(q.Choices) == 0 {
		return "Type y, a, n or never."
	}
	return fmt.Sprintf("Type a number from 1 to %d.", len(q.Choices))
}

// say ends the line that the question left open, or what was typed.
func (a *Asker) say(line string) {
	a.sink.mu.Lock()
	defer a.sink.mu.Unlock()
	a.sink.printf("%s\n", line)
}

func (a *Asker) show(q agent.Question) {
	s := a.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cards[q.CallID]
	if c == nil {
		c = &card{title: q.Name}
	}
	c.setView(q.View, s.cwd)
	s.head(c)
	defer func(lines int) { s.lines = lines }(s.lines)
	s.lines = math.MaxInt - 1 // what is to be allowed is shown whole
	switch v := q.View.(type) {
	case *presentation.TerminalCall:
		s.block(v.Title)
	case *presentation.DiffCall:
		s.diffs(v.Diffs, v.Omitted)
	case *presentation.GenericCall:
		s.block(string(v.RawInput))
	}
}

func (a *Asker) prompt(q agent.Question) {
	s := a.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.Choices) > 0 {
		for i, c := range q.Choices {
			s.printf("  [%d] %s\n", i+1, presentation.OneLine(c.Name))
		}
		s.printf("%s ", s.style.bold("Which one?"))
		return
	}
	always := "always"
	if q.Scope != "" {
		always = fmt.Sprintf("always (%s)", presentation.OneLine(q.Scope))
	}
	s.printf("%s [y] once  [a] %s  [n, Enter] no  [never] not any more: ", s.style.bold("Allow?"), always)
}
