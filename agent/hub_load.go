package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-ls/agent-ls/tools/permission"
)

// Load opens a stored session; history is what was shown, in order, with the
// calls and the turn closed that a crash left open (contract §8). The folders
// of o replace the stored ones; an empty mode or model keeps the stored one,
// and a stored model that cannot be opened any more is replaced by the default
// one, which a Notice says. A session that is open here is closed first and
// taken over. An unknown id is ErrUnknownSession, a session of another process
// a *LockedError, one of a newer version a *FormatError.
func (h *Hub) Load(ctx context.Context, id string, o SessionOptions) (s *Session, history []Record, err error) {
	release, err := h.reserve(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	log, stored, err := h.takeOver(id)
	if err != nil {
		return nil, nil, err
	}
	header := stored.header
	header.Session = id
	header.place(o)
	s = newSession(h, o, header)
	s.log = log
	if history, err = s.restore(stored, o); err == nil {
		err = h.add(s)
	}
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, history, nil
}

// reserve makes the loads of one session follow each other; loads of two
// sessions do not wait.
func (h *Hub) reserve(ctx context.Context, id string) (release func(), err error) {
	for {
		h.mu.Lock()
		other := h.loading[id]
		if other == nil {
			mine := make(chan struct{})
			h.loading[id] = mine
			h.mu.Unlock()
			return func() {
				h.mu.Lock()
				delete(h.loading, id)
				h.mu.Unlock()
				close(mine)
			}, nil
		}
		h.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// takeOver opens the log of session id, closing the session first when it is
// open here. One that was never prompted has no log yet: it begins again.
func (h *Hub) takeOver(id string) (*Log, *storedLog, error) {
	old, open := h.Get(id)
	if open {
		if saved, why := old.Saved(); !saved {
			return nil, nil, fmt.Errorf("session %s is open but not saved, so it cannot be opened again: %w", id, why)
		}
		old.Close()
	}
	log, stored, err := h.store.open(id)
	if open && errors.Is(err, ErrUnknownSession) {
		header := old.header
		header.Mode, header.Model = string(old.Mode()), old.Model().ID
		return h.store.create(header), &storedLog{header: header}, nil
	}
	return log, stored, err
}

// restore folds what is stored, writes what a crash left out and what o
// changes, and returns all of it.
func (s *Session) restore(stored *storedLog, o SessionOptions) ([]Record, error) {
	for _, r := range stored.records {
		s.state.apply(r.Event)
		s.seq = max(s.seq, r.Seq)
		s.updated = r.Time
	}
	if !stored.summary.Updated.IsZero() {
		s.updated = stored.summary.Updated
	}
	if _, err := permission.ParseMode(string(s.state.mode)); err != nil {
		s.state.mode = s.hub.c.DefaultMode
	}
	mode, model := first(o.Mode, s.state.mode), first(o.Model, s.state.model)
	events := s.repairs(stored)
	if mode != s.state.mode {
		events = append(events, ModeChanged{Mode: string(mode)})
	}
	if err := s.init(mode); err != nil {
		return nil, err
	}
	changed, err := s.restoreModel(model, o.Model != "")
	if err != nil {
		return nil, err
	}
	return s.resume(stored, append(events, changed...)), nil
}

// repairs are the events that a crash left out.
func (s *Session) repairs(stored *storedLog) []Event {
	var events []Event
	if stored.torn || stored.unreadable > 0 {
		s.logger.Warn("session log was damaged", "torn", stored.torn, "unreadable", stored.unreadable)
	}
	if stored.unreadable > 0 {
		events = append(events, Notice{
			Severity: "warning", Title: "Part of this session could not be read",
			Text: fmt.Sprintf("%d lines of its log are damaged and were left out.", stored.unreadable),
		})
	}
	if stored.torn {
		events = append(events, Notice{
			Severity: "info", Title: "The last entry of this session was cut off",
			Text: "agent-ls ended while it was written; it was left out.",
		})
	}
	events = append(events, closing(s.state.calls, textInterrupted)...)
	if s.state.turn != "" {
		events = append(events, TurnEnded{Turn: s.state.turn, Reason: StopCancelled})
	}
	return events
}

// restoreModel opens the model of a loaded session. One that was not asked for
// and cannot be opened is replaced by the default.
func (s *Session) restoreModel(id string, asked bool) ([]Event, error) {
	var events []Event
	err := s.useModel(id)
	if fallback := s.hub.c.DefaultModel; err != nil && !asked && id != fallback {
		events = append(events, Notice{
			Severity: "warning", Title: fmt.Sprintf("The model %s is not available", id),
			Text: fmt.Sprintf("%v. The session goes on with %s.", err, fallback),
		})
		id, err = fallback, s.useModel(fallback)
	}
	if err == nil && id != s.state.model {
		events = append(events, ModelChanged{Model: id})
	}
	return events, err
}

// resume writes events behind what is stored and returns all records. Lists
// then find the session in the folders it has now.
func (s *Session) resume(stored *storedLog, events []Event) []Record {
	s.recMu.Lock()
	defer s.recMu.Unlock()
	records := stored.records
	var broken error
	for _, e := range events {
		r, err := s.write(e, logged)
		records, broken = append(records, r), errors.Join(broken, err)
	}
	h, was := &s.header, &stored.summary
	if h.RealCwd != was.RealCwd || h.Cwd != was.Cwd || !slices.Equal(h.Roots, was.Roots) {
		broken = errors.Join(broken, s.saveFailed(s.summarize(s.state.title, s.updated)))
	}
	if broken != nil {
		r, _ := s.write(notSaved(broken), shown)
		records = append(records, r)
	}
	return records
}
