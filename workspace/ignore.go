package workspace

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// rule is one line of an ignore file.
type rule struct {
	negated bool
	dirOnly bool
	// anchored patterns are matched against the path from the folder of the
	// ignore file on, others against the last name alone.
	anchored bool
	kind     ruleKind
	text     string
	// head is the plain text before the text of a globRule, tail how whatever
	// that matches ends. Like in git, what follows head is a pattern of its
	// own: ** stands at its beginning.
	head, tail string
}

// ruleKind picks the cheapest way to match.
type ruleKind int

const (
	literalRule ruleKind = iota // the very text
	suffixRule                  // * and text
	globRule
)

func (r *rule) match(path, name string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	subject := name
	if r.anchored {
		subject = path
	}
	switch r.kind {
	case literalRule:
		return subject == r.text
	case suffixRule:
		return strings.HasSuffix(subject, r.text)
	}
	subject, found := strings.CutPrefix(subject, r.head)
	return found && strings.HasSuffix(subject, r.tail) && wildmatch(r.text, subject)
}

// rules are those of one ignore file, in order.
type rules []rule

// parseRules reads an ignore file in git's syntax.
func parseRules(text string) rules {
	var out rules
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		if body, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimSuffix(body, "\r")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if r, ok := parseRule(trimSpaces(line)); ok {
			out = append(out, r)
		}
	}
	return out
}

// trimSpaces removes trailing spaces that no backslash protects.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

