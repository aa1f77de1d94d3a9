package cache

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
)

// DefaultMaxMessageBytes is how much text of one tool result stays in the
// model's context (tools.md §1.5).
const DefaultMaxMessageBytes = 51_200

// Config configures a Service; the zero Config is the default one.
type Config struct {
	// Disabled returns every message as it is.
	Disabled bool
	// ContextBudgetTokens is the budget of all tool results together; 0
	// derives it, see Budget.
	ContextBudgetTokens int
	// MaxInputTokens and ContextWindow are the model's, 0 when unknown.
	MaxInputTokens, ContextWindow int
	// TotalBudgetTrim lets TrimTotal replace old results.
	TotalBudgetTrim bool
	// MaxMessageBytes bounds the text of one result; 0 means
	// DefaultMaxMessageBytes.
	MaxMessageBytes int
}

// Budget returns the tokens that tool results may fill: a quarter of what the
// model takes, but at least 20 000 and at most 100 000; 100 000 when the model
// is unknown (tools.md §1.5.1).
func (c Config) Budget() int {
	const least, most = 20_000, 100_000
	if c.ContextBudgetTokens > 0 {
		return c.ContextBudgetTokens
	}
	size := c.MaxInputTokens
	if size <= 0 {
		size = c.ContextWindow
	}
	if size <= 0 {
		return most
	}
	return min(max(size/4, least), most)
}

// Message is one tool result in a model's context.
type Message struct {
	CallID string
	Name   string
	Blocks []presentation.Block
	// Ref names the stored output. A tool that stored its output itself sets
	// it; else ProcessMessage does.
	Ref Ref
	// Bounded says that the tool keeps its result within bounds of its own,
	// which end with what the model needs to go on: it is not cut here.
	Bounded bool
	// Trimmed says that something was cut.
	Trimmed bool
}

// Service keeps tool results within a model's context (tools.md §1.5). It
// never changes what its callers hold.
type Service struct {
	store   *Store
	session string
	config  Config
	logger  *slog.Logger
}

// NewService returns the service of one session; a nil store keeps nothing.
func NewService(store *Store, session string, c Config, logger *slog.Logger) *Service {
	if c.MaxMessageBytes <= 0 {
		c.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Service{store: store, session: session, config: c, logger: logger}
}

// ProcessMessage stores the output of m and returns m with its ref, and with
// its text cut when that is too large. A failure to store costs the ref, never
// the call. Messages with anything but text stay whole (tools.md §1.5.4).
func (s *Service) ProcessMessage(m Message) Message {
	if s.config.Disabled {
		return m
	}
	if m.Ref == "" {
		m.Ref = s.save(m)
	}
	if m.Bounded || !allText(m.Blocks) {
		return m
	}
	text := Project(m.Blocks)
	if len(m.Blocks) > 1 {
		m.Blocks = []presentation.Block{presentation.Text(text)}
	}
	if len(text) <= s.config.MaxMessageBytes {
		return m
	}
	m.Blocks = []presentation.Block{presentation.Text(cut(text, s.config.MaxMessageBytes) + notice("truncated", m.Ref))}
	m.Trimmed = true
	return m
}

// save stores the output of m; "" when it cannot.
func (s *Service) save(m Message) Ref {
	if s.store == nil {
		return ""
	}
	ref, err := s.store.PutParts(s.session, m.CallID, m.Blocks)
	if err != nil {
		s.logger.Warn("the output of a tool is not kept", "tool", m.Name, "call", m.CallID, "error", err)
	}
	return ref
}

// cut returns the whole lines at the start of text that fit into most bytes
// with their newlines, and a blank line; the start of the first line, up to a
// rune's end, when that alone does not fit.
func cut(text string, most int) string {
	end := strings.LastIndexByte(text[:most], '\n')
	if end < 0 {
		return clipBytes(text, most) + "\n\n"
	}
	return strings.TrimSuffix(text[:end], "\r") + "\n\n"
}

// notice says in place of output that it was truncated or trimmed, and under
// which ref it can be read.
func notice(what string, ref Ref) string {
	if ref == "" {
		return "[tool output " + what + "]"
	}
	return "[tool output " + what + "; ref=" + string(ref) + "]"
}

// TrimTotal returns messages within the budget: the oldest results are
// replaced by a notice until the rest fits (tools.md §1.5.7). The last current
// messages, the results that the model has not seen yet, stay; so do messages
// with anything but text, ones that were replaced before, and ones that would
// grow. The caller's slice and messages are not changed; when nothing is to be
// done, it is returned itself.
func (s *Service) TrimTotal(messages []Message, current int) []Message {
	if s.config.Disabled || !s.config.TotalBudgetTrim {
		return messages
	}
	total := 0
	for i := range messages {
		total += messages[i].tokens()
	}
	budget := s.config.Budget()
	if total <= budget {
		return messages
	}
	trimmed := slices.Clone(messages)
	for i := range max(0, len(trimmed)-current) {
		if total <= budget {
			break
		}
		total -= trimmed[i].trim()
	}
	return trimmed
}

// trim replaces the text of m by a notice and returns how many tokens that
// saves.
func (m *Message) trim() int {
	text := notice("trimmed", m.Ref)
	if !allText(m.Blocks) || len(m.Blocks) == 1 && m.Blocks[0].Text == text {
		return 0
	}
	saved := m.tokens() - tokens(len(text))
	if saved <= 0 {
		return 0
	}
	m.Blocks = []presentation.Block{presentation.Text(text)}
	m.Trimmed = true
	return saved
}

// mediaTokens is what an image or document is counted as; models differ.
const mediaTokens = 1000

// tokens estimates what m fills of the context.
func (m *Message) tokens() int {
	bytes, media := 0, 0
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; {
		case len(b.Data) > 0:
			media++
		default:
			bytes += len(b.Text) + len(b.Payload)
		}
	}
	return tokens(bytes) + media*mediaTokens
}

// tokens estimates the tokens of a text by its bytes.
func tokens(bytes int) int { return (bytes + 3) / 4 }
