package lsp

import (
	"go.lsp.dev/protocol"
)

// scheme is that of the documents that only we have.
const scheme = "agent-ls"

// capabilities are what the server offers this client. s.mu may be held or not:
// what is read here is set once.
func (s *Server) capabilities() protocol.ServerCapabilities {
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding: s.client.encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{}},
		CodeLensProvider: &protocol.CodeLensOptions{},
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{codeActionKind},
		},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes, ChangeNotifications: protocol.Boolean(true)},
		},
	}
	if s.client.content {
		c.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{scheme}}
	}
	if s.rich != nil {
		c.Experimental = protocol.LSPAny(`{"acp":{"initialize":"` + methodInitializeACP + `"}}`)
	}
	return c
}
