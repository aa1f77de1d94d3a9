package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// listen puts what the session has to say about calls into its pipeline.
func (s *Session) listen() {
	s.pipeline.OnPreExecute(s.decide)
	s.pipeline.OnPostExecute(s.explain)
	s.pipeline.OnPostExecute(s.remind)
	s.pipeline.AddWrapper(s.bound)
	s.pipeline.OnResult(s.settled)
}

// remind lets the repeat guard see the calls that a model makes; a program
// means its repeats (tools.md §3.7).
func (s *Session) remind(ctx context.Context, x tools.Execution, r tools.Result, next func() (tools.PostDecision, error)) (tools.PostDecision, error) {
	if s.Model().Direct {
		return next()
	}
	return s.hub.repeats.Listen(ctx, x, r, next)
}

// mayAsk lets the policy judge x when it is announced, and says whether its
// card begins as pending. A mode that is set later counts from the next call
// on: nobody is asked about a card that runs already (acp.md §8).
func (s *Session) mayAsk(x tools.Execution) bool {
	return s.judge(x).decision.Kind == tools.Ask
}

// decide decides as x was judged when it was announced.
func (s *Session) decide(_ context.Context, x tools.Execution, next func() (tools.Decision, error)) (tools.Decision, error) {
	j := s.judged.get(x.Token)
	if j.decision.Kind == "" {
		j = s.judge(x)
	}
	if j.decision.Kind == tools.Deny || j.decision.Kind == tools.Ask {
		return j.decision, nil
	}
	return next()
}

// judge lets the policy decide about x; the mode of this moment counts. Before
// the user is asked nothing is told of files that may not be read.
func (s *Session) judge(x tools.Execution) judgement {
	access, declared := tools.AccessOf(x)
	d, paths := s.policy.Judge(x.Name, access, declared)
	d.Discreet = d.Kind == tools.Ask && !s.policy.MayRead(x.Name, access)
	j := judgement{decision: d, paths: paths}
	s.judged.put(x.Token, j)
	return j
}

// explain tells the model why nobody allowed its call: a timeout is no
// rejection by the user.
func (s *Session) explain(_ context.Context, x tools.Execution, r tools.Result, next func() (tools.PostDecision, error)) (tools.PostDecision, error) {
	d, err := next()
	if why := s.denials.get(x.Token); why != "" && r.IsError && err == nil {
		d.Content = []presentation.Block{presentation.Text("Error: " + why)}
	}
	return d, err
}

// errNoAnswer is the cause of the end of a question's context.
var errNoAnswer = errors.New("no answer in time")

// approver asks the session's front end, one question at a time
// (tools.Approver, acp.md §9).
type approver struct {
	s    *Session
	emit func(Event, keep)
	// cancel ends the turn, when the user cancels it instead of answering.
	cancel func()
}

// Approve asks the user about x.
func (a *approver) Approve(ctx context.Context, x tools.Execution, reason string, view presentation.CallView) tools.Approval {
	access, declared := tools.AccessOf(x)
	words, rules := a.s.policy.Scope(x.Name, access, declared)
	got := a.settle(ctx, Question{
		Session: a.s, CallID: x.CallID, Name: x.Name, Arguments: string(x.Arguments),
		Reason: reason, View: view, Scope: words,
	}, rules)
	if got.why != "" {
		a.s.denials.put(x.Token, got.why)
	}
	return got.approval
}

// settled is what a question came to.
type settled struct {
	approval tools.Approval
	answer   Answer // "" when there was none
	outcome  string // as the log names it
	why      string // nobody allowed it, for the model; "" for nothing to say
}

// settle puts a question and records it with its answer, one question of the
// session at a time. rules are what "always" is to remember.
func (a *approver) settle(ctx context.Context, q Question, rules []permission.Rule) settled {
	if a.s.frontEnd.Asker == nil {
		return settled{approval: tools.Unavailable, why: nobodyText(q.Name, nil)}
	}
	select {
	case a.s.asking <- struct{}{}:
		defer func() { <-a.s.asking }()
	case <-ctx.Done():
		return settled{approval: tools.Cancelled}
	}
	a.emit(PermissionAsked{CallID: q.CallID, Reason: q.Reason}, logged)
	answer, err := a.ask(ctx, q)
	got := a.judge(ctx, q, answer, err, rules)
	a.emit(PermissionDecided{CallID: q.CallID, Outcome: got.outcome}, logged)
	return got
}

// askerGrace is how long an Asker whose question has ended is waited for.
const askerGrace = 50 * time.Millisecond

