package permission

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// simple is one simple command of a plain line.
type simple struct {
	// words are canonical: see canonicalWord.
	words []string
	// fed says that a here-document or here-string is its input.
	fed bool
}

// notPlain is why a line escapes the analysis and no prefix rule covers it.
type notPlain struct{ why string }

func (e *notPlain) Error() string { return e.why }

func refuse(format string, args ...any) error { return &notPlain{fmt.Sprintf(format, args...)} }

// parsers are kept, since one is much larger than what it reads here.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// parseShell parses a line as bash.
func parseShell(line string) (*syntax.File, error) {
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	return p.Parse(strings.NewReader(line), "")
}

// plainCommands returns the simple commands of a line that holds nothing but
// simple commands of static words, joined by pipes, lists, subshells, groups,
// loops and conditionals. Anything else is an error that says what: it may run
// something that cannot be seen here (tools.md §1.18).
func plainCommands(line string) ([]simple, error) {
	if err := plainText(line); err != nil {
		return nil, err
	}
	file, err := parseShell(line)
	if err != nil {
		return nil, refuse("it cannot be parsed: %v", err)
	}
	var w plainWalk
	if err := w.stmts(file.Stmts); err != nil {
		return nil, err
	}
	if len(w.commands) == 0 {
		return nil, refuse("it holds no command")
	}
	return w.commands, nil
}

// maxLine bounds the lines that are analysed, in bytes.
const maxLine = 64 << 10

// plainText refuses characters that shells and people read differently.
func plainText(line string) error {
	if len(line) > maxLine {
		return refuse("it is longer than %d bytes", maxLine)
	}
	if !utf8.ValidString(line) {
		return refuse("it is not valid UTF-8")
	}
	for _, r := range line {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
		case unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r):
			return refuse("it holds the invisible character %U", r)
		}
	}
	return nil
}

// plainWalk collects the simple commands of plain statements.
type plainWalk struct{ commands []simple }

func (w *plainWalk) stmts(list []*syntax.Stmt) error {
	for _, s := range list {
		if err := w.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

func (w *plainWalk) stmt(s *syntax.Stmt) error {
	if s.Background || s.Coprocess || s.Disown {
		return refuse("it runs something in the background")
	}
	fed, err := plainRedirects(s.Redirs)
	if err != nil {
		return err
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return w.call(call, fed)
	}
	if fed {
		return refuse("a here-document feeds more than one command")
	}
	return w.command(s.Cmd)
}

func (w *plainWalk) command(cmd syntax.Command) error {
	switch c := cmd.(type) {
	case nil:
		return nil
	case *syntax.Subshell:
		return w.stmts(c.Stmts)
	case *syntax.Block:
		return w.stmts(c.Stmts)
	case *syntax.BinaryCmd:
		return errors.Join(w.stmt(c.X), w.stmt(c.Y))
	case *syntax.IfClause:
		return w.ifClause(c)
	case *syntax.WhileClause:
		return errors.Join(w.stmts(c.Cond), w.stmts(c.Do))
	case *syntax.ForClause:
		return w.forClause(c)
	case *syntax.CaseClause:
		return w.caseClause(c)
	}
	return refuse("it holds a construct that can run or change anything (%T)", cmd)
}

func (w *plainWalk) call(c *syntax.CallExpr, fed bool) error {
	if len(c.Assigns) > 0 {
		return refuse("it sets a variable")
	}
	words, err := canonicalWords(c.Args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		w.commands = append(w.commands, simple{words, fed})
	}
	return nil
}

func (w *plainWalk) ifClause(c *syntax.IfClause) error {
	for ; c != nil; c = c.Else {
		if err := errors.Join(w.stmts(c.Cond), w.stmts(c.Then)); err != nil {
			return err
		}
	}
	return nil
}

// plainLoopName says whether no program takes its orders from a loop variable
// of that name: a lower-case letter, then at most 15 such and digits.
func plainLoopName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !(c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != "" && len(name) <= 16
}

func (w *plainWalk) forClause(c *syntax.ForClause) error {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !plainLoopName(iter.Name.Value) {
		return refuse("it holds a loop that sets more than a plain variable")
	}
	if _, err := canonicalWords(iter.Items); err != nil {
		return err
	}
	return w.stmts(c.Do)
}

func (w *plainWalk) caseClause(c *syntax.CaseClause) error {
	words := []*syntax.Word{c.Word}
	for _, item := range c.Items {
		words = append(words, item.Patterns...)
		if err := w.stmts(item.Stmts); err != nil {
			return err
		}
	}
	_, err := canonicalWords(words)
	return err
}

// plainRedirects accepts redirections that write no file: to and from
// /dev/null, between descriptors, and here-documents of static text.
func plainRedirects(list []*syntax.Redirect) (fed bool, err error) {
	for _, r := range list {
		if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
			return false, refuse("a redirection sets a variable")
		}
		target, err := canonicalWord(r.Word)
		if err != nil {
			return false, err
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if r.Hdoc != nil && !staticHeredoc(r) {
				return false, refuse("it holds a here-document with expansions")
			}
			fed = true
		case syntax.WordHdoc:
			fed = true
		case syntax.DplIn, syntax.DplOut:
			if strings.Trim(target, "0123456789-") != "" || target == "" {
				return false, refuse("it redirects to a file")
			}
		default:
			if target != "/dev/null" {
				return false, refuse("it redirects to or from a file")
			}
		}
	}
	return fed, nil
}

// staticHeredoc reports whether a here-document is plain text: its parts are
// literal, and without a quoted delimiter nothing in it is active.
func staticHeredoc(r *syntax.Redirect) bool {
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "$`\\") && !quotedDelimiter(r.Word) {
			return false
		}
	}
	return true
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

