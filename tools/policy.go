package tools

import (
	"context"
	"fmt"
)

// blockedText is the reason of a denial that gives none (tools.md §2.2.5).
const blockedText = "Tool execution was blocked"

// denied is the result of a call that was not let through.
func denied(reason string) Result {
	if reason == "" {
		reason = blockedText
	}
	return errorResult(&ErrorInfo{Name: "PermissionDeniedError", Code: CodeDenied}, reason)
}

// decide runs the pre-execute waterfall; the default is allow.
func (k *call) decide(ctx context.Context) (Decision, error) {
	listeners := k.pipeline.pre.all()
	var from func(i int) (Decision, error)
	from = func(i int) (d Decision, err error) {
		if i == len(listeners) {
			return Decision{Kind: Allow}, nil
		}
		err = contain(k.log, "pre-execute listener", func() (err error) {
			d, err = (*listeners[i])(ctx, k.x.copy(), func() (Decision, error) { return from(i + 1) })
			return err
		})
		return d, err
	}
	d, err := from(0)
	if err != nil {
		return Decision{}, err
	}
	switch d.Kind {
	case "", Allow:
		d.Kind = Allow
	case Ask, Deny:
	default:
		return d, fmt.Errorf("a pre-execute listener answered %q for tool %q, want allow, deny or ask", d.Kind, k.x.Name)
	}
	return d, nil
}

// route reports whether somebody can answer the question of d; if not, it
// says why the call is denied (tools.md §3.4.6).
func (k *call) route(d Decision) (reason string, answerable bool) {
	switch {
	case d.Kind != Ask:
		return "", true
	case k.run.Approver == nil && d.Reason != "":
		return d.Reason, false
	case k.run.Approver == nil:
		return k.needsApproval() + " (not yet supported)", false
	case k.run.Session == "":
		return k.needsApproval() + " but the call has no agent to route it through", false
	}
	return "", true
}

// approve asks; granted means that the call goes on, else r is its result.
func (k *call) approve(ctx context.Context, reason string) (r Result, granted bool) {
	switch outcome := k.ask(ctx, reason); outcome {
	case AllowedOnce:
		return Result{}, true
	case Rejected:
		return denied(fmt.Sprintf("the user rejected tool %q", k.x.Name)), false
	case Cancelled:
		k.withdrawn = true
		return errorResult(abortInfo(), fmt.Sprintf("approval for tool %q was cancelled", k.x.Name)), false
	case Unavailable:
		return denied(k.needsApproval() + " but no approval channel is available"), false
	default:
		return denied(fmt.Sprintf("tool %q got the unknown approval outcome %q", k.x.Name, outcome)), false
	}
}

// ask puts the question. What is answered after ctx ended does not count.
func (k *call) ask(ctx context.Context, reason string) Approval {
	if ctx.Err() != nil {
		return Cancelled
	}
	outcome := Unavailable
	_ = contain(k.log, "approver", func() error {
		outcome = k.run.Approver.Approve(ctx, k.x.copy(), reason, k.card)
		return nil
	})
	if ctx.Err() != nil {
		return Cancelled
	}
	return outcome
}

func (k *call) needsApproval() string { return fmt.Sprintf("tool %q requires approval", k.x.Name) }

// guard returns the first reason of a guard against the call.
func (k *call) guard() (reason string, err error) {
	for _, g := range k.pipeline.guards.all() {
		err = contain(k.log, "guard", func() (err error) {
			reason, err = (*g)(k.x.copy())
			return err
		})
		if err != nil || reason != "" {
			return reason, err
		}
	}
	return "", nil
}
