package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// codeActionKind is that of the review's actions.
const codeActionKind protocol.CodeActionKind = "quickfix"

// codeLens gives the lenses of the review.
func (s *Server) codeLens(ctx context.Context, p *protocol.CodeLensParams) (any, error) {
	if s.reviewer == nil {
		return []protocol.CodeLens{}, nil
	}
	lenses, err := s.reviewer.Lenses(ctx, p.TextDocument.URI)
	if lenses == nil {
		lenses = []protocol.CodeLens{}
	}
	return lenses, err
}

// codeAction gives the actions of the review.
func (s *Server) codeAction(ctx context.Context, p *protocol.CodeActionParams) (any, error) {
	if s.reviewer == nil {
		return []protocol.CodeAction{}, nil
	}
	actions, err := s.reviewer.Actions(ctx, p.TextDocument.URI, p.Range)
	if actions == nil {
		actions = []protocol.CodeAction{}
	}
	return actions, err
}

// refreshLenses asks the client to ask for lenses again, where it can.
func (s *Server) refreshLenses(ctx context.Context) {
	if !s.client.lensRefresh {
		return
	}
	if err := s.call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil); err != nil {
		s.logger.Debug("lenses not refreshed", "error", err)
	}
}
