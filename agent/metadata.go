package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// metadata is the small state of tools that a session keeps and restores
// (tools.Metadata, seed 000 SessionState.meta).
type metadata struct{ s *Session }

// Get returns the value of key, nil when there is none.
func (m metadata) Get(key string) json.RawMessage {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	return slices.Clone(m.s.state.meta[key])
}

// Set stores value, nil removes the key. A value that is not JSON is an
// error.
func (m metadata) Set(key string, value json.RawMessage) error {
	if value != nil {
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil {
			return fmt.Errorf("session metadata %q: %w", key, err)
		}
		value = compact.Bytes()
	}
	m.s.record(MetadataChanged{Key: key, Value: value})
	return nil
}
