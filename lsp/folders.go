package lsp

import (
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// folders are the workspace's folders in the client's order. Only those that
// are files' are kept.
type folders []string

// foldersOf are the folders of initialize: workspaceFolders, else rootUri, else
// rootPath.
func foldersOf(p *protocol.InitializeParams) folders {
	var f folders
	if list, ok := p.WorkspaceFolders.Get(); ok {
		for _, w := range list {
			f = f.with(w.URI)
		}
	}
	if len(f) == 0 && p.RootURI != nil {
		f = f.with(*p.RootURI)
	}
	if root, ok := p.RootPath.Get(); ok && len(f) == 0 && filepath.IsAbs(root) {
		f = append(f, filepath.Clean(root))
	}
	return f
}

// folderPath is the path of a folder as the client spells it, "" for none.
func folderPath(u uri.URI) string {
	if !u.IsFile() || u.Path() == "" {
		return ""
	}
	return filepath.Clean(u.FsPath())
}

func (f folders) with(u uri.URI) folders {
	path := folderPath(u)
	if path == "" || slices.Contains(f, path) {
		return f
	}
	return append(slices.Clip(f), path)
}

func (f folders) without(u uri.URI) folders {
	path := folderPath(u)
	return slices.DeleteFunc(slices.Clone(f), func(p string) bool { return p == path })
}

func (f folders) paths() []string { return slices.Clone(f) }

// didChangeWorkspaceFolders moves the bounds of sessions to come, and of the
// present ones of commands at their next prompt.
func (s *Server) didChangeWorkspaceFolders(p *protocol.DidChangeWorkspaceFoldersParams) {
	s.mu.Lock()
	for _, w := range p.Event.Removed {
		s.folders = s.folders.without(w.URI)
	}
	for _, w := range p.Event.Added {
		s.folders = s.folders.with(w.URI)
	}
	now, watcher := s.folders.real(), s.watcher
	s.mu.Unlock()
	if watcher != nil {
		watcher.SetRoots(now)
	}
}

// places are the working folder and the further roots of a session of now.
func (s *Server) places() (cwd string, roots []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.folders) == 0 {
		return s.backend.Cwd, nil
	}
	return s.folders[0], slices.Clone([]string(s.folders[1:]))
}
