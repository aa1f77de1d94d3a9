package tools

import (
	"context"
	"fmt"
)

// dispatch runs the wrappers around the tool and returns what came out. An
// error is a wrapper's own; a tool's failure is a Result. Updates end here.
func (k *call) dispatch(ctx context.Context) (Result, error) {
	k.updates.start()
	defer k.updates.close()
	w := wrapping{call: k, wrappers: k.pipeline.wrappers.all()}
	out := w.from(ctx, 0)
	if w.err != nil {
		return Result{}, w.err
	}
	if out.CallID != k.x.CallID {
		return Result{}, fmt.Errorf("tools/execute returned callId %q for authoritative call %q", out.CallID, k.x.CallID)
	}
	return out.Result, nil
}

// wrapping is one pass through the wrappers.
type wrapping struct {
	call     *call
	wrappers []*Wrapper
	err      error // of the wrapper that failed first
}

// from runs the wrappers from the i-th on. Behind the last is the deadline.
func (w *wrapping) from(ctx context.Context, i int) ExecuteResult {
	k := w.call
	if i == len(w.wrappers) {
		r := k.pipeline.deadline.around(ctx, k.x.Definition, k.log, k.invoke)
		return ExecuteResult{CallID: k.x.CallID, Result: r}
	}
	var out ExecuteResult
	err := contain(k.log, "execute wrapper", func() (err error) {
		out, err = (*w.wrappers[i])(ctx, k.x.copy(), func(ctx context.Context) ExecuteResult {
			out := w.from(ctx, i+1)
			out.Result = out.Result.clone()
			return out
		})
		return err
	})
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return ExecuteResult{CallID: k.x.CallID, Result: failure(ctx, err)}
	}
	return out
}

// invoke runs the tool itself; whatever it does is a Result.
func (k *call) invoke(ctx context.Context) Result {
	var r Result
	err := contain(k.log, fmt.Sprintf("tool %q", k.x.Name), func() (err error) {
		r, err = k.x.Definition.Execute(ctx, k.x.copy().Arguments, k.context)
		return err
	})
	switch {
	case err != nil:
		failed := failure(ctx, err)
		failed.Thrown = true
		failed.Usage = r.Usage // it was spent all the same
		return failed
	case r.IsError && r.Error == nil && ctx.Err() != nil:
		r.Error = abortInfo() // the tool has its own words for the abort
	}
	return r
}
