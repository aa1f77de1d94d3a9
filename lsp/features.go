package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// features are what the client offers, as far as it is used.
type features struct {
	name string // clientInfo.name
	// rich says that it declared the session methods; acp is what it declared.
	rich bool
	acp  json.RawMessage

	applyEdit       bool
	documentChanges bool
	// reloads says that it reads clean buffers again when their files change.
	reloads bool
	// asks says that it can put questions to the user.
	asks         bool
	progress     bool
	showDocument bool
	lensRefresh  bool
	content      bool // documents of our own scheme
	watches      bool // takes a registration for file events
	encoding     protocol.PositionEncodingKind
}

// noReload are clients, by their name, that keep the old text of a file that
// changes under a clean buffer until the user asks (contract §7, settled
// detail 9). As rich clients they save an edit of the buffer: a reload instead
// would come between the keys that the user types.
var noReload = map[string]bool{"Neovim": true, "Eglot": true, "helix": true}

// featuresOf reads the capabilities of a client.
func featuresOf(p *protocol.InitializeParams) features {
	f := features{name: p.ClientInfo.Name, encoding: encodingOf(p.Capabilities.General)}
	f.acp, f.rich = experimentalACP(p.Capabilities.Experimental)
	f.reloads = !noReload[f.name]
	if w := p.Capabilities.Workspace; w != nil {
		f.applyEdit = is(w.ApplyEdit)
		f.documentChanges = w.WorkspaceEdit != nil && is(w.WorkspaceEdit.DocumentChanges)
		f.lensRefresh = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
		f.content = w.TextDocumentContent != nil
		f.watches = w.DidChangeWatchedFiles != nil && is(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	if w := p.Capabilities.Window; w != nil {
		// There is no capability for questions. Clients that have no window at
		// all have nowhere to put one, and some of them never answer.
		f.asks = true
		f.progress = is(w.WorkDoneProgress)
		f.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	return f
}

func is(b *bool) bool { return b != nil && *b }

// experimentalACP finds experimental.acp.
func experimentalACP(experimental protocol.LSPAny) (acp json.RawMessage, ok bool) {
	var e struct {
		ACP json.RawMessage `json:"acp"`
	}
	if len(experimental) == 0 || json.Unmarshal(experimental, &e) != nil || len(e.ACP) == 0 || e.ACP[0] != '{' {
		return nil, false
	}
	return e.ACP, true
}

// encodings are those that we know.
var encodings = map[protocol.PositionEncodingKind]diff.Encoding{
	protocol.PositionEncodingKindUTF8:  diff.UTF8,
	protocol.PositionEncodingKindUTF16: diff.UTF16,
	protocol.PositionEncodingKindUTF32: diff.UTF32,
}

// encodingOf is the first of the client's encodings that we know, UTF-16 when
// it names none (settled detail 7).
func encodingOf(g *protocol.GeneralClientCapabilities) protocol.PositionEncodingKind {
	if g != nil {
		for _, kind := range g.PositionEncodings {
			if _, known := encodings[kind]; known {
				return kind
			}
		}
	}
	return protocol.PositionEncodingKindUTF16
}
