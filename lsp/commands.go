package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// command runs one command of workspace/executeCommand.
type command func(s *Server, ctx context.Context, name string, args []json.RawMessage) (any, error)

// commands are all commands (contract §7), filled by init since they name each
// other.
var commands map[string]command

func init() {
	commands = map[string]command{
		"agent-ls.prompt":         (*Server).promptCommand,
		"agent-ls.cancel":         (*Server).cancelCommand,
		"agent-ls.newSession":     released((*Server).newSessionCommand),
		"agent-ls.setMode":        released((*Server).setModeCommand),
		"agent-ls.setModel":       released((*Server).setModelCommand),
		"agent-ls.follow":         released((*Server).followCommand),
		"agent-ls.showTranscript": released((*Server).showTranscriptCommand),
	}
	for _, name := range reviewCommands {
		commands[name] = released((*Server).reviewCommand)
	}
}

// reviewCommands are those that a Reviewer runs.
var reviewCommands = []string{
	"agent-ls.keepHunk", "agent-ls.undoHunk", "agent-ls.keepFile", "agent-ls.undoFile", "agent-ls.keepAll", "agent-ls.undoAll",
	"agent-ls.undoDecision", "agent-ls.restoreCheckpoint", "agent-ls.checkpoints",
}

// released is c off the read loop.
func released(c command) command {
	return func(s *Server, ctx context.Context, name string, args []json.RawMessage) (any, error) {
		jsonrpc2.Async(ctx)
		return c(s, ctx, name, args)
	}
}

// commandNames are the names of all commands, sorted.
func commandNames() []string {
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// executeCommand serves workspace/executeCommand.
func (s *Server) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	run, ok := commands[p.Command]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q; expected one of %v", p.Command, commandNames())
	}
	return run(s, ctx, p.Command, rawArgs(p.Arguments))
}

// expected is the error of wrong arguments.
func expected(name, what string) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: expected %s", name, what)
}

// stringArg is the only argument of a command; optional allows none.
func stringArg(name string, args []json.RawMessage, what string, optional bool) (string, error) {
	if len(args) == 0 && optional {
		return "", nil
	}
	var s string
	if len(args) != 1 || args[0] == nil || json.Unmarshal(args[0], &s) != nil || s == "" {
		return "", expected(name, what)
	}
	return s, nil
}

// result is an answer that is encoded already.
func result(v any) (any, error) {
	raw, err := json.Marshal(v)
	return json.RawMessage(raw), err
}

// promptResult answers agent-ls.prompt.
type promptResult struct {
	SessionID  string         `json:"sessionId"`
	StopReason string         `json:"stopReason"`
	Transcript string         `json:"transcript"`
	Meta       map[string]any `json:"_meta,omitempty"`
}

// promptCommand runs one turn. It is registered before the order is released,
// so that a cancel in the next message hits it; prompts in a running turn queue.
func (s *Server) promptCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	text, err := stringArg(name, args, "[text], the prompt as one string", false)
	if err != nil {
		return nil, err
	}
	session, f, err := s.current(ctx)
	if err != nil {
		return nil, sessionError(err)
	}
	wait := s.submit(ctx, session, f, text)
	jsonrpc2.Async(ctx)
	out := wait()
	if out.err != nil {
		return nil, turnError(out.err)
	}
	r := promptResult{SessionID: session.ID(), StopReason: string(out.reason), Transcript: out.transcript}
	if s.backend.PromptMeta != nil {
		r.Meta = s.backend.PromptMeta(session)
	}
	return result(r)
}

// outcome is what became of a prompt.
type outcome struct {
	reason     agent.StopReason
	err        error
	transcript string
}

// submit registers a prompt; wait returns what became of it.
func (s *Server) submit(ctx context.Context, session *agent.Session, f *front, text string) (wait func() outcome) {
	var turn *turnText
	if f != nil {
		turn = f.expect()
	}
	done := make(chan outcome, 1)
	session.Submit(ctx, []presentation.Block{presentation.Text(text)}, func(reason agent.StopReason, err error) {
		o := outcome{reason: reason, err: err}
		if f != nil {
			o.transcript = f.done(turn)
		} else {
			o.transcript = s.turnTranscript(session)
		}
		done <- o
	})
	return func() outcome { return <-done }
}

