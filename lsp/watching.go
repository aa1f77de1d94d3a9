package lsp

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/lsp/watch"
	"github.com/agent-ls/agent-ls/workspace"
)

// startWatching watches the workspace's folders, by ourselves and by what the
// client sees, where it takes a registration.
func (s *Server) startWatching() {
	if s.client.watches {
		s.run(func() { s.registerWatching(s.conn.ctx) })
	}
	w, err := watch.New(watch.Options{
		Folders: s.foldersBelow, Changed: s.filesChanged, Logger: s.logger,
		Limited: func(message string) {
			s.note(protocol.MessageTypeWarning, "agent-ls: "+message+". Changes elsewhere are seen when a file is used.")
		},
	})
	if err != nil {
		s.logger.Warn("the workspace is not watched", "error", err)
		return
	}
	s.mu.Lock()
	s.watcher = w
	roots := s.folders.real()
	s.mu.Unlock()
	w.SetRoots(roots)
}

// real are the folders with their links resolved, as events name them.
func (f folders) real() []string {
	out := make([]string, len(f))
	for i, p := range f {
		out[i] = realPath(p)
	}
	return out
}

// registerAfter is how long the client is left alone after its start: it has
// enough to do then, and our own watching sees the files meanwhile.
const registerAfter = 200 * time.Millisecond

// registerWatching asks the client to tell of files too.
func (s *Server) registerWatching(ctx context.Context) {
	timer := time.NewTimer(registerAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	options, err := protocol.Marshal(protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}},
	})
	if err != nil {
		return
	}
	params := &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "agent-ls/files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}}
	if err := s.call(ctx, protocol.MethodClientRegisterCapability, params, nil); err != nil {
		s.logger.Debug("file events not registered", "error", err)
	}
}

// foldersBelow lists folders that are not ignored, for the watcher.
func (s *Server) foldersBelow(ctx context.Context, dir string, deep bool, fn func(path string)) error {
	view := s.backend.Workspace.View(workspace.ViewOptions{Cwd: dir, Roots: s.realFolders()})
	return view.Walk(ctx, dir, func(e workspace.Entry) error {
		if e.Unlisted() || !e.Dir || e.Overlay {
			return nil
		}
		fn(e.Path)
		if !deep {
			return fs.SkipDir
		}
		return nil
	})
}

func (s *Server) realFolders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folders.real()
}

// didChangeWatchedFiles takes what the client saw.
func (s *Server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) {
	var paths []string
	for _, c := range p.Changes {
		if path := filePath(c.URI); path != "" {
			paths = append(paths, path)
		}
	}
	s.mu.Lock()
	w := s.watcher
	s.mu.Unlock()
	if w != nil && len(paths) > 0 {
		w.Touched(paths)
	}
}

// filesChanged looks at the files of open documents again.
func (s *Server) filesChanged(paths []string) {
	for _, path := range s.docs.files() {
		if slices.ContainsFunc(paths, func(p string) bool { return p == path || below(p, path) }) {
			s.docs.touched(path)
		}
	}
	if s.observer != nil {
		s.observer.FilesChanged(paths)
	}
}

// below reports whether path is in the folder dir.
func below(dir, path string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
