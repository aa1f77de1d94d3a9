package agent

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
)

// maxTitle is how long a title made of a prompt may be, in runes.
const maxTitle = 80

// firstTitle is the title that a session without one gets of its first
// prompt: the first line, or what the prompt refers to.
func (s *Session) firstTitle(blocks []presentation.Block) string {
	s.mu.Lock()
	has := s.state.title != ""
	s.mu.Unlock()
	if has {
		return ""
	}
	for line := range strings.Lines(PromptText(blocks)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			return cutTitle(line)
		}
	}
	for _, b := range blocks {
		if name := first(b.Name, b.URI); name != "" {
			return cutTitle(name)
		}
	}
	return ""
}

// cutTitle shortens a title to maxTitle runes.
func cutTitle(s string) string {
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	return string([]rune(s)[:maxTitle-1]) + "…"
}
