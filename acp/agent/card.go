package agent

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/presentation"
)

// maxLocations caps the locations of a card: clients open each one (field
// report 17).
const maxLocations = 20

// face is what a client is told of a card. A nil Content or Locations says
// nothing about it.
type face struct {
	title     string
	kind      acp.ToolKind
	content   []acp.ToolCallContent
	locations []acp.ToolCallLocation
	rawInput  json.RawMessage
}

// painter makes faces of views for one session.
type painter struct {
	// cwd is the session's working folder, "" for none.
	cwd string
	// isDir keeps folders out of locations: clients open what they are told of.
	isDir func(path string) bool
}

// call is the face of a pending card (tools.md §3.14.12–14). A nil view is
// that of a tool without presenters.
func (p painter) call(name, arguments string, view presentation.CallView) face {
	var f face
	switch v := view.(type) {
	case *presentation.GenericCall:
		f = face{title: v.Title, kind: acp.ToolKind(v.Kind), rawInput: v.RawInput, content: cardContent(v.Content), locations: p.locations(v.Locations)}
	case *presentation.TerminalCall:
		return face{title: first(presentation.OneLine(v.Title), name), kind: acp.KindExecute, rawInput: rawString(v.Title), content: description(v)}
	case *presentation.DiffCall:
		f = face{title: v.Title, kind: acp.ToolKind(v.Kind), content: p.diffs(v.Diffs, v.Omitted), locations: p.locations(v.Locations)}
		f.kind = first(f.kind, acp.KindEdit)
	default:
		f = face{rawInput: rawArguments(arguments)}
	}
	f.kind = first(f.kind, acp.KindOther)
	f.title = p.title(first(f.title, name), presentation.TitlePath(view))
	return f
}

// generic is the face of a finished generic card, without its content.
func (p painter) generic(v *presentation.GenericResult) face {
	return face{title: p.title(v.Title, presentation.ResultTitlePath(v)), locations: p.locations(v.Locations)}
}

// diff is the face of a finished edit.
func (p painter) diff(v *presentation.DiffResult) face {
	return face{
		title: p.title(v.Title, presentation.ResultTitlePath(v)), kind: acp.ToolKind(v.Kind),
		content: p.diffs(v.Diffs, v.Omitted), locations: p.locations(v.Locations),
	}
}

func (p painter) title(title, path string) string {
	return presentation.OneLine(presentation.Relativize(title, path, p.cwd))
}

// abs resolves a path of a card for the wire, where all paths are absolute
// (tools.md §3.14.20). Without a working folder it stays as it is.
func (p painter) abs(path string) string {
	if path == "" || filepath.IsAbs(path) || p.cwd == "" {
		return path
	}
	return filepath.Join(p.cwd, path)
}

// locations are the places to follow: files only, each named once a line, at
// most maxLocations; nil for none.
func (p painter) locations(in []presentation.FileLocation) []acp.ToolCallLocation {
	var out []acp.ToolCallLocation
	for _, l := range in {
		path := p.abs(l.Path)
		if path == "" || strings.Contains(l.Path, "://") || p.isDir(path) {
			continue
		}
		if len(out) == maxLocations {
			break
		}
		out = append(out, acp.ToolCallLocation{Path: path, Line: uint32(max(l.Line, 0))})
	}
	return out
}

// diffs are the diff blocks of a card, one a region, and a note where some are
// left out; nil for none.
func (p painter) diffs(in []presentation.FileDiff, omitted string) []acp.ToolCallContent {
	var out []acp.ToolCallContent
	for _, d := range in {
		path := p.abs(d.Path)
		if path == "" {
			continue
		}
		out = append(out, acp.Diff{Path: path, OldText: d.OldText, NewText: d.NewText, Meta: p.change(d)})
	}
	if omitted != "" {
		out = append(out, textContent(omitted))
	}
	return out
}

// change tells clients of what a diff alone cannot say (acp.md §8): that a file
// goes away or moves.
func (p painter) change(d presentation.FileDiff) acp.Meta {
	switch d.Change {
	case presentation.ChangeDelete:
		return acp.NewMeta("kind", "delete")
	case presentation.ChangeMove:
		meta := acp.NewMeta("kind", "move")
		if d.OldPath != "" {
			meta = meta.With("oldPath", p.abs(d.OldPath))
		}
		return meta
	default:
		return nil
	}
}

// description is what a terminal card shows above its output.
func description(v *presentation.TerminalCall) []acp.ToolCallContent {
	if v.Description == "" {
		return nil
	}
	return []acp.ToolCallContent{textContent(v.Description)}
}

// rawArguments is the input of a card of a tool that presents none: the
// arguments as a model wrote them, "" as {}, what is no JSON as a string.
func rawArguments(arguments string) json.RawMessage {
	switch raw := bytes.TrimSpace([]byte(arguments)); {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case json.Valid(raw):
		return raw
	default:
		return rawString(arguments)
	}
}

func rawString(s string) json.RawMessage {
	raw, err := acp.Encode(s)
	if err != nil {
		return nil
	}
	return raw
}

// merge puts what f says into the card and returns the update that tells a
// client of the difference, and nothing else (field report 5).
func (c *card) merge(f face) acp.ToolCallUpdate {
	u := acp.ToolCallUpdate{ToolCallID: c.id}
	if f.title != "" && f.title != c.shown.title {
		c.shown.title, u.Title = f.title, f.title
	}
	if f.kind != "" && f.kind != c.shown.kind {
		c.shown.kind, u.Kind = f.kind, f.kind
	}
	if f.rawInput != nil && !bytes.Equal(f.rawInput, c.shown.rawInput) {
		c.shown.rawInput, u.RawInput = f.rawInput, f.rawInput
	}
	if f.content != nil && !same(f.content, c.shown.content) {
		c.shown.content, u.Content = f.content, f.content
	}
	if f.locations != nil && !same(f.locations, c.shown.locations) {
		c.shown.locations, u.Locations = f.locations, f.locations
	}
	return u
}

// same reports whether two lists show the same; nil is the empty one.
func same[T any](a, b []T) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// empty reports whether u says nothing.
func empty(u acp.ToolCallUpdate) bool {
	return reflect.DeepEqual(u, acp.ToolCallUpdate{ToolCallID: u.ToolCallID})
}

// first returns a unless it is empty, else b.
func first[T ~string](a, b T) T {
	if a != "" {
		return a
	}
	return b
}
