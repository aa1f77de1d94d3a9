package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
)

// loginsTime bounds how long the answer to initialize waits for the ways to log
// in: clients give it ten seconds and more (acp.md §2.1).
const loginsTime = 5 * time.Second

// Accounts are what the user of a client may have to log in to.
type Accounts interface {
	// Logins are the ways to log in, and whether one can log out again. It is
	// asked once, when the client initializes; what is not known when ctx ends is
	// not offered.
	Logins(ctx context.Context) (ways []Login, logout bool)
	// Login logs in by one of the ways; an error says what is missing.
	Login(ctx context.Context, id string) error
	// Logout ends what Login began.
	Logout(ctx context.Context) error
}

// Login is a way to log in: Description says what the user does for it.
type Login struct {
	ID, Name, Description string
	// Args, when set, are what the client adds to the command line of this
	// program to let the user log in by a terminal.
	Args []string
}

// offer is what of Accounts a client was offered.
type offer struct {
	ways   []Login
	logout bool
}

// offered returns the ways to log in that the client can go.
func (s *Server) offered() offer {
	s.offering.Do(func() {
		if s.o.Accounts == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), loginsTime)
		defer cancel()
		ways, logout := s.o.Accounts.Logins(ctx)
		if !s.capabilities().Auth.Terminal {
			ways = slices.DeleteFunc(ways, func(l Login) bool { return len(l.Args) > 0 })
		}
		s.offer = offer{ways, logout}
	})
	return s.offer
}

// methods are the ways on the wire.
func (o offer) methods() []acp.AuthMethod {
	methods := []acp.AuthMethod{}
	for _, l := range o.ways {
		if len(l.Args) > 0 {
			methods = append(methods, acp.AuthMethodTerminal{ID: l.ID, Name: l.Name, Description: l.Description, Args: l.Args})
			continue
		}
		methods = append(methods, acp.AuthMethodAgent{ID: l.ID, Name: l.Name, Description: l.Description})
	}
	return methods
}

// authenticate logs in by a way that the client was offered; it answers when
// that is done.
func (s *Server) authenticate(ctx context.Context, p acp.AuthenticateRequest) (any, error) {
	jsonrpc2.Async(ctx)
	var ids []string
	for _, l := range s.offered().ways {
		if len(l.Args) > 0 {
			continue // the client runs it
		}
		if ids = append(ids, l.ID); l.ID != p.MethodID {
			continue
		}
		if err := s.o.Accounts.Login(ctx, l.ID); err != nil {
			return nil, acp.Errorf(acp.CodeAuthRequired, "%v", err)
		}
		return acp.Empty{}, nil
	}
	if len(ids) == 0 {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s: there is nothing to log in to", acp.MethodAuthenticate)
	}
	return nil, acp.InvalidParams("methodId: unknown method %q, expected one of %s", p.MethodID, strings.Join(ids, ", "))
}

// logout logs out where that was offered.
func (s *Server) logout(ctx context.Context, _ acp.Empty) (any, error) {
	jsonrpc2.Async(ctx)
	if !s.offered().logout {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s: there is nothing to log out of", acp.MethodLogout)
	}
	if err := s.o.Accounts.Logout(ctx); err != nil {
		return nil, acp.Errorf(jsonrpc2.InternalError, "the logout failed: %v", err)
	}
	return acp.Empty{}, nil
}
