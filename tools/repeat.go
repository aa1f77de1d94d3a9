package tools

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/tools/schema"
)

// RepeatOptions configure a RepeatGuard; begin with DefaultRepeatOptions.
type RepeatOptions struct {
	// Thresholds are the numbers of equal calls in a row at which the model is
	// reminded: at least one, each at least 2, none twice, in any order. The
	// lowest reminds gently, the others in detail.
	Thresholds []int
	// Preview is how many code points of the arguments a detailed reminder
	// shows, at least 1.
	Preview int
	// Include and Exclude are names of tools, * stands for any text. Empty
	// Include means all. Calls of other tools neither count nor interrupt a
	// row.
	Include, Exclude []string
}

// DefaultRepeatOptions returns the options of tools.md §3.7.1.
func DefaultRepeatOptions() RepeatOptions {
	return RepeatOptions{Thresholds: []int{3, 5, 8}, Preview: 500}
}

func (o RepeatOptions) check() error {
	if len(o.Thresholds) == 0 {
		return errors.New("repeat guard: thresholds must not be empty")
	}
	for i, n := range o.Thresholds {
		if n < 2 {
			return fmt.Errorf("repeat guard: threshold %d must be at least 2", n)
		}
		if slices.Contains(o.Thresholds[:i], n) {
			return fmt.Errorf("repeat guard: threshold %d is there twice", n)
		}
	}
	if o.Preview < 1 {
		return fmt.Errorf("repeat guard: preview %d must be at least 1", o.Preview)
	}
	return nil
}

// RepeatGuard reminds a model that makes the same call again and again (tools.md
// §3.7). Calls are the same when tool and arguments are, whatever the order
// of keys. Denied and failed calls count, calls without a session do not. Safe
// for concurrent use.
type RepeatGuard struct {
	options RepeatOptions

	mu   sync.Mutex
	rows map[string]row // by session
}

// row is how often the last call was made in a row.
type row struct {
	call  [sha256.Size]byte
	count int
}

// repeatSource is the source of the reminders.
const repeatSource = "repeat-guard"

// NewRepeatGuard returns a guard, or says what is wrong with o.
func NewRepeatGuard(o RepeatOptions) (*RepeatGuard, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Thresholds = slices.Sorted(slices.Values(o.Thresholds))
	o.Include, o.Exclude = slices.Clone(o.Include), slices.Clone(o.Exclude)
	return &RepeatGuard{options: o, rows: map[string]row{}}, nil
}

// Reset forgets the row of a session: on a new prompt of the user, and when
// the session ends.
func (g *RepeatGuard) Reset(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.rows, session)
}

// Listen is the guard's post-execute listener. It adds its reminder to what
// the listeners after it decided.
func (g *RepeatGuard) Listen(_ context.Context, x Execution, _ Result, next func() (PostDecision, error)) (PostDecision, error) {
	d, err := next()
	if err != nil || x.Session == "" || !g.tracks(x.Name) {
		return d, err
	}
	args := schema.Canonical(x.Arguments)
	if n := g.count(x, args); slices.Contains(g.options.Thresholds, n) {
		d.Context = append(slices.Clip(d.Context), HookContext{Source: repeatSource, Text: g.reminder(x.Name, args, n)})
	}
	return d, nil
}

func (g *RepeatGuard) tracks(name string) bool {
	matches := func(pattern string) bool { return wildcard(pattern, name) }
	if slices.ContainsFunc(g.options.Exclude, matches) {
		return false
	}
	return len(g.options.Include) == 0 || slices.ContainsFunc(g.options.Include, matches)
}

// count returns how often the call was made in a row, this time included.
func (g *RepeatGuard) count(x Execution, args []byte) int {
	call := sha256.Sum256(slices.Concat([]byte(x.Name), []byte{0}, args))
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.rows[x.Session]
	if r.call != call {
		r = row{call: call}
	}
	r.count++
	g.rows[x.Session] = r
	return r.count
}

func (g *RepeatGuard) reminder(name string, args []byte, n int) string {
	if n == g.options.Thresholds[0] {
		return fmt.Sprintf("You have called the tool %q %d times in a row with the same arguments. "+
			"The result will not change by repeating it; use what you have, or try something else.", name, n)
	}
	return fmt.Sprintf("You have called the tool %q %d times in a row with the same arguments:\n%s\n"+
		"Stop repeating this call. Read its last result, then change the arguments, use another tool, or tell the user what blocks you.",
		name, n, preview(string(args), g.options.Preview))
}

// preview returns the first limit code points of s and how many are missing.
func preview(s string, limit int) string {
	total := utf8.RuneCountInString(s)
	if total <= limit {
		return s
	}
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return fmt.Sprintf("%s… (+%d more chars)", s[:end], total-limit)
}

// wildcard matches name with a pattern in which * stands for any text and
// every other character for itself.
func wildcard(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	first, last := parts[0], parts[len(parts)-1]
	rest, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, last)
}
