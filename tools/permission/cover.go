package permission

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lineCovered reports whether allow rules cover a command line: one covers it
// exactly as it stands in its folder, or it runs in a folder inside the roots
// and every simple command of it is covered.
func (p *Policy) lineCovered(allow []Rule, line, dir string) bool {
	real, inside := p.workdir(dir)
	for _, r := range allow {
		if r.isLine(line) && p.inDir(r, real) {
			return true
		}
	}
	if len(allow) == 0 || !inside {
		return false
	}
	commands, err := plainCommands(line)
	if err != nil {
		return false
	}
	commands, moved, ok := p.withoutCd(commands, dir)
	if !ok {
		return false
	}
	at := cover{policy: p, rules: prefixes(allow), real: real, here: real == p.home() && !moved, moved: moved}
	for _, c := range commands {
		if !at.command(c) {
			return false
		}
	}
	return len(commands) > 0
}

// workdir resolves the folder of a call; none is the session's, which counts
// as inside.
func (p *Policy) workdir(dir string) (real string, inside bool) {
	if dir == "" {
		return p.home(), true
	}
	at := p.place(dir)
	return at.real, at.inside || at.real == p.home()
}

// home is the real path of the session's working folder.
func (p *Policy) home() string {
	if p.View == nil {
		return ""
	}
	return p.place(p.View.Cwd()).real
}

func (p *Policy) inDir(r Rule, real string) bool {
	if r.Dir == "" {
		return real == p.home()
	}
	return real == r.Dir
}

// withoutCd takes out one change to a folder inside the roots. ok is false
// when there are several, or one that leads elsewhere.
func (p *Policy) withoutCd(commands []simple, dir string) (rest []simple, moved, ok bool) {
	for _, c := range commands {
		if c.words[0] != "cd" {
			rest = append(rest, c)
			continue
		}
		if moved || !p.safeCd(c, dir) {
			return nil, false, false
		}
		moved = true
	}
	return rest, moved, true
}

func (p *Policy) safeCd(c simple, dir string) bool {
	if len(c.words) != 2 || c.words[1] == "" || active(c.words[1]) || strings.HasPrefix(c.words[1], "-") {
		return false
	}
	to := filepath.FromSlash(dequote(c.words[1]))
	if !filepath.IsAbs(to) && p.View != nil {
		from, _ := p.workdir(dir)
		to = filepath.Join(from, to)
	}
	return p.place(to).inside
}

// prefixRule is an execute rule with the words of its pattern.
type prefixRule struct {
	Rule
	words []string
}

// prefixes parses the patterns; a rule whose pattern is no simple command
// covers nothing but its own line.
func prefixes(rules []Rule) []prefixRule {
	out := make([]prefixRule, 0, len(rules))
	for _, r := range rules {
		if words, err := patternWords(r.Pattern); err == nil {
			out = append(out, prefixRule{r, words})
		}
	}
	return out
}

// cover matches the simple commands of one line.
type cover struct {
	policy *Policy
	rules  []prefixRule
	real   string // folder of the call
	here   bool   // it runs in the session's working folder
	moved  bool   // the line changes the folder
}

func (a *cover) command(c simple) bool {
	if runsOthers(c.words[0]) || c.fed && interprets(c.words[0]) {
		return false
	}
	for _, r := range a.rules {
		if r.Exact && !a.moved && a.policy.inDir(r.Rule, a.real) && slices.Equal(r.words, c.words) {
			return true
		}
		if !r.Exact && a.prefix(r.words, c) {
			return true
		}
	}
	return false
}

// prefix reports whether a prefix rule covers c: the words are the same, the
// program is surely the same, and what follows runs nothing else.
func (a *cover) prefix(words []string, c simple) bool {
	if len(c.words) < len(words) || !slices.Equal(words, c.words[:len(words)]) || mayStandInPrefix(words) != nil {
		return false
	}
	if !a.here && relativeProgram(words[0]) {
		return false
	}
	for _, arg := range c.words[len(words):] {
		if !harmless(words[0], arg) {
			return false
		}
	}
	return true
}

// relativeProgram reports whether a program's name depends on the folder.
func relativeProgram(name string) bool {
	return strings.Contains(name, "/") && !strings.HasPrefix(name, "/")
}

// patternWords parses the pattern of an execute rule.
func patternWords(pattern string) ([]string, error) {
	commands, err := plainCommands(pattern)
	if err != nil {
		return nil, err
	}
	if len(commands) != 1 || commands[0].fed {
		return nil, refuse("it is not one simple command")
	}
	return commands[0].words, nil
}

// mayStandInPrefix says why a prefix can never cover a command.
func mayStandInPrefix(words []string) error {
	switch {
	case active(words[0]):
		return refuse("the shell expands %q, so the program is not known", words[0])
	case runsOthers(words[0]):
		return refuse("%q runs other commands, so its name says nothing about what runs", words[0])
	case interprets(words[0]) && len(words) < 2:
		return refuse("%q runs any program that it is given; name the script too", words[0])
	}
	return nil
}

// assignment matches an argument that sets a variable of the program, as make
// understands it. It is compiled when it is first needed.
var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*[:+?]?=`) })

// harmless reports whether an argument after an allowed prefix cannot make the
// program run another one, write where it is told, or read outside. A leading
// wildcard might become an option.
func harmless(program, arg string) bool {
	if arg != "" && strings.ContainsRune("*?[~", rune(arg[0])) || assignment().MatchString(arg) {
		return false
	}
	arg = dequote(arg)
	if !strings.HasPrefix(arg, "-") {
		return true
	}
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(arg, "-")), "=")
	for _, part := range steeringOptions {
		if strings.Contains(name, part) {
			return false
		}
	}
	if strings.HasPrefix(arg, "--") {
		return true
	}
	return !strings.HasPrefix(name, "o") && !interprets(program)
}
