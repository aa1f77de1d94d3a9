package permission

import (
	"slices"
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
	if r.isLine(line) {
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
		if stmt, ok := n.(*syntax.Stmt); ok && !found {
			found = d.stmt(stmt, depth)
		}
		return !found
	}
	// The statements before a fault count too, as a shell runs them. The loop
	// must not be left early: the iterator may go on after its error.
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	for stmt, err := range p.StmtsSeq(strings.NewReader(line)) {
		if err != nil {
			found = found || d.loosely(line)
		} else {
			syntax.Walk(stmt, visit)
		}
	}
	return found
}

// stmt matches one simple command, what follows a program that runs its
// arguments, and the here-documents that it is fed.
func (d denial) stmt(s *syntax.Stmt, depth int) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	have := make([]string, len(c.Args))
	for i, w := range c.Args {
		word, err := canonicalWord(w)
		if err != nil {
			word = unknownWord
		}
		have[i] = word
	}
	if d.at(have) {
		return true
	}
	if !runsOthers(have[0]) && !interprets(have[0]) {
		return false
	}
	for i, word := range have[1:] {
		if d.at(have[i+1:]) || d.line(dequote(word), depth+1) {
			return true
		}
	}
	for _, r := range s.Redirs {
		if r.Hdoc != nil && d.line(r.Hdoc.Lit(), depth+1) {
			return true
		}
	}
	return false
}

// at reports whether the command that begins with these words matches. Before
// each word of a prefix there may be options, with a value each.
func (d denial) at(have []string) bool {
	if d.exact {
		return slices.Equal(d.want, have)
	}
	i := 0
	for n, w := range d.want {
		i = skipOptions(have, i, w)
		if i == len(have) || have[i] != w && !(n == 0 && programName(have[i]) == w) {
			return false
		}
		i++
	}
	return true
}

// skipOptions returns where the word w may stand at or after i, when what is
// between is options: "git -C dir push" is a "git push".
func skipOptions(have []string, i int, w string) int {
	for i > 0 && i < len(have) && have[i] != w && strings.HasPrefix(have[i], "-") {
		i++
		if i < len(have) && have[i] != w && !strings.HasPrefix(have[i], "-") && i+1 < len(have) {
			i++
		}
	}
	return i
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
