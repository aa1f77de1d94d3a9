package main

import (
	"cmp"
	"context"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools/confine"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// runner is where the commands of s run: in the client's terminals where it has
// some, else here; where they are to be confined always here.
func (a *app) runner(s *agent.Session) proc.Runner {
	open := cmp.Or[proc.Runner](s.FrontEnd().Runner, a.local)
	mode := confine.Mode(a.config.Bash.Sandbox)
	if mode == confine.Off {
		return open
	}
	return &confiningRunner{session: s, mode: mode, confined: a.local, open: open}
}

// confiningRunner confines the commands of a session, but not in the mode in
// which the user has given full access.
type confiningRunner struct {
	session        *agent.Session
	mode           confine.Mode
	confined, open proc.Runner
}

// Start starts c, see proc.Runner.
func (r *confiningRunner) Start(ctx context.Context, c proc.Command) (proc.Process, error) {
	if r.session.Mode() == permission.FullAccess {
		return r.open.Start(ctx, c)
	}
	bounds, err := confine.For(r.mode, append([]string{r.session.Cwd()}, r.session.Roots()...))
	if err != nil {
		return nil, err
	}
	c.Confine = bounds
	return r.confined.Start(ctx, c)
}
