package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// metric is a row of a table.
type metric struct{ key, name, unit string }

// metrics are what is measured of the direct model, in the order of the table.
var metrics = []metric{
	{"initialize", "start to initialize answered", "ms"},
	{"new", "session/new", "ms"},
	{"first_read", "one /read of the first turn, of 50", "ms"},
	{"read", "one /read of the second turn, of 50", "ms"},
	{"true", "one !true of a turn of 20", "ms"},
	{"first_byte", "first byte of a command", "ms"},
	{"rss", "resident memory after 100 reads", "MiB"},
	{"peak", "peak memory until then", "MiB"},
	{"wire", "wire bytes for each output byte", "×"},
	{"exit", "end of input to exit", "ms"},
}

// sample holds one run's values by metric; what could not be measured is not
// in it.
type sample map[string]float64

// agent is a command with what was measured of it.
type agent struct {
	command []string
	// model, when it is set, is how the agent works with a model's server, and
	// that is what is measured, in turns of so many calls.
	model   *modelUse
	calls   int
	samples []sample
}

func (a *agent) name() string {
	if a.model != nil {
		return a.model.name
	}
	return filepath.Base(a.command[0])
}

// run measures one fresh process in the fresh folder dir; warm says that it only
// warms up.
func (a *agent) run(ctx context.Context, dir string, warm bool) (sample, error) {
	switch {
	case a.model == nil:
		return a.runDirect(ctx, dir)
	case warm:
		return a.runModel(ctx, dir, warmCalls)
	}
	return a.runModel(ctx, dir, a.calls)
}

// summary describes the values of a metric over the runs.
type summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Runs   int     `json:"runs"`
}

// String shows the median with its range; a nil summary has no values.
func (s *summary) String() string {
	if s == nil {
		return "n/a"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max)
}

// summary returns nil when no run has the metric.
func (a *agent) summary(key string) *summary {
	var values []float64
	for _, s := range a.samples {
		if v, ok := s[key]; ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	n := len(values)
	return &summary{Median: (values[(n-1)/2] + values[n/2]) / 2, Min: values[0], Max: values[n-1], Runs: n}
}

// Sizes of the turns.
const (
	readsPerTurn = 50
	commands     = 20
	outputLines  = 35_000
	outputLine   = "line %06.0f of the output" // for seq -f
)

// runDirect measures the direct model.
func (a *agent) runDirect(ctx context.Context, dir string) (sample, error) {
	c, err := start(ctx, a.command, nil, dir)
	if err != nil {
		return nil, err
	}
	defer c.kill()
	s := sample{}
	if err := s.open(c); err != nil {
		return nil, err
	}
	if err := s.turns(c); err != nil {
		return nil, err
	}
	return s, s.leave(c)
}

// leave measures the end, of an agent that leaves when its input ends.
func (s sample) leave(c *client) error {
	begin := time.Now()
	left, err := c.leave()
	if left {
		s.took("exit", begin, 1)
	}
	return err
}

// took records the time since begin, divided by n.
func (s sample) took(key string, begin time.Time, n int) {
	s[key] = float64(time.Since(begin).Microseconds()) / 1000 / float64(n)
}

// open initializes and opens a session that asks for nothing.
func (s sample) open(c *client) error {
	if err := c.initialize(); err != nil {
		return err
	}
	s.took("initialize", c.started, 1)
	begin := time.Now()
	if err := c.newSession(); err != nil {
		return err
	}
	s.took("new", begin, 1)
	return c.allowAll()
}

// turns measures the turns of one session.
func (s sample) turns(c *client) error {
	file := filepath.Join(c.cwd, "a.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("one line of text\n", 40)), 0o644); err != nil {
		return err
	}
	reads := slices.Repeat([]string{"/read a.txt"}, readsPerTurn)
	for _, key := range []string{"first_read", "read"} {
		begin := time.Now()
		done, err := c.turn(reads...)
		if err != nil {
			return err
		}
		if done.completed >= readsPerTurn {
			s.took(key, begin, readsPerTurn)
		}
	}
	if rss, peak, ok := c.memory(); ok {
		s["rss"], s["peak"] = rss, peak
	}
	begin := time.Now()
	done, err := c.turn(slices.Repeat([]string{"!true"}, commands)...)
	if err != nil {
		return err
	}
	if done.completed >= commands {
		s.took("true", begin, commands)
	}
	if err := s.firstByte(c); err != nil {
		return err
	}
	return s.wire(c)
}

// firstByte measures from the moment at which a command is about to print
// until the client has it. The word is put together by the shell, so that the
// command's own title does not hold it.
func (s sample) firstByte(c *client) error {
	c.watch("first-2-byte")
	if _, err := c.turn("!date +%s%N > stamp; echo first-$((1+1))-byte; sleep 0.2"); err != nil {
		return err
	}
	seen, ok := c.watched()
	if printed := stamp(filepath.Join(c.cwd, "stamp")); ok && printed > 0 {
		s["first_byte"] = float64(seen.UnixNano()-printed) / 1e6
	}
	return nil
}

// stamp reads a time in nanoseconds; 0 where there is none: the agent runs no
// commands, or the system's dates have no nanoseconds.
func stamp(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	at, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return at
}

// wire measures what a long output costs on the wire.
func (s sample) wire(c *client) error {
	done, err := c.turn(fmt.Sprintf("!seq -f '%s' 1 %d", outputLine, outputLines))
	if err != nil {
		return err
	}
	if done.completed > 0 {
		line := len(fmt.Sprintf(outputLine, 1.0)) + 1
		s["wire"] = float64(done.bytes) / float64(line*outputLines)
	}
	return nil
}
