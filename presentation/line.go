package presentation

import (
	"strings"
	"unicode"
)

// Visible returns s with what would act instead of being read made visible:
// control characters, but for line feeds and tabs, and those that let text be
// read in another order than it has become U+FFFD. What a user is asked about is
// shown like that.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || reorders(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// reorders says whether r overrides, embeds or isolates a direction of text.
func reorders(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// OneLine returns s as one visible line, such as a title (acp.md §8). Line ends
// become a sign and stay visible: in a command, spaces would hide what runs
// behind a comment.
func OneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return Visible(strings.Join(lines, " ⏎ "))
}
