package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/agent"
)

// Script is a whole file: one turn a prompt, the last one repeated when
// prompts go on.
type Script struct {
	Turns []Turn `json:"turns"`
}

// Turn is what the model does about one prompt, in order.
type Turn struct {
	Steps []Step `json:"steps"`
}

// Step is one thing that the model does; exactly one field is set.
type Step struct {
	// Say and Think are text of the agent.
	Say   *string `json:"say,omitempty"`
	Think *string `json:"think,omitempty"`
	// Calls are one batch.
	Calls []Call `json:"calls,omitempty"`
	// WaitMS waits, in milliseconds; cancelling ends it.
	WaitMS *int64 `json:"wait_ms,omitempty"`
	// Stop ends the turn with this reason.
	Stop *agent.StopReason `json:"stop,omitempty"`
	// Error fails as if the model's server had.
	Error *Failure `json:"error,omitempty"`
}

// Call is one call of a batch. Args is a JSON object, or a JSON string with
// the raw text of the arguments; without it the text is empty. ID is the
// model's own id and may repeat.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
	ID   string          `json:"id,omitempty"`
}

// Failure is an error of the model's server.
type Failure struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// stopReasons are what a stop step may say.
var stopReasons = []agent.StopReason{agent.EndTurn, agent.MaxTokens, agent.MaxTurnRequests, agent.Refusal, agent.StopCancelled}

// Load reads the script at path. An error names the file, the place in it and
// what is wrong.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return s, nil
}

// Parse reads a script. An error names the place, such as turns[0].steps[2] or
// line 3, and what is wrong there.
func Parse(data []byte) (*Script, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var s Script
	if err := dec.Decode(&s); err != nil {
		return nil, explain(data, dec.InputOffset(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: there is something behind the script; a file holds one JSON object", position(data, dec.InputOffset()))
	}
	if len(s.Turns) == 0 {
		return nil, errors.New(`there are no turns; a script looks like {"turns":[{"steps":[{"say":"hello"}]}]}`)
	}
	for i, turn := range s.Turns {
		for j, step := range turn.Steps {
			if err := step.check(); err != nil {
				return nil, fmt.Errorf("turns[%d].steps[%d]: %w", i, j, err)
			}
		}
	}
	return &s, nil
}

// explain puts the place into an error of the decoder.
func explain(data []byte, offset int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: %w", position(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is a JSON %s, want %s", position(data, kind.Offset), kind.Field, kind.Value, kind.Type)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the script ends too early", position(data, int64(len(data))))
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	return fmt.Errorf("%s: %s", position(data, offset), text)
}

// position turns an offset into a line and a column, both 1-based, the column
// in bytes.
func position(data []byte, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Sprintf("line %d, column %d", line, max(column, 1))
}

// check reports what is wrong with a step.
func (s *Step) check() error {
	switch n := s.kinds(); {
	case n == 0:
		return errors.New("a step needs one of say, think, calls, wait_ms, stop, error")
	case n > 1:
		return errors.New("a step has one of say, think, calls, wait_ms, stop, error, not several; make several steps of it")
	case s.WaitMS != nil && *s.WaitMS < 0:
		return fmt.Errorf("wait_ms is %d, want 0 or more", *s.WaitMS)
	case s.Stop != nil && !slices.Contains(stopReasons, *s.Stop):
		return fmt.Errorf("stop is %q, want one of %s", *s.Stop, strings.Join(reasonNames(), ", "))
	}
	for i, c := range s.Calls {
		if err := c.check(); err != nil {
			return fmt.Errorf("calls[%d]: %w", i, err)
		}
	}
	return nil
}

// kinds counts the fields that are set.
func (s *Step) kinds() int {
	n := 0
	for _, set := range []bool{s.Say != nil, s.Think != nil, len(s.Calls) > 0, s.WaitMS != nil, s.Stop != nil, s.Error != nil} {
		if set {
			n++
		}
	}
	return n
}

func reasonNames() []string {
	names := make([]string, len(stopReasons))
	for i, r := range stopReasons {
		names[i] = string(r)
	}
	return names
}

func (c *Call) check() error {
	if c.Name == "" {
		return errors.New("a call needs a name")
	}
	if len(c.Args) > 0 && c.Args[0] != '{' && c.Args[0] != '"' {
		return errors.New("args must be an object, or a string with the raw text of the arguments")
	}
	return nil
}

// text returns the raw text of the arguments.
func (c *Call) text() string {
	if len(c.Args) > 0 && c.Args[0] == '"' {
		var raw string
		// Args is a JSON string: check has seen it.
		_ = json.Unmarshal(c.Args, &raw)
		return raw
	}
	return string(c.Args)
}
