package agent

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

//go:embed compact.md
var compactText string

// CompactionStatus is how far a compaction is; the words are ACP's.
type CompactionStatus string

// The statuses.
const (
	CompactionRunning   CompactionStatus = "in_progress"
	CompactionCompleted CompactionStatus = "completed"
	CompactionFailed    CompactionStatus = "failed"
	CompactionCancelled CompactionStatus = "cancelled"
)

// Sizes of what a compaction reads.
const (
	// bytesPerToken is how many bytes a token is taken for (tools.md §1.5.1).
	bytesPerToken = 4
	// defaultTranscript is how much of a conversation is summed up where the
	// size of the context is not known, in bytes.
	defaultTranscript = 256 << 10
	// maxTranscriptResult is how much of one tool's result is, in bytes.
	maxTranscriptResult = 2 << 10
)

// commandCompact is what a prompt begins with that asks for a compaction; what
// follows says what to keep.
const commandCompact = "compact"

// compactCommand says whether a prompt is the command, and what follows it.
func compactCommand(prompt []presentation.Block) (focus string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(PromptText(prompt)), " ")
	return strings.TrimSpace(rest), word == "/"+commandCompact
}

// crowded says that the conversation fills so much of the model's context that
// the next step might not fit: nine parts of ten.
func (s *Session) crowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.model.ContextSize
	return size > 0 && s.state.tokens() > size/10*9
}

// tokens estimates what the conversation holds: what the server counted last
// and what came since.
func (s *state) tokens() int64 {
	messages := s.messages
	if s.used > 0 {
		messages = messages[min(s.counted, len(messages)):]
	}
	var bytes int64
	for _, m := range messages {
		for _, b := range m.Blocks {
			bytes += int64(len(b.Text) + len(b.Payload))
		}
		for _, c := range m.Calls {
			bytes += int64(len(c.Arguments))
		}
	}
	return s.used + bytes/bytesPerToken
}

// compact replaces the conversation by a summary that the model writes. With
// prompt the prompt of the running turn stays.
func (l *Loop) compact(ctx context.Context, t *Turn, focus string, prompt bool) error {
	e := CompactionChanged{ID: t.s.hub.c.NewID(), Status: CompactionRunning, Prompt: prompt}
	t.Record(e)
	summary, fin, err := l.summarize(ctx, t, focus)
	switch {
	case ctx.Err() != nil:
		e.Status = CompactionCancelled
	case err != nil:
		e.Status, e.Error = CompactionFailed, err.Error()
	default:
		e.Status, e.Summary = CompactionCompleted, summary
	}
	t.Record(e)
	if e.Status == CompactionCompleted {
		var cost float64
		if fin.Usage != nil {
			cost = fin.Usage.Cost
		}
		t.spent(max(int64(len(summary))/bytesPerToken, 1), cost)
	}
	return err
}

// summarize asks the model for the summary.
func (l *Loop) summarize(ctx context.Context, t *Turn, focus string) (summary string, fin Finish, err error) {
	limit := defaultTranscript
	if size := t.s.Model().ContextSize; size > 0 {
		limit = int(size) * bytesPerToken / 10 * 6
	}
	ask := transcript(t.s.History(), limit)
	if focus != "" {
		ask += "\n\nThe user asks to keep above all: " + focus
	}
	req := Request{
		Session: t.s.id, Aside: true, Progress: t.s.progress(), System: strings.TrimSpace(compactText),
		Messages: []Message{{Role: RoleUser, Blocks: []presentation.Block{presentation.Text(ask)}}},
	}
	var text strings.Builder
	for attempt := 1; ; attempt++ {
		text.Reset()
		fin, err = l.Model.Respond(ctx, req, func(d Delta) error {
			text.WriteString(d.Text)
			return context.Cause(ctx)
		})
		if err == nil || !l.Retry.again(ctx, t, attempt, err) {
			break
		}
	}
	summary = strings.TrimSpace(text.String())
	if err == nil && summary == "" {
		err = &ProviderError{Message: "the model wrote no summary of the conversation; start a new session, or try /compact again"}
	}
	return summary, fin, err
}

// transcript is a conversation as text for the model that sums it up: its end,
// where it is longer than limit, in bytes.
func transcript(messages []Message, limit int) string {
	var parts []string
	size := 0
	for i := len(messages) - 1; i >= 0; i-- {
		part := transcribe(messages[i])
		if size += len(part); size > limit {
			parts = append(parts, fmt.Sprintf("[%d earlier messages are left out]\n", i+1))
			break
		}
		parts = append(parts, part)
	}
	var b strings.Builder
	b.WriteString("The conversation to sum up:\n\n")
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// transcribe writes one message.
func transcribe(m Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", strings.TrimSpace(string(m.Role)+" "+m.Name))
	text := joinText(m.Blocks)
	if m.Role == RoleTool && len(text) > maxTranscriptResult {
		cut := wholeRunes(text[:maxTranscriptResult])
		text = fmt.Sprintf("%s\n[%d more bytes]", text[:cut], len(text)-cut)
	}
	b.WriteString(text)
	for _, c := range m.Calls {
		fmt.Fprintf(&b, "\n[calls %s with %s]", c.Name, c.Arguments)
	}
	b.WriteString("\n\n")
	return b.String()
}

// compact folds a completed compaction: the summary takes the place of all
// messages, and the prompt of the turn stays where it is asked for.
func (s *state) compact(e CompactionChanged) {
	if e.Status != CompactionCompleted {
		return
	}
	s.settle()
	var prompt []Message
	if e.Prompt {
		for i := len(s.messages) - 1; i >= 0 && len(prompt) == 0; i-- {
			if s.messages[i].Role == RoleUser {
				prompt = s.messages[i : i+1]
			}
		}
	}
	s.messages, s.used, s.counted = nil, 0, 0
	s.addContext(tools.HookContext{Source: "summary of the conversation so far", Text: e.Summary})
	s.messages = append(s.messages, prompt...)
}

// Notice is what front ends tell of a step that have nothing better for it; ok
// is false for a step that is not worth telling.
func (e CompactionChanged) Notice() (n Notice, ok bool) {
	switch e.Status {
	case CompactionCompleted:
		return Notice{Severity: "info", Title: "The conversation so far was replaced by a summary, to make room"}, true
	case CompactionFailed:
		return Notice{Severity: "warning", Title: "The conversation could not be summed up", Text: e.Error}, true
	}
	return n, false
}