// ask puts the question and waits for its answer, no longer than the timeout
// and no longer than ctx. Then the Asker gets a moment to withdraw the question,
// which may be on its way only now: nothing that follows is to overtake it. One
// that does not return is left behind, and its late answer changes nothing.
func (a *approver) ask(ctx context.Context, q Question) (Answer, error) {
	if d := a.s.hub.c.PermissionTimeout; d > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, d, errNoAnswer)
		defer stop()
	}
	type reply struct {
		answer Answer
		err    error
	}
	got := make(chan reply, 1)
	a.s.queue.work.Go(func() {
		answer, err := a.s.callAsker(ctx, q)
		got <- reply{answer, err}
	})
	select {
	case r := <-got:
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return r.answer, r.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(askerGrace)
	defer grace.Stop()
	select {
	case <-got:
	case <-grace.C:
	}
	return "", context.Cause(ctx)
}

// callAsker turns a panic of an Asker into an error.
func (s *Session) callAsker(ctx context.Context, q Question) (answer Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.logger.Error("asker panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("asker panicked: %v", p)
		}
	}()
	return s.frontEnd.Asker.Ask(ctx, q)
}

// judge says what an answer means for the call and how the log names it.
func (a *approver) judge(ctx context.Context, q Question, answer Answer, err error, rules []permission.Rule) settled {
	switch {
	case ctx.Err() != nil:
		return settled{approval: tools.Cancelled, outcome: string(tools.Cancelled)}
	case errors.Is(err, errNoAnswer):
		return settled{approval: tools.Unavailable, outcome: "timeout", why: noAnswerText(q.Name, a.s.hub.c.PermissionTimeout)}
	case err != nil:
		a.s.logger.Warn("permission question failed", "tool", q.Name, "error", err)
		return settled{approval: tools.Unavailable, outcome: string(tools.Unavailable), why: nobodyText(q.Name, err)}
	case answer == AnswerCancelled:
		a.cancel()
		return settled{approval: tools.Cancelled, outcome: string(answer)}
	case len(q.Choices) > 0:
		return chosen(q.Choices, answer)
	}
	switch answer {
	case AllowOnce:
	case AllowAlways:
		a.remember(rules)
	case RejectAlways:
		a.remember(permission.Denying(rules))
		return settled{approval: tools.Rejected, answer: answer, outcome: string(answer)}
	default:
		return settled{approval: tools.Rejected, answer: RejectOnce, outcome: string(RejectOnce)}
	}
	return settled{approval: tools.AllowedOnce, answer: answer, outcome: string(answer)}
}

// chosen is the outcome of a question with choices of its own, which are
// nothing to remember here.
func chosen(choices []Choice, answer Answer) settled {
	for _, c := range choices {
		if c.ID != string(answer) {
			continue
		}
		got := settled{approval: tools.Rejected, answer: answer, outcome: string(c.Kind)}
		if c.Kind == AllowOnce || c.Kind == AllowAlways {
			got.approval = tools.AllowedOnce
		}
		return got
	}
	return settled{approval: tools.Rejected, outcome: string(RejectOnce)}
}

// nobodyText is what the model reads, and a user who wonders, when nobody could
// be asked; why says what is in the way, where it is known. Its beginning is that
// of the pipeline (tools.md §3.4.6).
func nobodyText(tool string, why error) string {
	text := fmt.Sprintf("tool %q requires approval but no approval channel is available", tool)
	if why != nil {
		text += ": " + why.Error()
	}
	return text + ". Go on without it; the user can allow it beforehand, by another mode or by a rule permission.allow in the configuration file"
}

// noAnswerText is what the model reads when nobody answered.
func noAnswerText(tool string, d time.Duration) string {
	return fmt.Sprintf("permission for tool %q was not given within %s, so it was denied; nobody may be watching. Go on without it, or end the turn and ask the user", tool, d)
}

// remember keeps an "always"; when it cannot be kept, the answer holds once
// and the user is told.
func (a *approver) remember(rules []permission.Rule) {
	if len(rules) == 0 {
		return
	}
	err := a.s.policy.Remember(rules)
	var damaged *permission.DamagedError
	if errors.As(err, &damaged) {
		a.emit(Notice{Severity: "warning", Title: "Earlier answers were lost", Text: err.Error()}, logged)
		return
	}
	if err != nil {
		a.emit(Notice{
			Severity: "warning", Title: "The answer holds only this once",
			Text: "It could not be remembered: " + err.Error(),
		}, logged)
	}
}