func canonicalWords(words []*syntax.Word) ([]string, error) {
	out := make([]string, 0, len(words))
	for _, w := range words {
		s, err := canonicalWord(w)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// activeChars are the characters that a shell expands where they are not
// quoted. In a canonical word the quoted ones have a backslash.
const activeChars = `*?[]~{}\`

// canonicalWord returns one spelling for all spellings of a static word:
// quotes removed, characters of activeChars escaped where they were quoted. A
// word with an expansion is refused.
func canonicalWord(w *syntax.Word) (string, error) {
	if w == nil {
		return "", nil
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch x := part.(type) {
		case *syntax.Lit:
			if err := canonicalLit(&b, x.Value); err != nil {
				return "", err
			}
		case *syntax.SglQuoted:
			if x.Dollar {
				return "", refuse("it holds a string with escapes ($'…')")
			}
			quoteActive(&b, x.Value)
		case *syntax.DblQuoted:
			if err := canonicalDouble(&b, x); err != nil {
				return "", err
			}
		default:
			return "", refuse("it holds an expansion (%T)", part)
		}
	}
	return b.String(), nil
}

// canonicalLit adds unquoted text. Braces make several words of one, except an
// empty pair.
func canonicalLit(b *strings.Builder, s string) error {
	if strings.ContainsAny(strings.ReplaceAll(s, "{}", ""), "{}") {
		return refuse("it holds a brace expansion")
	}
	escaped := false
	for _, r := range s {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case escaped && r == '\n':
		case escaped:
			quoteActive(b, string(r))
		default:
			b.WriteRune(r)
		}
		escaped = false
	}
	if escaped {
		return refuse("it ends in a backslash")
	}
	return nil
}

// canonicalDouble adds text in double quotes, where a backslash escapes only
// some characters.
func canonicalDouble(b *strings.Builder, q *syntax.DblQuoted) error {
	if q.Dollar {
		return refuse(`it holds a translated string ($"…")`)
	}
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return refuse("it holds an expansion (%T)", part)
		}
		quoteActive(b, unescapeDouble(lit.Value))
	}
	return nil
}

func unescapeDouble(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func quoteActive(b *strings.Builder, s string) {
	for _, r := range s {
		if strings.ContainsRune(activeChars, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
}

// dequote is the word that a program gets when nothing in the canonical word
// is active.
func dequote(canonical string) string { return unescapeGlob(canonical) }

// active reports whether the shell would expand something in a canonical word.
func active(canonical string) bool {
	return hasWildcard(canonical) || strings.HasPrefix(canonical, "~")
}
