package lsp

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

func TestHandshakeAndExitCodes(t *testing.T) {
	for _, c := range []struct {
		name  string
		leave func(*setup)
		clean bool
	}{
		{"shutdown and exit", func(s *setup) {
			if r, err := s.request("shutdown", nil); err != nil || string(r) != "null" {
				t.Errorf("shutdown: %s, %v", r, err)
			}
			s.notify("exit", nil)
		}, true},
		{"exit alone", func(s *setup) { s.notify("exit", nil) }, false},
		{"end of input", func(s *setup) { s.out.Close() }, false},
		{"end of input after shutdown", func(s *setup) {
			_, _ = s.request("shutdown", nil)
			s.out.Close()
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, "vscode", world{})
			c.leave(s)
			if got := <-s.served; got.clean != c.clean || got.err != nil && !errors.Is(got.err, io.EOF) {
				t.Fatalf("clean %v, error %v", got.clean, got.err)
			}
		})
	}
}

func TestOrderOfTheLifecycle(t *testing.T) {
	s := start(t, "vscode", world{raw: true, files: map[string]string{"a.txt": "disk\n"}})
	if _, err := s.request("textDocument/codeLens", nil); code(err) != -32002 {
		t.Fatalf("before initialize: %v", err)
	}
	s.openWith("a.txt", "dropped\n")
	s.initialize(nil)
	if got := s.prompt("/read " + s.path("a.txt")); !strings.Contains(got.Transcript, "disk") {
		t.Fatalf("a didOpen before initialize counts: %s", got.Transcript)
	}
	if _, err := s.request("initialize", s.params()); code(err) != -32600 {
		t.Fatalf("second initialize: %v", err)
	}
	if _, err := s.request("shutdown", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.request("textDocument/codeLens", nil); code(err) != -32600 {
		t.Fatalf("after shutdown: %v", err)
	}
}

func TestUnknownMethods(t *testing.T) {
	s := start(t, "bare", world{})
	for _, m := range []string{"no/such", "$/noSuch", "session/new", "_ext"} {
		if _, err := s.request(m, map[string]any{}); code(err) != -32601 {
			t.Errorf("%s: %v", m, err)
		}
		s.notify(m, map[string]any{})
	}
	s.notify("textDocument/didChange", map[string]any{"textDocument": 7})
	if _, err := s.request("no/such", nil); code(err) != -32601 {
		t.Fatalf("the connection is not alive: %v", err)
	}
}

func TestParentDeath(t *testing.T) {
	var dead atomic.Bool
	s := start(t, "vscode", world{
		change: func(o *Options, _ *Backend) {
			if o != nil {
				o.ParentPoll, o.ParentAlive = time.Millisecond, func(int) bool { return !dead.Load() }
			}
		},
		params: func(p map[string]any) { p["processId"] = 4711 },
	})
	dead.Store(true)
	if got := <-s.served; got.clean || !errors.Is(got.err, ErrParentGone) {
		t.Fatalf("clean %v, error %v", got.clean, got.err)
	}
}

func TestProcessAlive(t *testing.T) {
	if !processAlive(os.Getpid()) {
		t.Fatal("this process is not alive")
	}
}

func TestOpenRefuses(t *testing.T) {
	s := start(t, "vscode", world{raw: true, change: func(o *Options, _ *Backend) {
		if o != nil {
			o.Open = func(Setup) (*Backend, error) { return nil, errors.New("no such model") }
		}
	}})
	if _, err := s.request("initialize", s.params()); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Fatalf("initialize: %v", err)
	}
}

