package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// A tool is a name, a description, a struct of arguments and a function.
func ExampleDefine() {
	type countArgs struct {
		Text string `json:"text" desc:"The text to count in."`
		Word string `json:"word,omitempty" desc:"Count only this word."`
	}
	count := tools.Define(tools.Spec[countArgs]{
		Name:        "count_words",
		Description: "Counts the words of a text, or how often one of them is there.",
		Access:      func(countArgs) []tools.Access { return nil }, // touches nothing, so nobody is asked
		Execute: func(_ context.Context, args countArgs, _ *tools.Context) (tools.Result, error) {
			n := 0
			for _, w := range strings.Fields(args.Text) {
				if args.Word == "" || w == args.Word {
					n++
				}
			}
			return tools.TextResult(fmt.Sprintf("%d words", n)), nil
		},
	})

	registry := tools.NewRegistry()
	if _, err := registry.Register(count); err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, registry.NewScope())
	run := &tools.Run{Session: "example"}
	for _, arguments := range []string{`{"text":"a rose is a rose"}`, `{"word":"rose"}`} {
		call := tools.Call{ID: "c1", Name: "count_words", Arguments: arguments}
		result := pipeline.ExecuteRaw(context.Background(), run, call)
		fmt.Println(result.Content[0].Text)
	}
	// Output:
	// 5 words
	// Error: invalid arguments: missing required property "text". Correct the arguments and call the tool again
}

// A tool that fails returns an error; a code lets programs tell it from others,
// and a hint tells the model what to do.
func ExampleError() {
	type getArgs struct {
		Key string `json:"key"`
	}
	get := tools.Define(tools.Spec[getArgs]{
		Name: "get",
		Execute: func(_ context.Context, args getArgs, _ *tools.Context) (tools.Result, error) {
			return tools.Result{}, &tools.Error{
				Name:    "StoreError",
				Code:    "KEY_NOT_FOUND",
				Message: fmt.Sprintf("there is no key %q", args.Key),
				Hint:    "List the keys first",
			}
		},
	})

	registry := tools.NewRegistry()
	if _, err := registry.Register(get); err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, nil)
	result := pipeline.ExecuteRaw(context.Background(), nil, tools.Call{Name: "get", Arguments: `{"key":"x"}`})
	fmt.Println(result.Content[0].Text)
	fmt.Println(result.Error.Name, result.Error.Code)
	// Output:
	// Error: there is no key "x". List the keys first
	// StoreError KEY_NOT_FOUND
}

// Presenters describe a call for every front end alike. They are pure: a
// session that is shown again calls them again.
func ExampleSpec_presenters() {
	type runArgs struct {
		Command string `json:"command"`
	}
	type runMeta struct {
		Output string `json:"output"`
		Code   int    `json:"code"`
	}
	run := tools.Define(tools.Spec[runArgs]{
		Name: "run",
		Access: func(args runArgs) []tools.Access {
			return []tools.Access{{Kind: tools.AccessExecute, Command: args.Command}}
		},
		Execute: func(_ context.Context, _ runArgs, _ *tools.Context) (tools.Result, error) {
			meta, err := json.Marshal(runMeta{Output: "hi\n", Code: 0})
			result := tools.TextResult("hi\n")
			result.Meta = meta // comes back to PresentResult, now and on replay
			return result, err
		},
		PresentCall: func(args runArgs) presentation.CallView {
			return &presentation.TerminalCall{Title: args.Command}
		},
		PresentResult: func(_ runArgs, result tools.Result) presentation.ResultView {
			var meta runMeta
			if result.IsError || json.Unmarshal(result.Meta, &meta) != nil {
				return nil // the generic card shows the raw content
			}
			return &presentation.TerminalResult{Output: meta.Output, ExitCode: &meta.Code}
		},
	})

	registry := tools.NewRegistry()
	if _, err := registry.Register(run); err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, nil)
	call := tools.Call{ID: "c1", Name: "run", Arguments: `{"command":"echo hi"}`}
	result := pipeline.ExecuteRaw(context.Background(), nil, call)
	x, pending := pipeline.Present(call)
	completed := pipeline.PresentResult(x, pending, result)
	fmt.Println(pending.(*presentation.TerminalCall).Title)
	fmt.Print(completed.(*presentation.TerminalResult).Output)
	// Output:
	// echo hi
	// hi
}

// A long call tells how it goes. Emit never blocks, and does nothing once the
// call has settled.
func ExampleContext_Emit() {
	type backupArgs struct {
		Files int `json:"files" min:"1"`
	}
	backup := tools.Define(tools.Spec[backupArgs]{
		Name: "backup",
		Execute: func(ctx context.Context, args backupArgs, tc *tools.Context) (tools.Result, error) {
			for i := range args.Files {
				if ctx.Err() != nil { // cancelled, or out of time
					return tools.Result{}, ctx.Err()
				}
				tc.Emit(tools.Progress{Content: []presentation.Block{
					presentation.Text(fmt.Sprintf("%d of %d files", i+1, args.Files)),
				}})
			}
			return tools.TextResult(fmt.Sprintf("%d files saved", args.Files)), nil
		},
	})

	registry := tools.NewRegistry()
	if _, err := registry.Register(backup); err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, nil)
	run := &tools.Run{Session: "example", Events: printer{}}
	pipeline.ExecuteRaw(context.Background(), run, tools.Call{ID: "c1", Name: "backup", Arguments: `{"files":2}`})
	// Output:
	// started: backup
	// update: 1 of 2 files
	// update: 2 of 2 files
	// finished: 2 files saved
}

