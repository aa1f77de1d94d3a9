package tools

import (
	"context"
	"slices"

	"github.com/agent-ls/agent-ls/presentation"
)

// review runs the post-execute waterfall over r and returns what it makes of
// it; the default is to accept r as it is. A listener that fails makes the
// call fail (tools.md §3.4.14).
func (k *call) review(ctx context.Context, r Result) Result {
	listeners := k.pipeline.post.all()
	if len(listeners) == 0 {
		return r
	}
	r = materialize(r)
	var from func(i int) (PostDecision, error)
	from = func(i int) (d PostDecision, err error) {
		if i == len(listeners) {
			return PostDecision{}, nil
		}
		err = contain(k.log, "post-execute listener", func() (err error) {
			d, err = (*listeners[i])(ctx, k.x.copy(), r.clone(), func() (PostDecision, error) { return from(i + 1) })
			return err
		})
		return d, err
	}
	d, err := from(0)
	if err != nil {
		return failure(ctx, err)
	}
	return d.apply(r)
}

// apply returns r as d leaves it.
func (d PostDecision) apply(r Result) Result {
	r.AdditionalContext = slices.Concat(r.AdditionalContext, d.Context)
	if d.Block {
		return d.block(r)
	}
	if d.Content != nil {
		r.Content = d.Content
	}
	if o := d.Replace; o != nil {
		r = o.apply(r)
	}
	return r
}

// block makes r an error with the listener's feedback, which the model must
// see: the run does not end.
func (d PostDecision) block(r Result) Result {
	r.Content = d.Content
	if len(r.Content) == 0 {
		r.Content = []presentation.Block{presentation.Text(errorPrefix + blockedText)}
	}
	r.IsError = true
	r.Error, r.Meta = nil, nil
	r.Thrown, r.Terminate = false, false
	return r
}

func (o *Replacement) apply(r Result) Result {
	if o.Content != nil {
		r.Content = o.Content
	}
	if o.Details != nil {
		r.Details = o.Details
	}
	if o.Usage != nil {
		r.Usage = o.Usage
	}
	if o.Terminate != nil {
		r.Terminate = *o.Terminate
	}
	if o.IsError != nil {
		r.IsError = *o.IsError
		if !r.IsError {
			r.Error, r.Thrown = nil, false
		}
	}
	return r
}
