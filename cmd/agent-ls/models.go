package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/direct"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/agent/script"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/nearest"
)

// models opens models by their names, PREFIX:NAME (contract §2), and knows which
// there are to choose from. Hosted agents are not its own (openDriver). Safe for
// concurrent use; close ends what it asks servers.
type models struct {
	config  config.Config
	log     *slog.Logger
	servers map[string]*modelServer // by prefix
	// answers records what models answer, nil for nothing.
	answers *script.Recorder
	// changed is told, from another goroutine, that list answers more.
	changed func()

	ctx    context.Context
	cancel context.CancelFunc
	asking sync.WaitGroup
}

// newModels makes no request and opens nothing.
func newModels(c config.Config, log *slog.Logger) *models {
	m := &models{config: c, log: log, servers: map[string]*modelServer{}, changed: func() {}}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	var traffic *provider.Recorder
	if c.Record != "" {
		m.answers = script.NewRecorder(c.Record, log)
		traffic = provider.NewRecorder(c.Record, time.Now(), m.redact, log)
	}
	client := sync.OnceValue(func() *http.Client { return provider.NewClient(c.Limits.ModelIdle, traffic) })
	for prefix, s := range serverSettings(c) {
		m.servers[prefix] = &modelServer{prefix: prefix, settings: s, key: provider.NewKey(s.key), client: client}
	}
	return m
}

// redact takes all keys out of a text.
func (m *models) redact(text string) string {
	for _, s := range m.servers {
		text = s.key.Redact(text)
	}
	return text
}

// close ends what runs and waits for it.
func (m *models) close() {
	m.cancel()
	m.asking.Wait()
	for _, s := range m.servers {
		s.key.Close()
	}
}

// open makes a model by its name.
func (m *models) open(id string) (agent.Model, agent.ModelInfo, error) {
	prefix, name, _ := strings.Cut(id, ":")
	switch s := m.servers[prefix]; {
	case id == direct.Info().ID:
		return direct.New(), direct.Info(), nil
	case prefix+":" == script.Prefix:
		s, err := script.Load(name)
		if err != nil {
			return nil, agent.ModelInfo{}, err
		}
		return script.NewModel(s), script.Info(name), nil
	case s != nil && name != "":
		model := s.connect().Model(name)
		if m.answers != nil {
			model = m.answers.Wrap(model)
		}
		m.ask(s)
		return model, s.describe(name), nil
	case s != nil:
		return nil, agent.ModelInfo{}, fmt.Errorf("%q names no model: write %s:MODEL", id, prefix)
	}
	return nil, agent.ModelInfo{}, m.unknown(id)
}

// unknown names what there is.
func (m *models) unknown(id string) error {
	known := []string{"direct", "script:FILE", "acp:NAME"}
	for _, prefix := range slices.Sorted(maps.Keys(m.servers)) {
		known = append(known, prefix+":MODEL")
	}
	return fmt.Errorf("unknown model %q; did you mean %q? There is %s", id, nearest.Of(id, known), strings.Join(known, ", "))
}

// list is what a user may choose: the configured model, direct, the models of
// the settings, and those of the servers that are in use.
func (m *models) list() []agent.ModelInfo {
	ids := append([]string{m.config.Model, direct.Info().ID}, m.config.Models...)
	for _, prefix := range slices.Sorted(maps.Keys(m.servers)) {
		ids = append(ids, m.servers[prefix].names()...)
	}
	var out []agent.ModelInfo
	seen := map[string]bool{}
	for _, id := range ids {
		if info, ok := m.info(id); ok && !seen[id] {
			seen[id] = true
			out = append(out, info)
		}
	}
	return out
}

// info describes a model; ok is false for one that cannot be opened here.
func (m *models) info(id string) (info agent.ModelInfo, ok bool) {
	prefix, name, _ := strings.Cut(id, ":")
	switch s := m.servers[prefix]; {
	case id == direct.Info().ID:
		return direct.Info(), true
	case prefix+":" == script.Prefix:
		return script.Info(name), true
	case s != nil && name != "":
		return s.describe(name), true
	}
	return info, false
}

// ask asks a server for its models, once; sessions are told when it has
// answered. A server that does not know is no failure: the model that is in use
// is known.
func (m *models) ask(s *modelServer) {
	if !s.begin() {
		return
	}
	m.asking.Go(func() {
		list, err := s.connect().Models(m.ctx)
		if err != nil {
			m.log.Info("a server did not list its models", "provider", s.prefix, "error", err)
			return
		}
		s.learn(list)
		m.changed()
	})
}

// check says what a model needs and whether it is there, for doctor; it asks no
// server.
func (m *models) check(ctx context.Context, id string) (text string, err error) {
	prefix, name, _ := strings.Cut(id, ":")
	s := m.servers[prefix]
	if s == nil || name == "" {
		_, info, err := m.open(id)
		return fmt.Sprintf("%s (%s); it needs no key", id, info.Name), err
	}
	key, err := s.key.Get(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w. %s", err, s.settings.hint)
	case key == "":
		return fmt.Sprintf("%s at %s; there is no key, and it may need none", id, s.settings.place()), nil
	}
	return fmt.Sprintf("%s at %s; there is a key", id, s.settings.place()), nil
}
