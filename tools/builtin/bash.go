package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/tools/proc"
)

//go:embed bash.md
var bashDescription string

// BashArgs are the parameters of bash (contract §4).
type BashArgs struct {
	Command         string `json:"command" desc:"The command line." pattern:"\\S"`
	Description     string `json:"description,omitzero" desc:"What the command is for, in a few words." pattern:"\\S"`
	Workdir         string `json:"workdir,omitzero" desc:"The folder to run in." pattern:"\\S"`
	TimeoutMS       int    `json:"timeout_ms,omitzero" desc:"The time the command may take, in milliseconds." min:"1"`
	RunInBackground bool   `json:"run_in_background,omitzero" desc:"Start the command and answer with its task id."`
}

// The times of a command (tools.md §3.10.3).
const (
	bashTimeout    = 120 * time.Second
	bashMaxTimeout = 600 * time.Second
	// bashAbortPatience is how long a cancelled call waits for its command:
	// the turn goes on while a command that ignores TERM is being killed
	// (contract §7, settled 13).
	bashAbortPatience = time.Second
)

// Bash returns the bash tool (tools.md §2.4, §3.10).
func Bash(o Options) *tools.Definition {
	return tools.Define(tools.Spec[BashArgs]{
		Name: "bash", Label: "Run command", Description: o.bashDescription(), Source: tools.SourceBuiltin,
		Prepare: tools.Aliases(map[string]string{"timeoutMs": "timeout_ms", "runInBackground": "run_in_background"}),
		Access: func(a BashArgs) []tools.Access {
			return []tools.Access{{Kind: tools.AccessExecute, Command: a.Command, Dir: cmp.Or(a.Workdir, o.BashCwd)}}
		},
		Execute:       o.bash,
		PresentCall:   presentBashCall,
		PresentResult: presentBashResult,
	})
}

// bashDescription names the shell of this system and the limits.
func (o Options) bashDescription() string {
	return strings.NewReplacer(
		"{shell}", proc.FindShell().Name,
		"{keep}", strconv.Itoa(proc.DefaultKeep),
		"{timeout}", milliseconds(o.bashTimeout(0)),
		"{max_timeout}", milliseconds(o.bashMaxTimeout()),
	).Replace(bashDescription)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// bashTimeout is the time of a command that asks for so many milliseconds, 0
// for none.
func (o Options) bashTimeout(requested int) time.Duration {
	most := o.bashMaxTimeout()
	switch {
	case requested > 0:
		return time.Duration(min(int64(requested), most.Milliseconds())) * time.Millisecond
	case o.BashTimeout > 0:
		return min(o.BashTimeout, most)
	}
	return min(bashTimeout, most)
}

func (o Options) bashMaxTimeout() time.Duration {
	if o.BashMaxTimeout > 0 {
		return o.BashMaxTimeout
	}
	return bashMaxTimeout
}

func (o Options) bash(ctx context.Context, a BashArgs, tc *tools.Context) (tools.Result, error) {
	runner, err := tools.Resolve(ctx, tc, Runner)
	if err != nil {
		return tools.Result{}, err
	}
	spill := newBashSpill(ctx, tc)
	c := proc.Command{Line: a.Command, Dir: o.bashDir(a.Workdir, tc.Cwd), Spill: spill.create()}
	if a.RunInBackground {
		return bashInBackground(ctx, c, runner, tc)
	}
	c.Timeout = o.bashTimeout(a.TimeoutMS)
	c.Output = func(text string) { tc.Emit(tools.Output{Text: text}) }
	exit, err := bashInForeground(ctx, c, runner, tc)
	if err != nil {
		return tools.Result{}, err
	}
	if exit.Denied != "" { // the user wants to know as well
		c.Output(sandboxMarker(exit.Denied) + "\n")
	}
	limitLines(&exit.Stdout, proc.StreamStdout, o.BashMaxStdoutLines, spill)
	limitLines(&exit.Stderr, proc.StreamStderr, o.BashMaxStderrLines, spill)
	return bashResult(c, exit, spill), nil
}

// bashDir is where a command runs: an absolute workdir wins, any other is
// relative to the session's folder, and so is the default of the options
// (tools.md §3.10.12).
func (o Options) bashDir(workdir, cwd string) string {
	workdir = cmp.Or(workdir, o.BashCwd)
	if filepath.IsAbs(workdir) {
		return filepath.Clean(workdir)
	}
	return filepath.Join(cwd, workdir)
}

// bashInForeground runs c to its end.
func bashInForeground(ctx context.Context, c proc.Command, runner proc.Runner, tc *tools.Context) (proc.Exit, error) {
	p, err := runner.Start(ctx, c)
	if err != nil {
		return proc.Exit{}, bashError(ctx, err)
	}
	defer p.Release()
	if id := p.Terminal(); id != "" {
		tc.Emit(tools.TerminalAttached{TerminalID: id})
	}
	patient, cancel := patience(ctx, bashAbortPatience)
	defer cancel()
	exit, err := p.Wait(patient)
	if err != nil {
		return proc.Exit{}, bashError(ctx, err)
	}
	return exit, nil
}

// patience returns a context that ends d after ctx: a command ends with ctx,
// and that is worth waiting for.
func patience(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	patient, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(d, func() { cancel(context.Cause(ctx)) })
	})
	return patient, func() { stop(); cancel(nil) }
}

