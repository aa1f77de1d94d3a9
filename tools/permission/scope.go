package permission

import (
	"strings"

	"github.com/agent-ls/agent-ls/tools"
)

// Scope says in words what "always" would cover for this call, and gives the
// rules to remember, with the effect allow (Denying turns them around). For an
// edit or a read that is the file, for a request the host, for a tool of
// unknown access the tool. For a plain simple command it is the command, or
// its first words where those name an action (`git status`, `go test`); for
// any other line exactly this line. Nothing to remember gives "" and no rules.
func (p *Policy) Scope(tool string, access []tools.Access, declared bool) (words string, rules []Rule) {
	known, _ := p.rules()
	var said []string
	for _, t := range p.touches(tool, access, declared) {
		if p.judge(t, known).kind != tools.Ask {
			continue
		}
		if r := p.scopeOf(t); r.Pattern != "" {
			rules = appendNew(rules, r)
			said = appendNew(said, p.scopeWords(r, t))
		}
	}
	return sentence(said), rules
}

// scopeOf is the rule that would cover t from now on; without a pattern there
// is none.
func (p *Policy) scopeOf(t touch) Rule {
	r := Rule{Effect: EffectAllow, Kind: t.kind}
	switch t.kind {
	case tools.AccessRead, tools.AccessEdit:
		r.Pattern = escapeGlob(slashed(t.place.real))
	case tools.AccessFetch:
		r.Pattern = hostOf(t.url)
	case tools.AccessExecute:
		return p.commandScope(t)
	default:
		r.Pattern = escapeGlob(t.tool)
	}
	return r
}

// scopeWords names files as the user sees them, the rest as the rule does.
func (p *Policy) scopeWords(r Rule, t touch) string {
	switch t.kind {
	case tools.AccessRead:
		return "reads of " + p.shown(t.place)
	case tools.AccessEdit:
		return "edits of " + p.shown(t.place)
	}
	return r.Words()
}

// commandScope derives the rule of a command line. A prefix never comes from
// assignments or from programs that run others, since those lines are not
// plain or have no family.
func (p *Policy) commandScope(t touch) Rule {
	exact := Rule{Effect: EffectAllow, Kind: t.kind, Pattern: strings.TrimSpace(t.command), Exact: true}
	if real, _ := p.workdir(t.dir); real != p.home() {
		exact.Dir = real
	}
	commands, err := plainCommands(t.command)
	if err != nil {
		return exact
	}
	commands, _, ok := p.withoutCd(commands, t.dir)
	if !ok || len(commands) != 1 {
		return exact
	}
	n := prefixLength(commands[0].words)
	if n == 0 {
		return exact
	}
	prefix := Rule{Effect: EffectAllow, Kind: t.kind, Pattern: shellJoin(commands[0].words[:n])}
	if !p.lineCovered([]Rule{prefix}, t.command, t.dir) {
		return exact
	}
	return prefix
}

// shellJoin spells canonical words of a prefix so that they parse to the same
// ones again.
func shellJoin(canonical []string) string {
	out := make([]string, len(canonical))
	for i, w := range canonical {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"$`\\|&;<>()#!") {
			out[i] = "'" + strings.ReplaceAll(dequote(w), "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// sentence joins phrases with commas and "and".
func sentence(phrases []string) string {
	if len(phrases) < 2 {
		return strings.Join(phrases, "")
	}
	last := len(phrases) - 1
	return strings.Join(phrases[:last], ", ") + " and " + phrases[last]
}