// TestRecordedClients initializes as six editors do, and serves each of them.
func TestRecordedClients(t *testing.T) {
	for file, want := range map[string]struct {
		encoding diff.Encoding
		features features
	}{
		"ale-3.3.0":    {diff.UTF16, features{reloads: true}},
		"eglot-30.1":   {diff.UTF32, features{name: "Eglot", applyEdit: true, documentChanges: true, asks: true, progress: true, showDocument: true}},
		"helix-25.01":  {diff.UTF8, features{name: "helix", applyEdit: true, documentChanges: true, asks: true, progress: true}},
		"nvim-0.10.4":  {diff.UTF16, features{name: "Neovim", applyEdit: true, asks: true, progress: true, showDocument: true}},
		"nvim-0.12.4":  {diff.UTF8, features{name: "Neovim", applyEdit: true, asks: true, progress: true, showDocument: true}},
		"vscode-1.139": {diff.UTF16, features{name: "code-server", applyEdit: true, documentChanges: true, reloads: true, asks: true, progress: true, showDocument: true}},
	} {
		t.Run(file, func(t *testing.T) {
			personalities["recorded "+file] = personality{file: file, stale: "reject"}
			defer delete(personalities, "recorded "+file)
			s := start(t, "recorded "+file, world{files: map[string]string{"a.txt": "text\n"}})
			if s.enc != want.encoding {
				t.Errorf("encoding %d, want %d", s.enc, want.encoding)
			}
			got := s.server.client
			got.encoding, got.lensRefresh, got.content, got.watches = "", false, false, false // vary by version
			if !equalFeatures(got, want.features) {
				t.Errorf("features %+v, want %+v", got, want.features)
			}
			s.open("a.txt")
			s.typeAfter("a.txt", "text", " 😀 typed")
			if out := s.prompt("/read " + s.path("a.txt")); !strings.Contains(out.Transcript, "text 😀 typed") {
				t.Errorf("unsaved text is not read: %s", out.Transcript)
			}
		})
	}
}

func equalFeatures(a, b features) bool {
	x, y := a, b
	x.acp, y.acp = nil, nil
	return x.name == y.name && x.rich == y.rich && x.applyEdit == y.applyEdit && x.documentChanges == y.documentChanges &&
		x.reloads == y.reloads && x.asks == y.asks && x.progress == y.progress && x.showDocument == y.showDocument
}

func TestCapabilities(t *testing.T) {
	s := start(t, "vscode", world{})
	var c struct {
		TextDocumentSync struct {
			OpenClose bool
			Change    int
			Save      any
		}
		ExecuteCommandProvider struct{ Commands []string }
		HoverProvider          any
		DiagnosticProvider     any
		SemanticTokensProvider any
		Workspace              struct {
			WorkspaceFolders struct{ Supported, ChangeNotifications bool }
		}
	}
	if err := json.Unmarshal(s.editor.server, &c); err != nil {
		t.Fatal(err)
	}
	if !c.TextDocumentSync.OpenClose || c.TextDocumentSync.Change != 2 || c.TextDocumentSync.Save == nil {
		t.Errorf("textDocumentSync: %s", s.editor.server)
	}
	if !slices.Equal(c.ExecuteCommandProvider.Commands, commandNames()) || len(commandNames()) != 16 {
		t.Errorf("commands: %v", c.ExecuteCommandProvider.Commands)
	}
	if c.HoverProvider != nil || c.DiagnosticProvider != nil || c.SemanticTokensProvider != nil {
		t.Errorf("more than there is: %s", s.editor.server)
	}
	if w := c.Workspace.WorkspaceFolders; !w.Supported || !w.ChangeNotifications {
		t.Errorf("workspaceFolders: %s", s.editor.server)
	}
}

func TestWorkspaceFoldersBoundTheSession(t *testing.T) {
	s := start(t, "vscode", world{mode: "read-only", files: map[string]string{"a.txt": "first\n"}})
	other := filepath.Join(filepath.Dir(s.dir), "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(other, "b.txt")
	if err := os.WriteFile(path, []byte("second\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reads := func() bool { return strings.Contains(s.prompt("/read "+path).Transcript, "second") }
	if reads() {
		t.Fatal("outside the folders, but read")
	}
	before := s.prompt("/read " + s.path("a.txt")).SessionID
	folder := []any{map[string]string{"uri": s.uri("file://" + other), "name": "other"}}
	s.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": folder, "removed": []any{}}})
	if !reads() {
		t.Fatal("not read after its folder was added")
	}
	s.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": folder}})
	if reads() {
		t.Fatal("read after its folder was removed")
	}
	if after := s.prompt("/read " + s.path("a.txt")).SessionID; after != before {
		t.Fatal("the session is another one")
	}
}

func TestNoFolders(t *testing.T) {
	s := start(t, "vscode", world{params: func(p map[string]any) {
		p["workspaceFolders"], p["rootUri"], p["rootPath"] = nil, nil, nil
	}})
	if got := s.prompt("hello"); got.StopReason != "end_turn" {
		t.Fatalf("stop reason %s", got.StopReason)
	}
}

func TestWarningsAreShown(t *testing.T) {
	s := start(t, "vscode", world{change: func(_ *Options, b *Backend) {
		if b != nil {
			b.Warnings = []string{"unknown key modell"}
		}
	}})
	s.until("the warning", func() bool { return slices.Contains(s.messages, "unknown key modell") })
}
