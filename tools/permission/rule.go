package permission

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-ls/agent-ls/tools"
)

// The effects of a Rule. Deny beats allow.
const (
	EffectAllow = "allow"
	EffectDeny  = "deny"
)

// Rule allows or denies a kind of access. Deny beats allow.
type Rule struct {
	Effect string           `json:"effect"` // allow, deny
	Kind   tools.AccessKind `json:"kind"`
	// Pattern is a path or glob (read, edit), a command prefix (execute), a
	// host (fetch), or a tool's name when Kind is "".
	//
	// A path pattern uses slashes and doublestar's syntax; a relative one
	// starts at each root, "~/" at the home folder. A command prefix is a list
	// of shell words. A host may begin with "*." (any host below it) and end
	// with a port; without one an allow rule means the scheme's own port, a
	// deny rule every port. A tool's name may have wildcards.
	Pattern string `json:"pattern"`
	// Exact narrows an execute rule to just this command line.
	Exact bool `json:"exact,omitempty"`
	// Dir is the folder, absolute and real, that an Exact rule holds in; empty
	// means the session's working folder.
	Dir string `json:"dir,omitempty"`
	// From is where a configured rule stands, a file and a line, for messages; ""
	// for a remembered one.
	From string `json:"-"`
}

// Denying returns the same rules with the effect deny: what to remember for
// "reject always".
func Denying(rules []Rule) []Rule {
	out := make([]Rule, len(rules))
	for i, r := range rules {
		r.Effect = EffectDeny
		out[i] = r
	}
	return out
}

// Check reports why a rule cannot do what its author hoped: a wrong effect or
// kind, a malformed pattern, an allow rule that can never cover anything.
func (r Rule) Check() error {
	if r.Effect != EffectAllow && r.Effect != EffectDeny {
		return fmt.Errorf("permission rule %q: the effect %q is not one of allow, deny", r.Pattern, r.Effect)
	}
	if strings.TrimSpace(r.Pattern) == "" {
		return fmt.Errorf("permission rule of effect %s: the pattern is empty", r.Effect)
	}
	switch r.Kind {
	case tools.AccessRead, tools.AccessEdit:
		if !doublestar.ValidatePattern(r.Pattern) {
			return fmt.Errorf("permission rule %q: malformed glob", r.Pattern)
		}
	case tools.AccessExecute:
		return r.checkCommand()
	case tools.AccessFetch:
		if _, err := parseHostPattern(r.Pattern); err != nil {
			return fmt.Errorf("permission rule %q: %w", r.Pattern, err)
		}
	case "":
		if _, err := path.Match(r.Pattern, ""); err != nil {
			return fmt.Errorf("permission rule %q: malformed pattern of a tool's name", r.Pattern)
		}
	default:
		return fmt.Errorf("permission rule %q: the kind %q is not one of read, edit, execute, fetch", r.Pattern, r.Kind)
	}
	return nil
}

// checkCommand checks an execute rule. An exact line needs no analysis: it
// covers itself.
func (r Rule) checkCommand() error {
	if r.Exact {
		return nil
	}
	words, err := patternWords(r.Pattern)
	if err != nil {
		return fmt.Errorf("permission rule %q: %w; give the first words of one plain command, or set exact", r.Pattern, err)
	}
	if r.Effect == EffectDeny {
		return nil
	}
	if err := mayStandInPrefix(words); err != nil {
		return fmt.Errorf("permission rule %q: %w", r.Pattern, err)
	}
	return nil
}

// matchesTool reports whether a rule by name is about tool.
func (r Rule) matchesTool(tool string) bool {
	if r.Kind != "" {
		return false
	}
	ok, err := path.Match(r.Pattern, tool)
	return err == nil && ok
}

// same reports whether two rules are about the same thing, whatever their
// effects and places.
func (r Rule) same(o Rule) bool {
	r.Effect, o.Effect = "", ""
	r.From, o.From = "", ""
	return r == o
}

// Words says what the rule covers, for option names and lists.
func (r Rule) Words() string {
	switch r.Kind {
	case tools.AccessRead:
		return "reads of " + unescapeGlob(r.Pattern)
	case tools.AccessEdit:
		return "edits of " + unescapeGlob(r.Pattern)
	case tools.AccessFetch:
		return "requests to " + r.Pattern
	case tools.AccessExecute:
		return r.commandWords()
	}
	return "the tool `" + r.Pattern + "`"
}

// maxShownCommand is how many runes of a command fit into words.
const maxShownCommand = 60

func (r Rule) commandWords() string {
	if !r.Exact {
		return "commands that begin with `" + r.Pattern + "`"
	}
	words := "the command `" + r.Pattern + "`"
	if strings.Contains(r.Pattern, "\n") || utf8.RuneCountInString(r.Pattern) > maxShownCommand {
		words = "exactly this command"
	}
	if r.Dir != "" {
		words += " in " + r.Dir
	}
	return words
}

// isLine reports whether r is about exactly this line.
func (r Rule) isLine(line string) bool {
	return r.Exact && strings.TrimSpace(r.Pattern) == strings.TrimSpace(line)
}
