package tools

import (
	"bytes"
	"log/slog"

	"github.com/agent-ls/agent-ls/presentation"
)

// presentCall returns the pending card of x: the tool's own, when it has one
// for these arguments, else a generic one (tools.md §3.9.8, contract §5).
func presentCall(log *slog.Logger, x Execution) presentation.CallView {
	var view presentation.CallView
	if d := x.Definition; d != nil && !x.faulty && d.PresentCall != nil {
		_ = contain(log, "presentCall", func() error {
			view = titled(x, d.PresentCall(bytes.Clone(x.Arguments)))
			return nil
		})
	}
	if view == nil {
		view = &presentation.GenericCall{
			Title: x.title(), Kind: presentation.KindOther, RawInput: bytes.Clone(x.Arguments),
		}
	}
	return view
}

// title is what a card is called that has no title of its own.
func (x *Execution) title() string {
	if x.Definition != nil && x.Definition.Label != "" {
		return x.Definition.Label
	}
	return x.Name
}

// titled returns view with a title, in a copy of the pipeline's own; nil for
// no view, also for a nil pointer in the interface.
func titled(x Execution, view presentation.CallView) presentation.CallView {
	switch v := view.(type) {
	case *presentation.GenericCall:
		if v != nil {
			c := *v
			c.Title = titleOr(c.Title, x)
			return &c
		}
	case *presentation.TerminalCall:
		if v != nil {
			c := *v
			c.Title = titleOr(c.Title, x)
			return &c
		}
	case *presentation.DiffCall:
		if v != nil {
			c := *v
			c.Title = titleOr(c.Title, x)
			return &c
		}
	}
	return nil
}

func titleOr(title string, x Execution) string {
	if title != "" {
		return title
	}
	return x.title()
}

// presentResult returns the completed card: the tool's own, else one that
// keeps the pending title and shows the raw content. A terminal is a terminal
// from its beginning: a terminal result of any other card is shown raw
// (tools.md §3.14.11).
func presentResult(log *slog.Logger, x Execution, pending presentation.CallView, r Result) presentation.ResultView {
	var view presentation.ResultView
	if d := x.Definition; d != nil && !x.faulty && d.PresentResult != nil {
		_ = contain(log, "presentResult", func() error {
			view = d.PresentResult(bytes.Clone(x.Arguments), r.clone())
			return nil
		})
	}
	switch v := view.(type) {
	case *presentation.GenericResult:
		if v != nil {
			return v
		}
	case *presentation.DiffResult:
		if v != nil {
			return v
		}
	case *presentation.TerminalResult:
		if _, terminal := pending.(*presentation.TerminalCall); terminal && v != nil {
			return v
		}
	}
	return &presentation.GenericResult{}
}
