package lsp

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/agent"
)

// initialize wires the program and says what it offers.
func (s *Server) initialize(_ context.Context, p *protocol.InitializeParams) (any, error) {
	client := featuresOf(p)
	open := foldersOf(p)
	backend, err := s.o.Open(Setup{Settings: settingsOf(p), Folders: open.paths()})
	if err != nil {
		return nil, initializeError(err)
	}
	s.docs.setEncoding(encodings[client.encoding])
	backend.Workspace.SetOverlay(s.docs)
	s.adopt(client, backend, open)
	if p.ProcessID != nil {
		s.watchParent(int(*p.ProcessID))
	}
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "agent-ls", Version: protocol.NewOptional(first(s.o.Version, "dev"))},
	}, nil
}

// initializeError refuses a client; without retry, since nothing would change.
func initializeError(err error) error {
	return &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error(), Data: jsonrpc2.RawMessage(`{"retry":false}`)}
}

// settingsOf returns the initializationOptions, empty for none.
func settingsOf(p *protocol.InitializeParams) json.RawMessage {
	return append(json.RawMessage(nil), p.InitializationOptions...)
}

// adopt begins serving.
func (s *Server) adopt(client features, backend *Backend, open folders) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.client, s.backend, s.folders = phaseServing, client, backend, open
	if backend.Rich != nil {
		s.rich = backend.Rich(RichOptions{
			Peer: s.conn, Capabilities: client.acp, Client: client.name, Doors: s.doors, Connection: s,
		})
	}
	if backend.Review != nil {
		s.reviewer = backend.Review(s)
		s.observer, _ = s.reviewer.(Observer)
	}
	s.follow.set(backend.Follow)
}

// doors are a session's ways to files.
func (s *Server) doors() agent.FrontEnd {
	return agent.FrontEnd{Appliers: appliers(s)}
}

// initialized tells the user what there is to tell and starts watching.
func (s *Server) initialized(*protocol.InitializedParams) {
	for _, w := range s.backend.Warnings {
		s.show(protocol.MessageTypeWarning, w)
	}
	s.startWatching()
	if s.observer != nil {
		s.observer.Ready()
	}
}

// shutdown ends what runs. The client leaves by exit.
func (s *Server) shutdown() (any, error) {
	s.mu.Lock()
	s.phase = phaseShutdown
	hub := s.backend.Hub
	s.mu.Unlock()
	s.run(hub.Close)
	return nil, nil
}

// watchParent ends the server when the process that started it has died.
func (s *Server) watchParent(pid int) {
	alive, every := s.o.ParentAlive, s.o.ParentPoll
	if alive == nil {
		alive = processAlive
	}
	if every <= 0 {
		every = time.Second
	}
	s.run(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-s.conn.done:
				return
			case <-s.ended:
				return
			case <-tick.C:
				if !alive(pid) {
					s.end(false, ErrParentGone)
					return
				}
			}
		}
	})
}

// first returns a unless it is empty, else b.
func first[T ~string](a, b T) T {
	if a != "" {
		return a
	}
	return b
}
