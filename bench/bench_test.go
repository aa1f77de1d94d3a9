package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/internal/modelserver"
)

// fakeArg makes the test binary an agent.
const fakeArg = "fake-agent"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fakeArg {
		fake(os.Stdin, os.Stdout, os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// fake is an agent that completes every call of a prompt without doing
// anything; with the argument "refuse" it opens no session.
func fake(in io.Reader, out io.Writer, args []string) {
	refuse := len(args) > 0 && args[0] == "refuse"
	send := func(format string, args ...any) { fmt.Fprintf(out, `{"jsonrpc":"2.0",`+format+"}\n", args...) }
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Prompt []struct{ Text string } }
		}
		if json.Unmarshal(line, &m) != nil || m.Method == "" {
			continue
		}
		switch {
		case m.Method == "session/new" && refuse:
			send(`"id":%s,"error":{"code":-32000,"message":"log in first"}`, m.ID)
			continue
		case m.Method == "session/new":
			send(`"id":%s,"result":{"sessionId":"s1","modes":{"availableModes":[{"id":"ask"},{"id":"full-access"}]}}`, m.ID)
			continue
		case m.Method == "session/prompt":
			send(`"id":7,"method":"session/request_permission","params":{"options":[{"optionId":"yes"}]}`)
			for range strings.Count(m.Params.Prompt[0].Text, "\n") {
				send(`"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","status":"completed"}}`)
			}
		}
		send(`"id":%s,"result":{}`, m.ID)
	}
}

// TestBench measures the fake agent beside itself, as a table and as JSON.
func TestBench(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("measures on Unix")
	}
	var out, errOut bytes.Buffer
	command := []string{"--runs", "2", "--vs", os.Args[0] + " " + fakeArg, "--", os.Args[0], fakeArg}
	if err := bench(t.Context(), command, &out, &errOut); err != nil {
		t.Fatal(err)
	}
	for _, m := range metrics {
		if !strings.Contains(out.String(), m.name) {
			t.Errorf("the table has no row %q:\n%s", m.name, &out)
		}
	}
	out.Reset()
	if err := bench(t.Context(), append([]string{"--json"}, command...), &out, &errOut); err != nil {
		t.Fatal(err)
	}
	var results []struct{ Metrics map[string]*summary }
	if err := json.Unmarshal(out.Bytes(), &results); err != nil || len(results) != 2 {
		t.Fatalf("%v in\n%s", err, &out)
	}
	for _, key := range []string{"initialize", "new", "first_read", "read", "true", "exit"} {
		if s := results[1].Metrics[key]; s == nil || s.Runs != 2 || s.Median <= 0 {
			t.Errorf("%s is %+v", key, s)
		}
	}
	if s := results[0].Metrics["first_byte"]; s != nil {
		t.Errorf("the fake agent runs no commands, but its first byte came after %v", s)
	}
}

// TestModelBench measures this tree's program with a model's server.
func TestModelBench(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("measures on Unix")
	}
	command, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{command: command, model: &ours}
	s, err := a.run(t.Context(), t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modelMetrics {
		if m.key == "peak" && runtime.GOOS != "linux" {
			continue
		}
		if s[m.key] <= 0 {
			t.Errorf("%s is %v", m.key, s[m.key])
		}
	}
}

// TestPeersAreSetUp writes what the peers read.
func TestPeersAreSetUp(t *testing.T) {
	for _, p := range fromNPM {
		home := t.TempDir()
		if _, env, err := p.use.setup(home, "http://127.0.0.1:1"); err != nil || len(env) == 0 {
			t.Errorf("%s: %q, %v", p.pkg, env, err)
		}
		for _, c := range []func(string) modelserver.Call{p.use.read, p.use.command} {
			if got := c("/w/a.txt"); got.Name == "" || !json.Valid([]byte(got.Arguments)) {
				t.Errorf("%s: %+v", p.pkg, got)
			}
		}
	}
}

// TestBenchErrors checks that what goes wrong is said.
func TestBenchErrors(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"--runs 0", "--runs"},
		{"--runs x", "invalid value"},
		{"-- no-such-agent", "no-such-agent"},
		{"-- " + os.Args[0] + " " + fakeArg + " refuse", "log in first"},
		{"-- " + os.Args[0] + " -test.run=^$", "has left"},
	} {
		var out bytes.Buffer
		if err := bench(t.Context(), strings.Fields(row.args), &out, &out); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("bench %s: %v, want an error with %q", row.args, err, row.want)
		}
	}
	if err := bench(t.Context(), []string{"-h"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := bench(stopped, []string{"--", os.Args[0], fakeArg}, io.Discard, io.Discard); err == nil {
		t.Error("an interrupted bench succeeds")
	}
}

func TestSummary(t *testing.T) {
	for _, row := range []struct {
		values []float64
		want   string
	}{
		{nil, "n/a"},
		{[]float64{3}, "3.00 (3.00–3.00)"},
		{[]float64{9, 1, 2}, "2.00 (1.00–9.00)"},
		{[]float64{4, 1, 2, 3}, "2.50 (1.00–4.00)"},
	} {
		a := &agent{}
		for _, v := range row.values {
			a.samples = append(a.samples, sample{"k": v}, sample{"other": 7})
		}
		if got := a.summary("k").String(); got != row.want {
			t.Errorf("%v: %s, want %s", row.values, got, row.want)
		}
	}
}
