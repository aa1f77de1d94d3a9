package host

import (
	"context"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// command is a line as it runs.
func command(line, dir string, env []acp.EnvVariable) proc.Command {
	c := proc.Command{Line: line, Dir: dir}
	for _, v := range env {
		c.Env = append(c.Env, v.Name+"="+v.Value)
	}
	return c
}

// permitCommand decides about a command that the agent wants to run through us.
// It belongs to the open call for it, else to one of its own, which ends with the
// decision: the agent's card shows the rest.
func (t *turn) permitCommand(ctx context.Context, line, dir string) error {
	t.mu.Lock()
	c := t.running(line)
	view := presentation.CallView(&presentation.TerminalCall{Title: line, Cwd: dir})
	intent := agent.Intent{
		Name: t.link.d.toolName("terminal"), View: view,
		Access: []tools.Access{{Kind: tools.AccessExecute, Command: line, Dir: dir}},
	}
	allowed := c != nil && c.allowed && c.commandLine() == line
	own := c == nil && !t.over
	if c != nil {
		intent.CallID, intent.View = c.id, c.view
	} else if own {
		t.endMessage()
		intent.CallID = t.feed.NewCallID()
		t.feed.Start(tools.Call{ID: intent.CallID, Name: intent.Name}, view, true)
	}
	t.mu.Unlock()
	var err error
	if p := t.decide(ctx, intent, allowed); !p.Allowed() {
		err = notAllowed("the command", p.Why)
	}
	if own {
		t.endOwn(intent.CallID, err, nil)
	}
	return err
}

// running returns the open call whose command a line is; else the only open call
// of a command, which agents may tell differently. t.mu is held.
func (t *turn) running(line string) *card {
	var open []*card
	for _, c := range t.cards {
		switch {
		case c.done || !c.command || c.terminal != nil:
		case c.commandLine() == line:
			return c
		default:
			open = append(open, c)
		}
	}
	if len(open) == 1 {
		return open[0]
	}
	return nil
}

// terminalOutput serves terminal/output.
func (l *link) terminalOutput(_ context.Context, t *terminal) (any, error) {
	t.mu.Lock()
	r := acp.TerminalOutputResponse{Output: t.kept.String(), Truncated: t.kept.Truncated()}
	t.mu.Unlock()
	r.ExitStatus = t.wireStatus()
	return r, nil
}

// waitForExit serves terminal/wait_for_exit.
func (l *link) waitForExit(ctx context.Context, t *terminal) (any, error) {
	select {
	case <-t.done:
		return *t.wireStatus(), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// killTerminal serves terminal/kill: the terminal stays.
func (l *link) killTerminal(_ context.Context, t *terminal) (any, error) {
	t.process.Stop()
	return acp.Empty{}, nil
}

// releaseTerminal serves terminal/release.
func (l *link) releaseTerminal(_ context.Context, t *terminal) (any, error) {
	if l.terminals.release(t.id) != nil {
		t.end()
	}
	return acp.Empty{}, nil
}
