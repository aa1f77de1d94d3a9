package direct

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// shell is the tool that !COMMAND runs (contract §2).
const shell = "bash"

// call is one call of a program. arguments are raw text for the pipeline to
// judge: broken JSON stays broken.
type call struct {
	name      string
	arguments string
}

// program is the text of a prompt as it runs.
type program struct {
	batches [][]call // in order
	// unknown are names after a slash, each once, that are no tools': such a
	// line is text, but its writer may have meant a call.
	unknown []string
}

// parse reads a program. Lines that are no calls are text, which a program does
// not need. It never fails.
func parse(text string, offered []tools.ToolSchema) program {
	p := parser{tools: map[string]tools.ToolSchema{}, rest: text}
	for _, t := range offered {
		p.tools[t.Name] = t
	}
	var out program
	for p.rest != "" {
		line := p.line()
		body, joined := strings.CutPrefix(line, "& ")
		c, ok := p.call(body)
		switch {
		case !ok:
			if m := slashName.FindStringSubmatch(body); m != nil && len(out.unknown) < maxHints && !slices.Contains(out.unknown, m[1]) {
				out.unknown = append(out.unknown, m[1])
			}
		case joined && len(out.batches) > 0:
			last := len(out.batches) - 1
			out.batches[last] = append(out.batches[last], c)
		default:
			out.batches = append(out.batches, []call{c})
		}
	}
	return out
}

// slashName is a line that looks like a call, and not like a path.
var slashName = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_.-]*)(?:[ \t]|$)`)

// parser walks the lines of a program.
type parser struct {
	tools map[string]tools.ToolSchema
	rest  string
}

// line takes the next line, without its end.
func (p *parser) line() string {
	line, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	return strings.TrimSuffix(line, "\r")
}

// split tells the tool and the text of a line that begins a call: /NAME, alone
// or followed by text, or !COMMAND; of a tool that is offered.
func (p *parser) split(line string) (tool tools.ToolSchema, text string, ok bool) {
	if command, is := strings.CutPrefix(line, "!"); is {
		command = strings.TrimSpace(command)
		tool, ok = p.tools[shell]
		return tool, command, ok && command != ""
	}
	name, is := strings.CutPrefix(line, "/")
	if !is {
		return tool, "", false
	}
	if i := strings.IndexAny(name, " \t"); i >= 0 {
		name, text = name[:i], strings.TrimSpace(name[i:])
	}
	tool, ok = p.tools[name]
	return tool, text, ok
}

// call reads the call that line begins, with the lines its JSON goes on over.
// ok is false for a line of text.
func (p *parser) call(line string) (c call, ok bool) {
	tool, text, ok := p.split(line)
	switch {
	case !ok:
		return call{}, false
	case text == "":
		return call{name: tool.Name, arguments: "{}"}, true
	case strings.HasPrefix(text, "{") && !strings.HasPrefix(line, "!"):
		return call{name: tool.Name, arguments: p.object(text)}, true
	}
	return call{name: tool.Name, arguments: primary(tool, text)}, true
}

// object takes lines until the JSON object that text begins is complete. One
// that is not when a line begins another call, or the program ends, is broken,
// and so is one with something behind it: its text is what there is. (No line
// of valid JSON can begin a call, because text in JSON has no line breaks.)
func (p *parser) object(text string) string {
	var n nesting
	var b strings.Builder
	b.WriteString(text)
	for open := n.feed(text); open && p.rest != "" && !p.begins(); {
		line := p.line()
		b.WriteByte('\n')
		b.WriteString(line)
		open = n.feed(line)
	}
	return strings.TrimSpace(b.String())
}

// begins reports whether the next line begins a call.
func (p *parser) begins() bool {
	line, _, _ := strings.Cut(p.rest, "\n")
	line = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), "& ")
	_, _, ok := p.split(line)
	return ok
}

// nesting follows the brackets of a JSON text, line by line.
type nesting struct{ depth int }

// feed takes the next line and reports whether the value may go on behind it:
// brackets are open, and no string is.
func (n *nesting) feed(line string) (open bool) {
	inString, escaped := false, false
	for i := range len(line) {
		switch c := line[i]; {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{', c == '[':
			n.depth++
		case c == '}', c == ']':
			n.depth--
		}
	}
	return n.depth > 0 && !inString
}

// primary gives text to the tool's primary parameter: the first required
// string of its schema, else its first string. A tool without a string gets
// the text as it is, which is no JSON and fails as such.
func primary(t tools.ToolSchema, text string) string {
	name := primaryName(t.Parameters)
	if name == "" {
		return text
	}
	// A map of two strings marshals always.
	arguments, _ := json.Marshal(map[string]string{name: text})
	return string(arguments)
}

func primaryName(s *schema.Schema) string {
	if s == nil {
		return ""
	}
	any := ""
	for _, p := range s.Properties {
		switch {
		case p.Schema == nil || p.Schema.Type != "string":
		case slices.Contains(s.Required, p.Name):
			return p.Name
		case any == "":
			any = p.Name
		}
	}
	return any
}
