package agent

import (
	"context"
	"encoding/json"
	"fmt"
)

// keyTwin is where a session keeps its twin.
const keyTwin = "twin"

// SetTwin notes the id under which somebody else lists this session, such as the
// agent that runs its turns: lists then show it once (Hub.List).
func (s *Session) SetTwin(id string) error {
	value, err := json.Marshal(id)
	if err != nil {
		return err
	}
	return s.Store(keyTwin, value)
}

// twin is the session's twin, "" for none.
func (s *Session) twin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.twin()
}

func (s *state) twin() string {
	var id string
	_ = json.Unmarshal(s.meta[keyTwin], &id) // none is ""
	return id
}

// apart returns those of more that are not among own, by their ids and twins.
func apart(own, more []SessionInfo) []SessionInfo {
	have := map[string]bool{}
	for _, i := range own {
		have[i.ID], have[i.Twin] = true, true
	}
	var out []SessionInfo
	for _, i := range more {
		if !have[i.ID] {
			i.realCwd = realPath(i.Cwd)
			out = append(out, i)
		}
	}
	return out
}

// Import opens a session that somebody else has kept under id: past records in a
// turn of its own what was said before, and the session goes on from there. What
// it returns is as Load has it. An id that no session can have is
// ErrUnknownSession; after an error nothing is left of the session.
func (h *Hub) Import(ctx context.Context, id string, o SessionOptions, past func(*Session) (Driver, error)) (s *Session, history []Record, err error) {
	if !validID(id) {
		return nil, nil, fmt.Errorf("%w %q", ErrUnknownSession, id)
	}
	release, err := h.reserve(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	s, err = h.newSession(ctx, id, o)
	if err != nil {
		return nil, nil, err
	}
	driver, err := past(s)
	if err == nil {
		history, err = s.relive(ctx, driver)
	}
	if err != nil {
		s.Close()
		if failed := h.store.Delete(id); failed != nil {
			h.c.Logger.Warn("a session that could not be imported is still there", "session", id, "error", failed)
		}
		return nil, nil, err
	}
	return s, history, nil
}

// relive runs a turn that records what was said before, and returns its records.
func (s *Session) relive(ctx context.Context, past Driver) (history []Record, err error) {
	s.listenIn(func(r Record) { history = append(history, r) })
	defer s.listenIn(nil)
	done := make(chan error, 1)
	s.submit(ctx, &Turn{s: s, past: past, done: func(reason StopReason, err error) {
		if err == nil && reason == StopCancelled {
			err = context.Canceled
		}
		done <- err
	}})
	err = <-done
	return history, err
}

// listenIn gives tap each record from now on.
func (s *Session) listenIn(tap func(Record)) {
	s.recMu.Lock()
	defer s.recMu.Unlock()
	s.tap = tap
}