// printer is a front end that prints what it is told.
type printer struct{}

func (printer) Started(x tools.Execution, _ presentation.CallView, _ bool) {
	fmt.Println("started:", x.Name)
}
func (printer) Planned(tools.Execution, presentation.CallView) {}
func (printer) Running(tools.Execution)                        {}
func (printer) Updated(_ tools.Execution, u tools.Update) {
	if p, ok := u.(tools.Progress); ok {
		fmt.Println("update:", p.Content[0].Text)
	}
}
func (printer) Finished(_ tools.Execution, r tools.Result, _ presentation.ResultView) {
	fmt.Println("finished:", r.Content[0].Text)
}

// A deadline belongs to the tool. The tool gets a context that ends in time;
// whatever it returns then, the model reads that it took too long.
func ExampleDefinition_deadline() {
	slow := tools.Define(tools.Spec[struct{}]{
		Name:    "slow",
		Timeout: 20 * time.Millisecond,
		Execute: func(ctx context.Context, _ struct{}, _ *tools.Context) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, errors.New("the connection was closed")
		},
	})

	registry := tools.NewRegistry()
	if _, err := registry.Register(slow); err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, nil)
	result := pipeline.ExecuteRaw(context.Background(), nil, tools.Call{Name: "slow"})
	fmt.Println(result.Content[0].Text, result.Error.Code)
	// Output:
	// Error: tool call timed out after 20ms TOOL_TIMEOUT
}

// A tool names what it needs by a key. A test, or an application, puts
// something else in its place.
func ExampleResolve() {
	clock := &tools.Key[time.Time]{
		ID: "clock",
		Create: func(_ context.Context, tc *tools.Context) (time.Time, error) {
			return tc.Now(), nil
		},
	}
	now := tools.Define(tools.Spec[struct{}]{
		Name: "now",
		Execute: func(ctx context.Context, _ struct{}, tc *tools.Context) (tools.Result, error) {
			t, err := tools.Resolve(ctx, tc, clock)
			if err != nil {
				return tools.Result{}, err
			}
			return tools.TextResult(t.Format(time.RFC3339)), nil
		},
	})

	registry := tools.NewRegistry()
	if _, err := registry.Register(now); err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, nil)
	overrides := tools.Overrides{}
	tools.Override(overrides, clock, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	run := &tools.Run{Session: "example", Deps: overrides}
	result := pipeline.ExecuteRaw(context.Background(), run, tools.Call{Name: "now"})
	fmt.Println(result.Content[0].Text)
	// Output:
	// 2026-01-02T03:04:05Z
}

// Structured output is a tool that a provider forces the model to call: its
// arguments are the answer, checked like any others.
func ExampleRegistry_structuredOutput() {
	type answerArgs struct {
		Verdict string   `json:"verdict" enum:"pass,fail" desc:"Whether the change is good."`
		Faults  []string `json:"faults"`
	}
	var answer answerArgs
	registry := tools.NewRegistry()
	_, err := registry.Register(tools.Define(tools.Spec[answerArgs]{
		Name:        "answer",
		Description: "Gives the final answer.",
		Execute: func(_ context.Context, args answerArgs, _ *tools.Context) (tools.Result, error) {
			answer = args
			result := tools.TextResult("Answer taken.")
			result.Terminate = true // the run may end here
			return result, nil
		},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}

	forced := registry.Schemas(nil)[0] // what a provider is told to have called
	pipeline := tools.NewPipeline(registry, nil)
	for _, arguments := range []string{
		`{"verdict":"perhaps","faults":[]}`,
		`{"verdict":"fail","faults":["no test"]}`,
	} {
		call := tools.Call{ID: "c1", Name: forced.Name, Arguments: arguments}
		results, done := pipeline.ExecuteBatch(context.Background(), nil, []tools.Call{call}, tools.BatchOptions{})
		fmt.Println(results[0].Content[0].Text, done)
	}
	fmt.Println(answer.Verdict, answer.Faults)
	// Output:
	// Error: invalid arguments: "verdict" must be one of ["pass","fail"]. Correct the arguments and call the tool again false
	// Answer taken. true
	// fail [no test]
}

// Listeners see every call and none of them changes its arguments: policies,
// audits and reminders hang on the seams of the pipeline.
func ExamplePipeline_seams() {
	registry := tools.NewRegistry()
	_, err := registry.Register(&tools.Definition{
		Name: "bash",
		Execute: func(context.Context, json.RawMessage, *tools.Context) (tools.Result, error) {
			return tools.TextResult("done"), nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	pipeline := tools.NewPipeline(registry, nil)
	block := tools.BeforeToolCall(func(_ context.Context, x tools.Execution) (*tools.Blocked, error) {
		if strings.Contains(string(x.Arguments), "rm -rf") {
			return &tools.Blocked{Reason: "Dangerous command blocked"}, nil
		}
		return nil, nil
	})
	dispose := pipeline.OnPreExecute(block.Listener())
	pipeline.OnResult(func(x tools.Execution, r tools.Result) {
		fmt.Println(x.Name, string(x.Arguments), "→", r.Content[0].Text)
	})

	call := tools.Call{ID: "c1", Name: "bash", Arguments: `{"command":"rm -rf /tmp/x"}`}
	pipeline.ExecuteRaw(context.Background(), nil, call)
	dispose()
	pipeline.ExecuteRaw(context.Background(), nil, call)
	// Output:
	// bash {"command":"rm -rf /tmp/x"} → Error: Dangerous command blocked
	// bash {"command":"rm -rf /tmp/x"} → done
}
