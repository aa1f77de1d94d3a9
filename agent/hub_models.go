package agent

import (
	"maps"
	"slices"
)

// ModelsChanged takes what Models knows now of the models that open sessions
// use, and tells their front ends that there are others to choose from.
func (h *Hub) ModelsChanged() {
	models := h.Models()
	h.mu.Lock()
	open := slices.Collect(maps.Values(h.open))
	h.mu.Unlock()
	for _, s := range open {
		s.describe(models)
		s.SettingsChanged()
	}
}

// describe takes what became known of the session's model.
func (s *Session) describe(models []ModelInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	loop, ofModel := s.driver.(*Loop)
	i := slices.IndexFunc(models, func(m ModelInfo) bool { return m.ID == s.model.ID })
	if i >= 0 {
		s.model.Name, s.model.ContextSize, s.model.Thinking = models[i].Name, models[i].ContextSize, models[i].Thinking
		if ofModel {
			loop.learn(models[i].Thinking)
		}
	}
}
