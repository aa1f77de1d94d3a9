package agent

import (
	"errors"
	"time"
)

// keep says what becomes of a record.
type keep bool

const (
	logged keep = true
	// shown goes to the sink alone: what of an output tail nobody needs again
	// (contract §8).
	shown keep = false
)

// record makes a record of e and shows it.
func (s *Session) record(e Event) {
	s.recMu.Lock()
	defer s.recMu.Unlock()
	s.emit(e, logged)
}

// emit writes a record of e and gives it to the sink; after the session ended
// it does nothing. recMu is held.
func (s *Session) emit(e Event, k keep) {
	if s.ended {
		return
	}
	r, err := s.write(e, k)
	if s.tap != nil {
		s.tap(r)
	}
	if s.frontEnd.Sink != nil {
		s.frontEnd.Sink.Event(s, r)
	}
	if err != nil {
		s.emit(notSaved(err), logged)
	}
}

// write numbers e, puts it into the log and folds it into the state. It
// answers an error once, when the log breaks. recMu is held.
func (s *Session) write(e Event, k keep) (Record, error) {
	s.seq++
	r := Record{Seq: s.seq, Time: s.hub.c.Now().UTC().Round(0), Event: e}
	var err error
	if k == logged {
		err = s.log.append(r)
	}
	s.mu.Lock()
	s.state.apply(e)
	switch e.(type) {
	case TurnStarted, TurnEnded:
		s.updated = r.Time
	}
	title, updated := s.state.title, s.updated
	s.mu.Unlock()
	if _, ok := e.(TurnEnded); ok && err == nil {
		err = s.summarize(title, updated)
	}
	return r, s.saveFailed(err)
}

// notSaved tells the user that the log broke.
func notSaved(err error) Notice {
	return Notice{
		Severity: "warning", Title: "This session is not being saved",
		Text: err.Error() + ". It goes on, but it cannot be opened again after it is closed.",
	}
}

// summarize writes what lists show of the session.
func (s *Session) summarize(title string, updated time.Time) error {
	h := &s.header
	return s.log.summarize(logSummary{Title: title, Cwd: h.Cwd, RealCwd: h.RealCwd, Roots: h.Roots, Updated: updated, Twin: s.twin()})
}

// saveFailed remembers why the session is not saved; it returns the error the
// first time, unless the user chose to save nothing.
func (s *Session) saveFailed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNotEncodable):
		s.logger.Error("defect", "error", err)
		return nil
	}
	s.mu.Lock()
	first := s.saveErr == nil
	if first {
		s.saveErr = err
	}
	s.mu.Unlock()
	if !first || errors.Is(err, errNoStateDir) {
		return nil
	}
	s.logger.Info("session is not saved", "error", err) // the user is told by a notice
	return err
}
