// Command bench measures ACP agents from outside: how long they take to start,
// to open a session and to carry out turns, what memory they hold, and what
// they put on the wire. Each run is a fresh process in fresh folders.
//
//	go run ./bench                              # this tree's agent-ls
//	go run ./bench --runs 5 -- ./agent-ls acp   # a program that is built
//	go run ./bench --vs 'peer acp' --json       # a peer beside it, run in turns
//	go run ./bench --peers ~/.cache/peers       # against peers from npm, all with a model
//
// Prompts are in the syntax of the direct model behind a line of plain text. With
// --peers all agents work with a model's server on this machine, which is
// scripted to make the same calls in two turns; the peers are installed into the
// folder by npm. A turn that did not do its whole work is not counted. It needs
// a Unix shell for commands, and Linux for memory.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		}
		os.Exit(1)
	}
}

// peers collects the commands of --vs.
type peers [][]string

func (p *peers) String() string { return "" }

func (p *peers) Set(command string) error {
	words := strings.Fields(command)
	if len(words) == 0 {
		return errors.New("the command is empty")
	}
	*p = append(*p, words)
	return nil
}

// bench runs the command line args.
func bench(ctx context.Context, args []string, out, errOut io.Writer) (err error) {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(errOut)
	runs := fs.Int("runs", 10, "fresh processes for each agent")
	asJSON := fs.Bool("json", false, "print JSON")
	calls := fs.Int("calls", 200, "calls of one turn, with --peers")
	peerDir := fs.String("peers", "", "compare with peers from npm, installed into `folder`, over a model's server")
	var vs peers
	fs.Var(&vs, "vs", "`command` of a peer, its words split at blanks; may be repeated")
	fs.Usage = func() {
		fmt.Fprintln(errOut, "usage: bench [flags] [-- COMMAND ARG…]   (default: agent-ls acp of this tree)")
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *runs < 1 {
		return errors.New("--runs takes a number of 1 or more")
	}
	if *calls < 1 {
		return errors.New("--calls takes a number of 1 or more")
	}
	scratch, err := os.MkdirTemp("", "agent-ls-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	command := fs.Args()
	if len(command) == 0 {
		if command, err = build(ctx, scratch); err != nil {
			return err
		}
	}
	agents, rows := []*agent{{command: command}}, metrics
	for _, words := range vs {
		agents = append(agents, &agent{command: words})
	}
	if *peerDir != "" {
		rows = modelMetrics
		if agents, err = modelAgents(ctx, command, *calls, *peerDir, errOut); err != nil {
			return err
		}
	}
	if err := measureAll(ctx, agents, *runs, scratch); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(out, agents, rows)
	}
	printTable(out, agents, rows, *runs)
	return nil
}

// build builds this tree's program.
func build(ctx context.Context, scratch string) ([]string, error) {
	program := filepath.Join(scratch, "agent-ls")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/agent-ls/agent-ls/cmd/agent-ls")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build agent-ls: %w\n%s", err, text)
	}
	return []string{program, "acp"}, nil
}

// measureAll runs the agents in turns, so that a change of the machine's load
// meets all of them. The first run of each only warms up.
func measureAll(ctx context.Context, agents []*agent, runs int, scratch string) error {
	for i := range runs + 1 {
		for _, a := range agents {
			dir := filepath.Join(scratch, "run")
			s, err := a.run(ctx, dir, i == 0)
			if err != nil {
				return fmt.Errorf("%s: %w", a.name(), err)
			}
			if i > 0 {
				a.samples = append(a.samples, s)
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// printTable prints one row a metric and one column an agent.
func printTable(out io.Writer, agents []*agent, rows []metric, runs int) {
	fmt.Fprintf(out, "%-36s", fmt.Sprintf("medians of %d (least–most)", runs))
	for _, a := range agents {
		fmt.Fprintf(out, " %26s", a.name())
	}
	fmt.Fprintln(out)
	for _, m := range rows {
		fmt.Fprintf(out, "%-36s", m.name+", "+m.unit)
		for _, a := range agents {
			fmt.Fprintf(out, " %26s", a.summary(m.key))
		}
		fmt.Fprintln(out)
	}
}

// printJSON prints the summaries as one object an agent.
func printJSON(out io.Writer, agents []*agent, rows []metric) error {
	type agentResult struct {
		Command []string            `json:"command"`
		Metrics map[string]*summary `json:"metrics"`
	}
	var results []agentResult
	for _, a := range agents {
		r := agentResult{a.command, map[string]*summary{}}
		for _, m := range rows {
			r.Metrics[m.key] = a.summary(m.key)
		}
		results = append(results, r)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(results)
}
