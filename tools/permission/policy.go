package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

// Policy decides for one session.
type Policy struct {
	// View resolves paths; nil means that every path is outside.
	View *workspace.View
	// Mode gives the session's mode at the time of the call; nil means ask.
	Mode func() Mode
	// ModeFrom names the file that chose the mode where the user did not, for
	// messages; "" or nil for the user's own choice.
	ModeFrom func() string
	// Rules are the user's own.
	Rules []Rule
	// Grants are the remembered decisions; nil means none.
	Grants *Grants
	// Protected are paths of agent-ls's own configuration and state, files or
	// folders: they count as sensitive.
	Protected []string

	protected protectedPaths
}

// verdict is the answer about one access.
type verdict struct {
	kind   tools.DecisionKind
	reason string
}

// Decide answers for one call of a tool with the given access; declared says
// that access is unknown (contract §3, row of declared tools). Of several
// accesses the strictest answer counts; no access at all runs. The reason of a
// denial is for the model and says what to do next; the reason of an ask is
// for the user.
func (p *Policy) Decide(tool string, access []tools.Access, declared bool) tools.Decision {
	d, _ := p.Judge(tool, access, declared)
	return d
}

// Judge decides as Decide does and also returns the real paths of the files
// that the decision is about, as they were resolved for it.
func (p *Policy) Judge(tool string, access []tools.Access, declared bool) (d tools.Decision, paths []string) {
	touches := p.touches(tool, access, declared)
	for _, t := range touches {
		if t.kind == tools.AccessRead || t.kind == tools.AccessEdit {
			paths = append(paths, t.place.real)
		}
	}
	return p.decide(tool, touches), paths
}

// MayRead says whether the files that a call touches may be read without a
// question.
func (p *Policy) MayRead(tool string, access []tools.Access) bool {
	var reads []tools.Access
	for _, a := range access {
		if a.Kind == tools.AccessRead || a.Kind == tools.AccessEdit {
			reads = append(reads, tools.Access{Kind: tools.AccessRead, Path: a.Path})
		}
	}
	return p.Decide(tool, reads, false).Kind == tools.Allow
}

func (p *Policy) decide(tool string, touches []touch) tools.Decision {
	rules, err := p.rules()
	if r, ok := findRule(rules, EffectDeny, func(r Rule) bool { return r.matchesTool(tool) }); ok {
		return tools.Decision{Kind: tools.Deny, Reason: deniedByRule(r)}
	}
	verdicts := make([]verdict, len(touches))
	for i, t := range touches {
		verdicts[i] = p.judge(t, rules)
		if err != nil && verdicts[i].kind == tools.Allow && t.row != rowReadInside {
			verdicts[i] = verdict{tools.Ask, t.words + " (" + err.Error() + ")"}
		}
	}
	return strictest(verdicts)
}

// rules returns the user's rules and the remembered ones of this workspace.
// With an error the user's own are still there.
func (p *Policy) rules() ([]Rule, error) {
	if p.Grants == nil {
		return p.Rules, nil
	}
	granted, err := p.Grants.For(p.Workspace())
	return append(append([]Rule(nil), p.Rules...), granted...), err
}

// Workspace is the folder that remembered decisions are keyed by: the
// session's working folder.
func (p *Policy) Workspace() string {
	if p.View == nil {
		return ""
	}
	return p.View.Cwd()
}

func (p *Policy) mode() Mode {
	if p.Mode == nil {
		return AskMode
	}
	return p.Mode()
}

// judge answers for one thing that a call touches.
func (p *Policy) judge(t touch, rules []Rule) verdict {
	if r, ok := findRule(rules, EffectDeny, func(r Rule) bool { return p.denies(r, t) }); ok {
		return verdict{tools.Deny, deniedByRule(r)}
	}
	kind := p.mode().answer(t.row)
	if kind == tools.Ask && p.covered(t, rules) {
		return verdict{kind: tools.Allow}
	}
	return p.explain(kind, t.words)
}

// explain puts an answer of the table into words. doing is a gerund phrase.
func (p *Policy) explain(kind tools.DecisionKind, doing string) verdict {
	switch kind {
	case tools.Deny:
		return verdict{kind, fmt.Sprintf("%s does not allow %s. Go on without it, or ask the user to change the mode", p.modeWords(), doing)}
	case tools.Ask:
		return verdict{kind, doing}
	}
	return verdict{kind: tools.Allow}
}

// modeWords names the mode, and the file that set it where the user did not: the
// user looks for it there and not among the flags.
func (p *Policy) modeWords() string {
	words := fmt.Sprintf("the mode %q", p.mode())
	if p.ModeFrom != nil {
		if from := p.ModeFrom(); from != "" {
			words += " (set by " + from + ")"
		}
	}
	return words
}

func deniedByRule(r Rule) string {
	who := "a rule of the user"
	if r.From != "" {
		who = "the rule in " + r.From
	}
	return who + " denies " + r.Words() + ". Do not try to get around it: go on without it, or ask the user"
}

// findRule returns the first rule with this effect that matches.
func findRule(rules []Rule, effect string, matches func(Rule) bool) (Rule, bool) {
	for _, r := range rules {
		if r.Effect == effect && matches(r) {
			return r, true
		}
	}
	return Rule{}, false
}

// strictest combines the answers of one call: the strictest kind, with every
// reason for it.
func strictest(verdicts []verdict) tools.Decision {
	for _, kind := range []tools.DecisionKind{tools.Deny, tools.Ask} {
		var reasons []string
		for _, v := range verdicts {
			if v.kind == kind {
				reasons = appendNew(reasons, v.reason)
			}
		}
		if len(reasons) > 0 {
			return tools.Decision{Kind: kind, Reason: strings.Join(reasons, "; ")}
		}
	}
	return tools.Decision{Kind: tools.Allow}
}

// appendNew appends what is not there yet.
func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// Remember stores rules for this session's workspace, those of Scope or their
// Denying. Without Grants it fails, and the decision holds once.
func (p *Policy) Remember(rules []Rule) error {
	if p.Grants == nil {
		return fmt.Errorf("there is no place for remembered decisions, so it is %s once only", done(rules))
	}
	return p.Grants.Add(p.Workspace(), rules)
}