func parseRule(line string) (rule, bool) {
	var r rule
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	r.text = line
	switch wild := strings.IndexAny(line, `*?[\`); {
	case wild < 0:
		r.kind = literalRule
	case wild == 0 && !r.anchored && !strings.ContainsAny(line[1:], `*?[\`) && line[0] == '*':
		r.kind, r.text = suffixRule, line[1:]
	default:
		r.kind, r.head, r.text, r.tail = globRule, line[:wild], line[wild:], plainEnd(line)
	}
	return r, true
}

// plainEnd returns the end of a pattern that stands for itself. The slash
// after ** is not part of it, since both can stand for nothing.
func plainEnd(pattern string) string {
	i := strings.LastIndexAny(pattern, `*?[]\`)
	if pattern[i] == '\\' && i+1 < len(pattern) {
		i++
	}
	return strings.TrimPrefix(pattern[i+1:], "/")
}

// verdict is what rules say of a path.
type verdict int

const (
	noVerdict verdict = iota
	ignoredVerdict
	keptVerdict
)

// judge returns the verdict of the last rule that matches. path is relative
// to the folder of the rules, name is its last element.
func (rs rules) judge(path, name string, dir bool) verdict {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].match(path, name, dir) {
			if rs[i].negated {
				return keptVerdict
			}
			return ignoredVerdict
		}
	}
	return noVerdict
}

// level is one folder on the way from the top to an entry, with its rules.
type level struct {
	parent *level // nil at the top
	dir    string // real path, with slashes, none at the end
	dot    rules  // .ignore
	git    rules  // .gitignore
	// repository says that a git repository begins here: git's rules of the
	// folders above do not hold below, its own exclude file does.
	repository bool
	exclude    rules
	global     rules // the user's own
}

// judges reports whether there are any rules at or above the level.
func (l *level) judges() bool {
	for at := l; at != nil; at = at.parent {
		if len(at.dot)+len(at.git)+len(at.exclude)+len(at.global) > 0 {
			return true
		}
	}
	return false
}

// ignored reports whether the entry at path, a real one with slashes below
// l.dir, is ignored. .ignore files win over git's, deeper ones over higher,
// the user's own file comes last.
func (l *level) ignored(path, name string, dir bool) bool {
	for at := l; at != nil; at = at.parent {
		if v := at.dot.judge(path[len(at.dir)+1:], name, dir); v != noVerdict {
			return v == ignoredVerdict
		}
	}
	for at := l; ; at = at.parent {
		rel := path[len(at.dir)+1:]
		if v := at.git.judge(rel, name, dir); v != noVerdict {
			return v == ignoredVerdict
		}
		if !at.repository && at.parent != nil {
			continue
		}
		if v := at.exclude.judge(rel, name, dir); v != noVerdict {
			return v == ignoredVerdict
		}
		return at.global.judge(rel, name, dir) == ignoredVerdict
	}
}

// The names of ignore files, and of a repository.
const (
	dotIgnore = ".ignore"
	gitIgnore = ".gitignore"
	gitName   = ".git"
)

// maxIgnoreSize bounds an ignore file in bytes; a larger one is left out.
const maxIgnoreSize = 1 << 20

// levelsAbove returns the level of dir's parent, with those above it up to
// the top of the git repository or the root that holds dir, whichever is
// higher; nil when dir is itself the top.
func (v *View) levelsAbove(dir, root string, global rules) *level {
	top := dir
	if root != "" {
		top = root
	}
	if repository := repositoryAbove(dir); repository != "" && len(repository) < len(top) {
		top = repository
	}
	if top == dir {
		return nil
	}
	var names []string
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		names = append(names, at)
		if len(at) <= len(top) {
			break
		}
	}
	var l *level
	for i := len(names) - 1; i >= 0; i-- {
		l = v.readLevel(l, names[i], global)
	}
	return l
}

// repositoryAbove returns the nearest folder from dir up that holds .git.
func repositoryAbove(dir string) string {
	for {
		f, err := openFolder(dir, "", nil)
		switch {
		case err == nil:
			_, err = f.Lstat(gitName)
			closeQuietly(f)
			if err == nil {
				return dir
			}
		case !errors.Is(err, fs.ErrNotExist): // one that only an editor has yet
			return ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// readLevel reads the rules of a folder above the walked one.
func (v *View) readLevel(parent *level, dir string, global rules) *level {
	l := &level{parent: parent, dir: slashed(dir), global: global}
	f, err := openFolder(dir, "", nil)
	if err != nil {
		return l // it may be passed but not read
	}
	defer closeQuietly(f)
	l.dot, l.git = v.readRules(f, dir, dotIgnore), v.readRules(f, dir, gitIgnore)
	if _, err := f.Lstat(gitName); err == nil {
		l.repository, l.exclude = true, v.readExclude(dir)
	}
	return l
}

// opener opens the regular files of one folder and tells their sizes.
type opener interface {
	open(name string) (io.ReadCloser, int64, error)
}

// readRules reads the ignore file name in f, the folder at dir; none is no
// rules.
func (v *View) readRules(f opener, dir, name string) rules {
	text, err := readText(f, name, maxIgnoreSize)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			v.w.log.Warn("ignore file left out", "folder", dir, "name", name, "err", err)
		}
		return nil
	}
	return parseRules(text)
}

// readText returns the bytes of the file name in f, at most limit.
func readText(f opener, name string, limit int64) (string, error) {
	file, size, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer closeQuietly(file)
	return readWhole(file, name, size, limit, "")
}

// readRulesAt reads the ignore file at an absolute path.
func (v *View) readRulesAt(path string) rules {
	f, err := openFolder(filepath.Dir(path), "", nil)
	if err != nil {
		return nil
	}
	defer closeQuietly(f)
	return v.readRules(f, f.path, filepath.Base(path))
}

// readExclude reads the exclude file of the repository whose top is dir. In
// a linked worktree or submodule .git is a file that names the place.
func (v *View) readExclude(dir string) rules {
	git := filepath.Join(dir, gitName)
	if named := firstLineOf(dir, gitName); named != "" {
		git = joinUnlessAbs(dir, strings.TrimSpace(strings.TrimPrefix(named, "gitdir:")))
		if common := firstLineOf(git, "commondir"); common != "" {
			git = joinUnlessAbs(git, common)
		}
	}
	return v.readRulesAt(filepath.Join(git, "info", "exclude"))
}

// firstLineOf returns the first line of a small file, "" when there is none.
func firstLineOf(dir, name string) string {
	f, err := openFolder(dir, "", nil)
	if err != nil {
		return ""
	}
	defer closeQuietly(f)
	text, err := readText(f, name, 4096)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

func joinUnlessAbs(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// slashed returns a real path with slashes and none at its end, so that
// every path below it continues with one.
func slashed(dir string) string { return strings.TrimSuffix(filepath.ToSlash(dir), "/") }
