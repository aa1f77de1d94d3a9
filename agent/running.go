package agent

import "time"

// RunningTurn returns the id of the turn that runs and when it began; "" and no
// time between turns, that is from the record TurnEnded to the next TurnStarted.
func (s *Session) RunningTurn() (id string, started time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.turn == "" {
		return "", time.Time{}
	}
	return s.state.turn, s.updated // TurnStarted was the last to set it
}
