package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-ls/agent-ls/agent"
)

// Recorder writes what models answer as scripts, a file SESSION.script.json a
// session, which Load reads again (contract §1, --record). A failure that may
// pass, or that a summary of the conversation helps against, is not written: the
// request is made again. Safe for concurrent use.
type Recorder struct {
	dir    string
	logger *slog.Logger

	mu      sync.Mutex
	scripts map[string]*Script // by session
}

// NewRecorder returns a recorder that writes to dir, which is made when it is
// needed.
func NewRecorder(dir string, logger *slog.Logger) *Recorder {
	return &Recorder{dir: dir, logger: logger, scripts: map[string]*Script{}}
}

// Wrap returns m with its answers recorded.
func (r *Recorder) Wrap(m agent.Model) agent.Model { return &recorded{m, r} }

// recorded is a model whose answers are recorded.
type recorded struct {
	model    agent.Model
	recorder *Recorder
}

// Respond answers as the model does.
func (m *recorded) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	var steps []Step
	fin, err := m.model.Respond(ctx, req, func(d agent.Delta) error {
		steps = add(steps, d)
		return yield(d)
	})
	if last, ok := end(fin, err); ok && (last.Stop == nil || !hasCalls(steps)) {
		steps = append(steps, last)
	}
	switch {
	case ctx.Err() != nil || again(err, steps):
	case req.Aside:
		m.recorder.add(req, nil) // its turn is there, though it may have nothing else
	default:
		m.recorder.add(req, steps)
	}
	return fin, err
}

// again reports whether a request that ended with err will be made once more;
// steps are what of an answer there is, with the failure.
func again(err error, steps []Step) bool {
	var failed *agent.ProviderError
	return errors.As(err, &failed) && (failed.Temporary || failed.TooLong && len(steps) <= 1)
}

// add adds a piece of an answer: texts that follow each other are one step, and
// all calls are.
func add(steps []Step, d agent.Delta) []Step {
	var last *Step
	if len(steps) > 0 {
		last = &steps[len(steps)-1]
	}
	switch {
	case d.Call != nil:
		c := recordedCall(*d.Call)
		if last != nil && len(last.Calls) > 0 {
			last.Calls = append(last.Calls, c)
			return steps
		}
		return append(steps, Step{Calls: []Call{c}})
	case d.Text != "" && last != nil && last.Say != nil:
		*last.Say += d.Text
	case d.Text != "":
		return append(steps, Step{Say: &d.Text})
	case d.Thought != "" && last != nil && last.Think != nil:
		*last.Think += d.Thought
	case d.Thought != "":
		return append(steps, Step{Think: &d.Thought})
	}
	return steps
}

// recordedCall is a call as scripts have it: arguments that JSON would not keep
// to the letter are raw text.
func recordedCall(c agent.CallDelta) Call {
	out := Call{ID: c.ID, Name: c.Name}
	switch {
	case c.Arguments == "":
	case c.Arguments[0] == '{' && isCompact(c.Arguments):
		out.Args = json.RawMessage(c.Arguments)
	default:
		raw, err := json.Marshal(c.Arguments)
		if err == nil {
			out.Args = raw
		}
	}
	return out
}

// isCompact says that a text is JSON without needless blanks.
func isCompact(text string) bool {
	var b bytes.Buffer
	return json.Compact(&b, []byte(text)) == nil && b.String() == text
}

// end is the step that ends an answer otherwise than normally.
func end(fin agent.Finish, err error) (s Step, ok bool) {
	var failed *agent.ProviderError
	switch {
	case errors.As(err, &failed):
		return Step{Error: &Failure{Status: failed.Status, Message: failed.Message}}, true
	case err == nil && fin.Reason != "":
		return Step{Stop: &fin.Reason}, true
	}
	return s, false
}

func hasCalls(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return len(s.Calls) > 0 })
}

// add puts an answer behind what the turn has, and writes the script.
func (r *Recorder) add(req agent.Request, steps []Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := filepath.Join(r.dir, req.Session+".script.json")
	s, err := r.script(req.Session, file)
	if err == nil {
		prompts := max(req.Progress.Prompts, 1)
		for len(s.Turns) < prompts {
			s.Turns = append(s.Turns, Turn{Steps: []Step{}})
		}
		turn := &s.Turns[prompts-1]
		turn.Steps = append(turn.Steps, steps...)
		err = write(file, s)
	}
	if err != nil {
		r.logger.Warn("a model's answer was not recorded", "file", file, "error", err)
	}
}

// script returns the script of a session so far, which another process may have
// begun.
func (r *Recorder) script(session, file string) (*Script, error) {
	if s := r.scripts[session]; s != nil {
		return s, nil
	}
	s, err := Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		s, err = &Script{}, nil
	}
	if err == nil {
		r.scripts[session] = s
	}
	return s, err
}

// write replaces the file by one that is whole.
func write(file string, s *Script) error {
	data, err := s.encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// encode writes a step a line, and leaves every letter of arguments as it is.
func (s *Script) encode() ([]byte, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	b.WriteString(`{"turns":[`)
	for i, turn := range s.Turns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + `{"steps":[` + "\n")
		for j, step := range turn.Steps {
			if j > 0 {
				b.WriteByte(',')
			}
			if err := lines.Encode(step); err != nil {
				return nil, err
			}
		}
		b.WriteString("]}")
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}
