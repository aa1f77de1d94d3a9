package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// state is what the records of a session come to so far. A live session and a
// loaded one fold the same records with the same code, so they cannot differ.
type state struct {
	title string
	mode  permission.Mode
	model string
	meta  map[string]json.RawMessage
	cost  float64
	// used are the tokens of the context when it held counted messages, 0 when
	// nobody counted.
	used    int64
	counted int
	// lastCall is the highest number in a call id given so far.
	lastCall int
	callBase string
	// turn is the open turn, "" between turns; calls are the started calls that
	// have not finished, in order.
	turn  string
	calls []string

	// progress is how far the conversation has come, whatever became of messages.
	progress Progress

	// messages are complete and never changed again, so that requests may
	// share them; open is the assistant message that is still growing.
	messages []Message
	open     *Message
	step     *step
	// context waits for the end of the open message or step.
	context []tools.HookContext
}

// step is an assistant message whose calls run: its results enter the
// conversation together, in the order of the calls (tools.md §2.3.3, §2.3.5).
type step struct {
	calls   []AssistantCall
	results map[string]tools.Result
}

// apply folds one event.
func (s *state) apply(e Event) {
	switch e := e.(type) {
	case TurnStarted:
		s.turn = e.Turn
	case TurnEnded:
		s.settle()
		s.turn = ""
	case UserMessage:
		s.settle()
		s.progress = Progress{Prompts: s.progress.Prompts + 1}
		s.messages = append(s.messages, Message{Role: RoleUser, Blocks: e.Blocks})
	case AgentText:
		s.piece(e.MessageID, presentation.Text(e.Text))
	case AgentOpaque:
		s.piece(e.MessageID, e.Block)
	case AssistantCalls:
		s.beginStep(e.Calls)
	case ToolCallStarted:
		s.noteCallID(e.CallID)
		s.calls = append(s.calls, e.CallID)
	case ToolCallFinished:
		s.calls = without(s.calls, e.CallID)
		s.finishCall(e)
	case ContextAdded:
		s.addContext(tools.HookContext{Source: e.Source, Text: e.Text})
	case ModeChanged:
		s.mode = permission.Mode(e.Mode)
	case ModelChanged:
		s.model = e.Model
	case TitleChanged:
		s.title = e.Title
	case UsageChanged:
		s.cost, s.used, s.counted = e.Cost, e.Used, len(s.messages)
	case CompactionChanged:
		s.compact(e)
	case MetadataChanged:
		s.setMeta(e)
	}
}

func (s *state) setMeta(e MetadataChanged) {
	if e.Value == nil {
		delete(s.meta, e.Key)
		return
	}
	if s.meta == nil {
		s.meta = map[string]json.RawMessage{}
	}
	s.meta[e.Key] = e.Value
}

// piece adds to an assistant message. The pieces are joined when the message is
// complete, so that a long one costs no more than its length.
func (s *state) piece(message string, b presentation.Block) {
	if s.open == nil || s.open.id != message {
		s.settle()
		s.open = &Message{Role: RoleAssistant, id: message}
	}
	s.open.Blocks = append(s.open.Blocks, b)
}

// close completes the open message.
func (s *state) close() {
	if s.open == nil {
		return
	}
	s.messages = append(s.messages, s.open.whole())
	s.open = nil
}

// whole returns m with the texts that follow each other in one block.
func (m Message) whole() Message {
	var blocks []presentation.Block
	for rest := m.Blocks; len(rest) > 0; {
		n := 0
		for n < len(rest) && rest[n].Type == presentation.BlockText {
			n++
		}
		if n == 0 {
			blocks, rest = append(blocks, rest[0]), rest[1:]
			continue
		}
		blocks, rest = append(blocks, presentation.Text(joinText(rest[:n]))), rest[n:]
	}
	m.Blocks = blocks
	return m
}

// history returns the conversation so far; nobody may change its messages.
func (s *state) history() []Message {
	complete := slices.Clip(s.messages)
	if s.open == nil {
		return complete
	}
	return append(complete, s.open.whole())
}

// joinText concatenates text blocks.
func joinText(blocks []presentation.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		b.WriteString(block.Text)
	}
	return b.String()
}

func (s *state) beginStep(calls []AssistantCall) {
	if s.step != nil {
		s.settle()
	}
	for _, c := range calls {
		s.noteCallID(c.CallID)
	}
	if s.open == nil {
		s.open = &Message{Role: RoleAssistant}
	}
	s.open.Calls = calls
	s.progress.Batches++
	s.close()
	s.step = &step{calls: calls, results: map[string]tools.Result{}}
}

func (s *state) finishCall(e ToolCallFinished) {
	if s.step == nil || !slices.ContainsFunc(s.step.calls, func(c AssistantCall) bool { return c.CallID == e.CallID }) {
		return
	}
	s.step.results[e.CallID] = e.Result
	if len(s.step.results) == len(s.step.calls) {
		s.settle()
	}
}

// settle completes the open message and the open step: its results enter the
// conversation, one for every call, and after all of them what listeners add.
func (s *state) settle() {
	s.close()
	context := s.context
	s.context = nil
	if s.step != nil {
		context = append(s.endStep(), context...)
	}
	for _, c := range context {
		s.addContext(c)
	}
}

// endStep appends the results of the step and returns what listeners add.
func (s *state) endStep() (context []tools.HookContext) {
	for _, c := range s.step.calls {
		r, ok := s.step.results[c.CallID]
		if !ok {
			r = notRun()
		}
		s.messages = append(s.messages, Message{
			Role: RoleTool, Blocks: tools.ModelContent(r), CallID: c.CallID, Name: c.Name, IsError: r.IsError, OutputRef: r.OutputRef,
		})
		context = append(context, r.AdditionalContext...)
	}
	s.step = nil
	return context
}

// addContext adds text behind what is open now.
func (s *state) addContext(c tools.HookContext) {
	if s.step != nil || s.open != nil {
		s.context = append(s.context, c)
		return
	}
	s.messages = append(s.messages, Message{Role: RoleContext, Name: c.Source, Blocks: []presentation.Block{presentation.Text(c.Text)}})
}

// without returns ids, which it may change, without id.
func without(ids []string, id string) []string {
	return slices.DeleteFunc(ids, func(other string) bool { return other == id })
}

// newCallID returns an id that is new in the session, also after a reload.
func (s *state) newCallID() string {
	s.lastCall++
	return fmt.Sprintf("%s-%d", s.callBase, s.lastCall)
}

// noteCallID keeps newCallID ahead of the ids in the log.
func (s *state) noteCallID(id string) {
	number, ok := strings.CutPrefix(id, s.callBase+"-")
	if !ok {
		return
	}
	if n, err := strconv.Atoi(number); err == nil {
		s.lastCall = max(s.lastCall, n)
	}
}

// notRun is the result of a call that never started (tools.md §2.3.5).
func notRun() tools.Result {
	return failedResult(tools.CodeNotRun, "Error: tool call aborted before dispatch")
}

// failedResult is a failure that the session itself has to report.
func failedResult(code, text string) tools.Result {
	r := tools.TextResult(text)
	r.IsError, r.Error = true, &tools.ErrorInfo{Name: "AbortError", Code: code}
	return r
}
