package lsp

import "go.lsp.dev/protocol"

type watcher struct{}

func (w *watcher) close()            {}
func (w *watcher) setRoots([]string) {}

func (s *Server) startWatching() {}

func (s *Server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) {}
