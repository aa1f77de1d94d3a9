package agent

import (
	"context"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
)

// Login is a way to log in: Description says what the user does for it.
type Login struct{ ID, Name, Description string }

func (s *Server) authMethods() []acp.AuthMethod {
	methods := []acp.AuthMethod{}
	for _, l := range s.o.Logins {
		methods = append(methods, acp.AuthMethodAgent{ID: l.ID, Name: l.Name, Description: l.Description})
	}
	return methods
}

// authenticate looks for the key of a model's server again; it answers when
// there is one.
func (s *Server) authenticate(ctx context.Context, p acp.AuthenticateRequest) (any, error) {
	var ids []string
	for _, l := range s.o.Logins {
		if ids = append(ids, l.ID); l.ID != p.MethodID {
			continue
		}
		jsonrpc2.Async(ctx)
		if err := s.o.Login(ctx, l.ID); err != nil {
			return nil, acp.Errorf(acp.CodeAuthRequired, "%v", err)
		}
		return acp.Empty{}, nil
	}
	if len(ids) == 0 {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s: there is nothing to log in to", acp.MethodAuthenticate)
	}
	return nil, acp.InvalidParams("methodId: unknown method %q, expected one of %s", p.MethodID, strings.Join(ids, ", "))
}
