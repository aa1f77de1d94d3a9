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
