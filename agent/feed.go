package agent

import (
	"context"
	"encoding/json"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

// Feed is for a driver whose agent runs its calls itself: it makes their
// records, at the pace of the calls that the session runs. Every call that is
// started has to be finished; what is open when the turn ends is closed by the
// session. Output is safe for concurrent use, the other methods are for one
// goroutine at a time.
type Feed struct {
	t      *Turn
	events *callEvents
}

// Feed returns what makes the records of calls of this turn.
func (t *Turn) Feed() *Feed { return &Feed{t: t, events: newCallEvents(t.ctx, t.emit)} }

// NewCallID returns an id that is new in the session.
func (f *Feed) NewCallID() string {
	s := f.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.newCallID()
}

// Start announces a call. mayAsk says that permission may be asked for it, so
// its card begins as pending.
func (f *Feed) Start(c tools.Call, view presentation.CallView, mayAsk bool) {
	f.events.expect([]tools.Call{c})
	f.events.Started(tools.Execution{CallID: c.ID, Name: c.Name}, view, mayAsk)
}

// Plan replaces the card of a call.
func (f *Feed) Plan(id string, view presentation.CallView) {
	f.events.Planned(tools.Execution{CallID: id}, view)
}

// Running says that a call runs now.
func (f *Feed) Running(id string) { f.events.Running(tools.Execution{CallID: id}) }

// Output shows more of what the command of a call prints, valid UTF-8.
func (f *Feed) Output(id, text string) {
	f.events.Updated(tools.Execution{CallID: id}, tools.Output{Text: text})
}

// Attach says that a terminal of the client shows the call.
func (f *Feed) Attach(id, terminal string) {
	f.events.Updated(tools.Execution{CallID: id}, tools.TerminalAttached{TerminalID: terminal})
}

// Finish shows what is left of the output and settles the call.
func (f *Feed) Finish(id string, r tools.Result, view presentation.ResultView) {
	f.events.Finished(tools.Execution{CallID: id}, r, view)
}

// Intent is what a driver's own agent wants to do in a call that was started.
type Intent struct {
	CallID, Name, Arguments string
	// Access is what it touches; Declared says that nobody knows.
	Access   []tools.Access
	Declared bool
	// View is the card as it is shown.
	View presentation.CallView
	// Choices, when set, are what the user chooses from instead of the usual
	// answers. Then the user is asked in every mode that does not deny it.
	Choices []Choice
}

// Permit is what became of an Intent.
type Permit struct {
	Approval tools.Approval
	// Choice is the id of the choice that was made, "" when nobody chose.
	Choice string
	// Why says to the agent why it may not.
	Why string
	// paths are the real paths of the files that were judged.
	paths []string
}

// Allowed says whether it may be done.
func (p Permit) Allowed() bool { return p.Approval == tools.AllowedOnce }

// Permit decides about an intent as about a call of the session's own: mode,
// rules and remembered answers first, then the user.
func (t *Turn) Permit(ctx context.Context, r Intent) Permit {
	s := t.s
	d, paths := s.policy.Judge(r.Name, r.Access, r.Declared)
	p := Permit{paths: paths}
	switch {
	case d.Kind == tools.Deny:
		p.Approval, p.Why = tools.Rejected, d.Reason
		return p
	case d.Kind != tools.Ask && (len(r.Choices) == 0 || s.frontEnd.Asker == nil):
		p.Approval = tools.AllowedOnce
		return p
	}
	q := Question{
		Session: s, CallID: r.CallID, Name: r.Name, Arguments: r.Arguments,
		Reason: d.Reason, View: r.View, Choices: r.Choices,
	}
	var rules []permission.Rule
	if len(r.Choices) == 0 {
		q.Scope, rules = s.policy.Scope(r.Name, r.Access, r.Declared)
	}
	a := &approver{s: s, emit: t.emit, cancel: t.Cancel}
	settled := a.settle(ctx, q, rules)
	p.Approval, p.Why = settled.approval, settled.why
	if settled.answer != "" && len(r.Choices) > 0 {
		p.Choice = string(settled.answer)
	}
	if p.Why == "" && !p.Allowed() {
		p.Why = "the user did not allow it"
	}
	return p
}

// Judged is the permit of what belongs to a call that was allowed: it is not
// asked about again, but what is denied stays denied.
func (t *Turn) Judged(r Intent) Permit {
	d, paths := t.s.policy.Judge(r.Name, r.Access, r.Declared)
	if d.Kind == tools.Deny {
		return Permit{Approval: tools.Rejected, Why: d.Reason}
	}
	return Permit{Approval: tools.AllowedOnce, paths: paths}
}

// View returns the session's view for what p allowed in a call, see ViewFor.
func (t *Turn) View(callID string, p Permit) *workspace.View {
	return t.s.viewOf(callID, p.paths)
}

// Witness returns the session's view for following what somebody else changes
// in a call (workspace.View.Witness).
func (t *Turn) Witness(callID string) *workspace.View {
	return t.s.recordedView(callID)
}

// Stored returns what was kept under key in the session's metadata.
func (s *Session) Stored(key string) json.RawMessage { return metadata{s}.Get(key) }

// Store keeps value under key in the session's metadata, nil removes it.
func (s *Session) Store(key string, value json.RawMessage) error { return metadata{s}.Set(key, value) }
