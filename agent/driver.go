package agent

import "context"

// Driver runs turns: the Loop over a Model, or a hosted agent. It makes the
// records of its turn through t, and returns when everything it started for
// the turn has ended. When ctx ends it stops as soon as it can; what it
// returns then does not matter. One driver runs one turn at a time.
type Driver interface {
	Run(ctx context.Context, t *Turn) (StopReason, error)
}
