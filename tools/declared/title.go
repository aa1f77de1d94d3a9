package declared

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/tools/schema"
)

// maxTitle is how long a title gets, in code points.
const maxTitle = 200

// expand puts arguments into the title template of a card. It takes any
// template and any arguments: a placeholder that names nothing leaves nothing,
// a brace without its partner is text, white space becomes one space.
func expand(template string, args []byte) string {
	var b strings.Builder
	for template != "" {
		i := strings.IndexByte(template, '{')
		if i < 0 || i+1 == len(template) {
			b.WriteString(template)
			break
		}
		b.WriteString(template[:i])
		template = template[i:]
		if template[1] == '{' {
			b.WriteByte('{')
			template = template[2:]
			continue
		}
		end := strings.IndexByte(template, '}')
		if end < 0 {
			b.WriteString(template)
			break
		}
		b.WriteString(argument(args, template[1:end]))
		template = template[end+1:]
	}
	return oneLine(b.String())
}

// argument returns the argument at a dotted path as text, "" when there is
// none. A name that has dots itself goes first.
func argument(args []byte, path string) string {
	value, ok := schema.Member(args, path)
	if !ok {
		head, rest, dotted := strings.Cut(path, ".")
		inner, found := schema.Member(args, head)
		if !dotted || !found {
			return ""
		}
		return argument(inner, rest)
	}
	if text, ok := stringOf(value); ok {
		return text
	}
	return string(value)
}

// oneLine makes s fit for a title: printable, single spaces, not too long.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	return string([]rune(s)[:maxTitle-1]) + "…"
}
