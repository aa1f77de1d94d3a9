package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// style colours text, or not.
type style struct{ colour bool }

func (s style) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string   { return s.paint("1", t) }
func (s style) dim(t string) string    { return s.paint("2", t) }
func (s style) red(t string) string    { return s.paint("31", t) }
func (s style) green(t string) string  { return s.paint("32", t) }
func (s style) yellow(t string) string { return s.paint("33", t) }
func (s style) blue(t string) string   { return s.paint("34", t) }

// OneLine makes text safe for one line: control characters become visible
// marks, line ends a sign.
func OneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", " ⏎ ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || bidi(r) {
			return '�'
		}
		return r
	}, text)
}

// bidi says whether r can make text read other than it is.
func bidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// took words how long a call took.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