// bashError is the failure of a command that has no outcome: err, or its abort
// when ctx has ended (tools.md §3.10.11).
func bashError(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return bashAborted(context.Cause(ctx))
}

func bashAborted(cause error) *tools.Error {
	return &tools.Error{
		Name: "AbortError", Code: tools.CodeAborted, Message: "command aborted",
		Hint: "Run it again only if it is still wanted", Err: cause,
	}
}

// bashInBackground starts c as a task of the session.
func bashInBackground(ctx context.Context, c proc.Command, runner proc.Runner, tc *tools.Context) (tools.Result, error) {
	tasks, err := tools.Resolve(ctx, tc, Tasks)
	if err != nil {
		return tools.Result{}, err
	}
	id, err := tasks.Start(tc.Session, runner, c)
	if err != nil {
		return tools.Result{}, err
	}
	r := tools.TextResult("started background task " + id)
	r.Details = mustJSON(map[string]string{"taskId": id, "command": c.Line, "cwd": c.Dir})
	return r, nil
}

// bashSpill is where the full output of a call goes.
type bashSpill struct {
	store   *cache.Store // nil when the session keeps no output
	session string
	call    string
}

func newBashSpill(ctx context.Context, tc *tools.Context) bashSpill {
	store, err := tools.Resolve(ctx, tc, Outputs)
	if err != nil {
		// Without a store the full output is unavailable, and said to be.
		tc.Logger.Debug("full output of commands is not kept", "error", err)
	}
	return bashSpill{store: store, session: tc.Session, call: tc.CallID}
}

// create returns proc.Command.Spill, whose refs are the paths of files.
func (s bashSpill) create() func(stream string) (io.WriteCloser, string, error) {
	if s.store == nil {
		return nil
	}
	return func(stream string) (io.WriteCloser, string, error) {
		w, _, path, err := s.store.Create(s.session, s.call+"-"+stream)
		return w, path, err
	}
}

// put stores a text that is complete and returns its path, "" when it cannot.
func (s bashSpill) put(stream, text string) string {
	if s.store == nil {
		return ""
	}
	_, path, err := s.store.Put(s.session, s.call+"-"+stream, text)
	if err != nil {
		return ""
	}
	return path
}

// ref returns the ref of the output at path, "" for none.
func (s bashSpill) ref(path string) string {
	if s.store == nil || path == "" {
		return ""
	}
	ref, _ := s.store.RefOf(path)
	return string(ref)
}

// limitLines keeps the last most lines of c, 0 for all (seed 001
// maxStdoutLines).
func limitLines(c *proc.Captured, stream string, most int, spill bashSpill) {
	if most <= 0 {
		return
	}
	kept := lastLines(c.Text, most)
	if len(kept) == len(c.Text) {
		return
	}
	if !c.Truncated {
		c.Ref = spill.put(stream, c.Text)
	}
	c.Text, c.Truncated = kept, true
}

// lastLines returns the last n lines of text.
func lastLines(text string, n int) string {
	before := len(strings.TrimSuffix(text, "\n")) // of the lines to keep
	for range n {
		if before = strings.LastIndexByte(text[:before], '\n'); before < 0 {
			return text
		}
	}
	return text[before+1:]
}

