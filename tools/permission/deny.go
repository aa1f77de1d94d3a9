package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxNesting bounds how deep command lines inside of arguments are followed.
const maxNesting = 4

// unknownWord stands for a word that only the shell can tell; it matches no
// word of a rule.
const unknownWord = "\x00"

// deniesLine reports whether any command that a line runs matches a deny rule,
// however deep: in lists, loops, functions, substitutions, behind wrappers and
// in the argument of "sh -c". The exact rule of a whole line matches that line
// too. What cannot be parsed is searched for the words of the rule.
func deniesLine(r Rule, line string) bool {
	if r.Exact && strings.TrimSpace(r.Pattern) == strings.TrimSpace(line) {
		return true
	}
	want, err := patternWords(r.Pattern)
	if err != nil {
		return false
	}
	d := denial{want: want, exact: r.Exact}
	return d.line(line, 0)
}

// denial looks for the words of one deny rule.
type denial struct {
	want  []string
	exact bool
}

func (d denial) line(line string, depth int) bool {
	if depth > maxNesting {
		return false
	}
	found := false
	visit := func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && !found {
			found = d.call(call, depth)
		}
		return !found
	}
	for stmt, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(line)) {
		if err != nil {
			return found || d.loosely(line)
		}
		syntax.Walk(stmt, visit)
	}
	return found
}

// call matches one simple command, and what follows a program that runs its
// arguments.
func (d denial) call(c *syntax.CallExpr, depth int) bool {
	have := make([]string, len(c.Args))
	for i, w := range c.Args {
		word, err := canonicalWord(w)
		if err != nil {
			word = unknownWord
		}
		have[i] = word
	}
	for i := range have {
		if d.at(have[i:]) {
			return true
		}
		if !runsOthers(have[0]) && !interprets(have[0]) {
			return false
		}
		if i > 0 && strings.ContainsAny(have[i], " \t\n;|&") && d.line(dequote(have[i]), depth+1) {
			return true
		}
	}
	return false
}

// at reports whether the command that begins with these words matches.
func (d denial) at(have []string) bool {
	if len(have) < len(d.want) || d.exact && len(have) != len(d.want) {
		return false
	}
	for i, w := range d.want {
		if have[i] != w && !(i == 0 && programName(have[0]) == w) {
			return false
		}
	}
	return true
}

// loosely searches a text that is no shell for the rule's words in a row.
func (d denial) loosely(text string) bool {
	have := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&<>()`\"'{}$", r) })
	for i := range have {
		if len(have)-i >= len(d.want) && (denial{want: d.want}).at(have[i:]) {
			return true
		}
	}
	return false
}
