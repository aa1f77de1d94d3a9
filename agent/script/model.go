package script

import (
	"context"
	"time"

	"github.com/agent-ls/agent-ls/agent"
)

// Prefix begins the ids of scripts as --model takes them; the path follows.
const Prefix = "script:"

// Info describes the script at path to users.
func Info(path string) agent.ModelInfo {
	return agent.ModelInfo{ID: Prefix + path, Name: Prefix + path, Description: "Plays a script, whatever the prompt says."}
}

// Model plays a script.
type Model struct{ script *Script }

// NewModel returns the model that plays s.
func NewModel(s *Script) *Model { return &Model{script: s} }

// Respond plays the steps of the turn from behind the last batch that was run
// to the next batch, the end, or the first stop or error.
func (m *Model) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	turns := m.script.Turns
	turn := turns[min(max(req.Progress.Prompts, 1), len(turns))-1]
	for _, step := range turn.Steps[behind(turn.Steps, req.Progress.Batches):] {
		finish, done, err := play(ctx, step, yield)
		if done || err != nil {
			return finish, err
		}
	}
	return agent.Finish{}, nil
}

// behind returns the index of the step after the n-th batch.
func behind(steps []Step, n int) int {
	for i, s := range steps {
		if n == 0 {
			return i
		}
		if len(s.Calls) > 0 {
			n--
		}
	}
	return len(steps)
}

// play plays one step; done says that the response ends with it.
func play(ctx context.Context, s Step, yield func(agent.Delta) error) (f agent.Finish, done bool, err error) {
	switch {
	case s.Say != nil:
		err = yield(agent.Delta{Text: *s.Say})
	case s.Think != nil:
		err = yield(agent.Delta{Thought: *s.Think})
	case s.WaitMS != nil:
		err = wait(ctx, time.Duration(*s.WaitMS)*time.Millisecond)
	case s.Stop != nil:
		return agent.Finish{Reason: *s.Stop}, true, nil
	case s.Error != nil:
		err = &agent.ProviderError{Status: s.Error.Status, Message: s.Error.Message}
	default:
		return f, true, calls(s.Calls, yield)
	}
	return f, false, err
}

func calls(batch []Call, yield func(agent.Delta) error) error {
	for _, c := range batch {
		if err := yield(agent.Delta{Call: &agent.CallDelta{ID: c.ID, Name: c.Name, Arguments: c.text()}}); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for d or the end of ctx.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