// bashDetails are the structured side of a command (seed 001); ExitCode is
// null when there is none.
type bashDetails struct {
	Command   string `json:"command"`
	Cwd       string `json:"cwd"`
	ExitCode  *int   `json:"exitCode"`
	Signal    string `json:"signal,omitempty"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated bool   `json:"truncated"`
}

// bashMeta is how a command ended, for presentBashResult (tools.md §3.10.21).
type bashMeta struct {
	ExitCode *int     `json:"exitCode,omitempty"`
	Signal   string   `json:"signal,omitempty"`
	TimedOut bool     `json:"timedOut,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// bashResult is the result of a command that ended, however it did. One that
// was aborted has failed, with the output that it had until then.
func bashResult(c proc.Command, e proc.Exit, spill bashSpill) tools.Result {
	// Sequences for a terminal are noise to a model (tools.md §2.4.2).
	e.Stdout.Text = presentation.StripANSI(e.Stdout.Text)
	e.Stderr.Text = presentation.StripANSI(e.Stderr.Text)
	r := tools.TextResult(bashText(e, c.Timeout, spill.ref))
	if e.Aborted {
		aborted := bashAborted(nil)
		r.IsError, r.Error = true, &tools.ErrorInfo{Name: aborted.Name, Code: aborted.Code}
	}
	r.Details = mustJSON(bashDetails{
		Command: c.Line, Cwd: c.Dir, ExitCode: e.Code, Signal: e.Signal,
		Stdout: e.Stdout.Text, Stderr: e.Stderr.Text, Truncated: e.Stdout.Truncated || e.Stderr.Truncated,
	})
	r.Meta = mustJSON(bashMeta{ExitCode: e.Code, Signal: e.Signal, TimedOut: e.TimedOut, Notes: bashNotes(e, c.Timeout)})
	if r.OutputRef = spill.ref(e.Stdout.Ref); r.OutputRef == "" {
		r.OutputRef = spill.ref(e.Stderr.Ref)
	}
	return r
}

// presentBashCall shows a command as a terminal, one in the background as a
// generic card (tools.md §3.10.19).
func presentBashCall(a BashArgs) presentation.CallView {
	if !a.RunInBackground {
		return &presentation.TerminalCall{Title: a.Command, Description: a.Description, Cwd: a.Workdir}
	}
	card := &presentation.GenericCall{Title: a.Command, Kind: presentation.KindExecute, RawInput: rawString(a.Command)}
	if a.Description != "" {
		card.Content = []presentation.Block{presentation.Text(a.Description)}
	}
	return card
}

// presentBashResult shows the model's text in the terminal, errors and what
// the background answered in a fence (tools.md §3.10.20).
func presentBashResult(a BashArgs, r tools.Result) presentation.ResultView {
	if len(r.Content) != 1 || r.Content[0].Type != presentation.BlockText {
		return nil
	}
	text := r.Content[0].Text
	if r.IsError || a.RunInBackground {
		return fenced(text)
	}
	view := &presentation.TerminalResult{Output: text}
	var meta bashMeta
	if json.Unmarshal(r.Meta, &meta) != nil {
		meta = parseBashExit(text)
	}
	view.Notes = meta.Notes
	if view.Signal = meta.Signal; view.Signal == "" {
		view.ExitCode = meta.ExitCode
	}
	return view
}

// fenced is a generic card with text in a console fence.
func fenced(text string) *presentation.GenericResult {
	return &presentation.GenericResult{Content: []presentation.Block{presentation.Text(presentation.ConsoleFence(text))}}
}

// parseBashExit reads how a command ended from the last line of its text, as
// results of older versions have it; without a marker that is exit code 0.
func parseBashExit(text string) bashMeta {
	code := 0
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if len(last) == len(text) {
		return bashMeta{ExitCode: &code}
	}
	if signal, ok := strings.CutPrefix(last, "[killed by signal: "); ok && strings.HasSuffix(signal, "]") {
		return bashMeta{Signal: strings.TrimSuffix(signal, "]")}
	}
	if _, err := fmt.Sscanf(last, "[exit code: %d]", &code); err != nil || last != exitMarker(code) {
		code = 0
	}
	return bashMeta{ExitCode: &code}
}
