package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Retry says how often and when a failed request is made again. The zero value
// never does.
type Retry struct {
	// Attempts is how many requests are made in all.
	Attempts int
	// First is the wait before the second one; each further wait is twice as
	// long, up to Most. A wait is shortened at random by up to a half, so that
	// clients that failed together do not come back together.
	First, Most time.Duration
	// Patience is the longest wait that a server may ask for; one that asks for
	// more has failed.
	Patience time.Duration
	// Random is in [0, 1); nil is random.
	Random func() float64
}

// DefaultRetry is what sessions do with models' servers.
func DefaultRetry() Retry {
	return Retry{Attempts: 5, First: time.Second, Most: 30 * time.Second, Patience: 2 * time.Minute}
}

// again waits for the time to make a request again after an attempt failed with
// err, and says whether to.
func (r Retry) again(ctx context.Context, t *Turn, attempt int, err error) bool {
	var failed *ProviderError
	if attempt >= r.Attempts || !errors.As(err, &failed) || !failed.Temporary || failed.RetryAfter > r.Patience {
		return false
	}
	wait := max(r.wait(attempt), failed.RetryAfter)
	t.Record(Notice{
		Severity: "info", Title: "The model's server did not answer; trying again",
		Text: fmt.Sprintf("%s. Attempt %d of %d comes in %v.", failed.Message, attempt+1, r.Attempts, wait.Round(time.Millisecond)),
	})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait is the wait after so many attempts.
func (r Retry) wait(attempts int) time.Duration {
	d := r.First
	for range attempts - 1 {
		d = min(2*d, r.Most)
	}
	random := rand.Float64
	if r.Random != nil {
		random = r.Random
	}
	return d - time.Duration(random()*float64(d)/2)
}

// tooLong says that a request failed because the conversation does not fit.
func tooLong(err error) bool {
	var failed *ProviderError
	return errors.As(err, &failed) && failed.TooLong
}
