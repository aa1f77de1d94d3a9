package agent

import "testing"

func TestWhatBecomesKnownOfAModel(t *testing.T) {
	known := []ModelInfo{{ID: "fake"}}
	w := newWorld(t, model(), func(c *Config) { c.Models = func() []ModelInfo { return known } })
	s := w.session()
	known = []ModelInfo{{ID: "other", ContextSize: 5}, {ID: "fake", Name: "Fake", ContextSize: 2000}}
	w.hub.ModelsChanged()
	if m := s.Model(); m.Name != "Fake" || m.ContextSize != 2000 {
		t.Errorf("%+v", m)
	}
	if !has[SettingsChanged](w.sink.all()) {
		t.Error("the front end was not told")
	}
}

// A model that is known to think, or not to, when its server has answered has the
// setting, or has it no more.
func TestWhatBecomesKnownOfThinking(t *testing.T) {
	var known []ModelInfo
	m := model()
	w := newWorld(t, m, language(m), func(c *Config) {
		c.Thinking = "high"
		c.Models = func() []ModelInfo { return known }
	})
	s := w.session()
	id := s.Model().ID
	w.run(s, "one", EndTurn)
	known = []ModelInfo{{ID: id, Thinking: []string{}}}
	w.hub.ModelsChanged()
	w.run(s, "two", EndTurn)
	if len(s.Settings()) != 0 {
		t.Errorf("a model that does not think has %+v", s.Settings())
	}
	known = []ModelInfo{{ID: id, Thinking: []string{"high"}}}
	w.hub.ModelsChanged()
	w.run(s, "three", EndTurn)
	if len(s.Settings()) != 1 || m.asked()[0].Thinking != "high" || m.asked()[1].Thinking != "" || m.asked()[2].Thinking != "high" {
		t.Errorf("settings %+v, asked for %q, %q, %q", s.Settings(), m.asked()[0].Thinking, m.asked()[1].Thinking, m.asked()[2].Thinking)
	}
}