// turnTranscript is the transcript of a session's last turn, from its log.
func (s *Server) turnTranscript(session *agent.Session) string {
	_, records, err := s.backend.Hub.Store().Read(session.ID())
	if err != nil {
		s.logger.Debug("no transcript of the turn", "session", session.ID(), "error", err)
		return ""
	}
	return transcript(session.Cwd(), lastTurn(records))
}

func sessionError(err error) error {
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "the session cannot be opened: %v", err)
}

// turnError is why a turn failed.
func turnError(err error) error {
	var provider *agent.ProviderError
	if errors.As(err, &provider) {
		return jsonrpc2.Errorf(jsonrpc2.InternalError, "the model's server failed: %s", provider.Message)
	}
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "the turn failed: %v", err)
}

// cancelCommand ends what runs in the current session. It waits for nothing.
func (s *Server) cancelCommand(_ context.Context, name string, args []json.RawMessage) (any, error) {
	if len(args) > 0 {
		return nil, expected(name, "no arguments")
	}
	if session, ok := s.backend.Hub.Current(s); ok {
		session.Cancel()
	}
	return nil, nil
}

func (s *Server) newSessionCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	if len(args) > 0 {
		return nil, expected(name, "no arguments")
	}
	session, _, err := s.newSession(ctx)
	if err != nil {
		return nil, sessionError(err)
	}
	return result(map[string]string{"sessionId": session.ID()})
}

func (s *Server) setModeCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	mode, err := stringArg(name, args, fmt.Sprintf("[mode], one of %v", modeNames()), false)
	if err != nil {
		return nil, err
	}
	return s.set(ctx, name, func(session *agent.Session) error { return session.SetMode(permission.Mode(mode)) })
}

func modeNames() []string {
	var names []string
	for _, m := range permission.Modes() {
		names = append(names, string(m.ID))
	}
	return names
}

func (s *Server) setModelCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	model, err := stringArg(name, args, "[name], the name of a model", false)
	if err != nil {
		return nil, err
	}
	return s.set(ctx, name, func(session *agent.Session) error { return session.SetModel(model) })
}

// set changes a setting of the current session.
func (s *Server) set(ctx context.Context, name string, change func(*agent.Session) error) (any, error) {
	session, _, err := s.current(ctx)
	if err != nil {
		return nil, sessionError(err)
	}
	if err := change(session); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", name, err)
	}
	return nil, nil
}

// followCommand turns following on or off and answers what it is now.
func (s *Server) followCommand(_ context.Context, name string, args []json.RawMessage) (any, error) {
	if len(args) == 0 {
		return result(s.follow.toggle())
	}
	var on *bool
	if len(args) != 1 || json.Unmarshal(args[0], &on) != nil || on == nil {
		return nil, expected(name, "[true] or [false], or no argument to toggle")
	}
	s.follow.set(*on)
	return result(*on)
}

// sessionIDPattern is what the ids of sessions look like.
var sessionIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (s *Server) showTranscriptCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	id, err := stringArg(name, args, "[session id], or no argument for the current session", true)
	if err != nil {
		return nil, err
	}
	if id == "" {
		session, ok := s.backend.Hub.Current(s)
		if !ok {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: there is no session yet; prompt first, or name a session", name)
		}
		id = session.ID()
	}
	if !sessionIDPattern.MatchString(id) {
		return nil, unknownSession(id)
	}
	shown, err := s.showTranscript(ctx, id)
	if err != nil {
		return nil, err
	}
	return result(shown)
}

// reviewCommand hands a command to the review.
func (s *Server) reviewCommand(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	if s.reviewer == nil {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s: there is no review: no hunk, file uri or checkpoint is known", name)
	}
	return s.reviewer.Command(ctx, name, args)
}
