package permission

import (
	"fmt"

	"github.com/agent-ls/agent-ls/tools"
)

// touch is one thing that a call touches, with its row of contract §3.
type touch struct {
	row row
	// words say what is done, as a gerund phrase.
	words string
	// kind, and what belongs to it: place for read and edit, command with its
	// folder for execute, url for fetch, tool for the rest.
	kind    tools.AccessKind
	place   place
	command string
	dir     string
	url     string
	tool    string
}

// touches lists what a call touches.
func (p *Policy) touches(tool string, access []tools.Access, declared bool) []touch {
	list := make([]touch, 0, len(access)+1)
	if declared {
		list = append(list, p.touchByName(tool))
	}
	for _, a := range access {
		list = append(list, p.touch(a))
	}
	return list
}

// touchByName is the touch of a tool that does not say what it does.
func (p *Policy) touchByName(tool string) touch {
	return touch{row: rowDeclared, tool: tool, words: fmt.Sprintf("using the tool %q", tool)}
}

// touch classifies an access. A kind that does not exist counts as unknown.
func (p *Policy) touch(a tools.Access) touch {
	t := touch{kind: a.Kind}
	switch a.Kind {
	case tools.AccessRead, tools.AccessEdit:
		t.place = p.place(a.Path)
		t.row = p.fileRow(a.Kind, t.place)
		t.words = fileWords(a.Kind, t.row, p.shown(t.place))
	case tools.AccessExecute:
		t.row, t.command, t.dir = rowExecute, a.Command, a.Dir
		t.words = "running the command: " + a.Command
	case tools.AccessFetch:
		t.row, t.url = rowFetch, a.URL
		t.words = "fetching " + a.URL
	default:
		t.row, t.kind = rowDeclared, ""
		t.words = fmt.Sprintf("an access of the unknown kind %q", a.Kind)
	}
	return t
}

func (p *Policy) fileRow(kind tools.AccessKind, at place) row {
	switch {
	case p.sensitive(kind, at):
		return rowSensitive
	case kind == tools.AccessRead && at.inside:
		return rowReadInside
	case kind == tools.AccessRead:
		return rowReadOutside
	case at.inside:
		return rowEditInside
	}
	return rowEditOutside
}

func fileWords(kind tools.AccessKind, r row, path string) string {
	doing := "reading "
	if kind == tools.AccessEdit {
		doing = "editing "
	}
	switch r {
	case rowSensitive:
		return doing + "the sensitive file " + path
	case rowReadOutside, rowEditOutside:
		return doing + path + ", which is outside the workspace"
	}
	return doing + path
}

// denies reports whether a deny rule is about t.
func (p *Policy) denies(r Rule, t touch) bool {
	if r.Kind != t.kind {
		return false
	}
	switch t.kind {
	case tools.AccessRead, tools.AccessEdit:
		m := p.matcher(r.Pattern)
		return m.match(t.place.abs) || m.match(t.place.real)
	case tools.AccessExecute:
		return deniesLine(r, t.command)
	case tools.AccessFetch:
		return hostMatches(r.Pattern, t.url, true)
	}
	return r.matchesTool(t.tool)
}

// covered reports whether the allow rules cover t.
func (p *Policy) covered(t touch, rules []Rule) bool {
	var allow []Rule
	for _, r := range rules {
		if r.Effect == EffectAllow && r.Kind == t.kind {
			allow = append(allow, r)
		}
	}
	if t.kind == tools.AccessExecute {
		return p.lineCovered(allow, t.command, t.dir)
	}
	for _, r := range allow {
		switch t.kind {
		case tools.AccessRead, tools.AccessEdit:
			if p.allowsPath(r, t) {
				return true
			}
		case tools.AccessFetch:
			if hostMatches(r.Pattern, t.url, false) {
				return true
			}
		default:
			if t.tool != "" && r.matchesTool(t.tool) {
				return true
			}
		}
	}
	return false
}
