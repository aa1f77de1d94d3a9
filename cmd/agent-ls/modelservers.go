package main

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/anthropic"
	"github.com/agent-ls/agent-ls/agent/openai"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/internal/config"
)

// protocol is a server of models, in whatever protocol it speaks.
type protocol interface {
	Model(name string) agent.Model
	Models(ctx context.Context) ([]agent.ModelInfo, error)
}

// serverSetting is a server of models as configured, with what the environment
// adds to it.
type serverSetting struct {
	config.Provider
	key  provider.Source
	hint string // where to put a key
	// bearer sends the key in another header, for anthropic.
	bearer                bool
	organization, project string
}

// place is where the server is, for people.
func (s serverSetting) place() string {
	if s.BaseURL == "" {
		return "its usual address"
	}
	return config.PublicURL(s.BaseURL)
}

// documentHosts are servers that read PDFs, with those below them. Others may speak
// the same protocols, but refuse a request with one.
var documentHosts = []string{"api.openai.com", "openai.azure.com", "api.anthropic.com", "openrouter.ai"}

// readsDocuments says whether the server reads PDFs.
func (s serverSetting) readsDocuments() bool {
	u, err := url.Parse(s.BaseURL)
	return s.BaseURL == "" || err == nil && slices.ContainsFunc(documentHosts, func(host string) bool {
		return u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host)
	})
}

// serverSettings are the servers by the prefix of their models' names.
func serverSettings(c config.Config) map[string]serverSetting {
	out := map[string]serverSetting{"openai": openaiSetting(c), "anthropic": anthropicSetting(c), "ollama": ollamaSetting(c)}
	for name, p := range c.Providers {
		s := serverSetting{Provider: p, key: source(p, c, "provider")}
		s.key.Variable, s.key.Optional = p.APIKeyEnv, p.APIKeyEnv == ""
		s.hint = "Set api_key_cmd, api_key_file or api_key_env in [provider." + name + "] of the configuration file"
		out[name] = s
	}
	return out
}

// source is where the key of a provider comes from; a key in the user's file
// makes that a file that others may not read.
func source(p config.Provider, c config.Config, key string) provider.Source {
	s := provider.Source{Value: p.APIKey, Command: p.APIKeyCmd, File: p.APIKeyFile}
	if c.Origin(key).Source == config.SourceUserFile {
		s.Holder = c.File
	}
	return s
}

// openaiSetting uses OpenAI's own protocol there, and the one that everybody
// speaks elsewhere (contract §2).
func openaiSetting(c config.Config) serverSetting {
	s := serverSetting{Provider: c.OpenAI, key: source(c.OpenAI, c, "openai.api_key")}
	s.Kind, s.BaseURL = "openai", cmp.Or(s.BaseURL, os.Getenv("OPENAI_BASE_URL"))
	s.key.Variable, s.key.Optional = "OPENAI_API_KEY", s.BaseURL != ""
	s.organization, s.project = os.Getenv("OPENAI_ORG_ID"), os.Getenv("OPENAI_PROJECT_ID")
	s.hint = "Set OPENAI_API_KEY, or openai.api_key_cmd or openai.api_key_file in the configuration file"
	if s.API == "auto" && s.BaseURL == "" {
		s.API = "responses"
	}
	return s
}

func anthropicSetting(c config.Config) serverSetting {
	s := serverSetting{Provider: c.Anthropic, key: source(c.Anthropic, c, "anthropic.api_key")}
	s.Kind, s.BaseURL = "anthropic", cmp.Or(s.BaseURL, os.Getenv("ANTHROPIC_BASE_URL"))
	s.key.Variable = "ANTHROPIC_API_KEY"
	own := s.key.Value != "" || len(s.key.Command) > 0 || s.key.File != ""
	if !own && os.Getenv("ANTHROPIC_API_KEY") == "" && os.Getenv("ANTHROPIC_AUTH_TOKEN") != "" {
		s.key.Variable, s.bearer = "ANTHROPIC_AUTH_TOKEN", true
	}
	s.hint = "Set ANTHROPIC_API_KEY, or anthropic.api_key_cmd or anthropic.api_key_file in the configuration file"
	return s
}

// ollamaSetting speaks chat completions, which Ollama does below /v1.
func ollamaSetting(c config.Config) serverSetting {
	s := serverSetting{Provider: c.Ollama, key: provider.Source{Variable: "OLLAMA_API_KEY", Optional: true}}
	s.Kind, s.API = "openai", "chat"
	s.BaseURL = ollamaURL(cmp.Or(s.BaseURL, os.Getenv("OLLAMA_HOST")))
	s.hint = "Set OLLAMA_API_KEY"
	return s
}

// ollamaURL reads a host as Ollama does: scheme and port may be missing, and an
// address to listen on everywhere means this machine.
func ollamaURL(host string) string {
	const port = "11434"
	if host == "" {
		host = "127.0.0.1"
	}
	bare := !strings.Contains(host, "://")
	if bare {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		return host // the failure of the first request says what is wrong
	}
	name := u.Hostname()
	if ip := net.ParseIP(name); ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	switch {
	case u.Port() != "":
		u.Host = net.JoinHostPort(name, u.Port())
	case bare:
		u.Host = net.JoinHostPort(name, port)
	}
	if path := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(path, "/v1") {
		u.Path = path + "/v1"
	}
	return u.String()
}

// modelServer is a server and what is known of its models.
type modelServer struct {
	prefix   string
	settings serverSetting
	key      *provider.Key
	client   func() *http.Client

	once sync.Once
	made protocol

	mu     sync.Mutex
	asked  bool
	listed []agent.ModelInfo
}

// endpoint is the server for those who speak its protocol.
func (s *modelServer) endpoint() *provider.Endpoint {
	return &provider.Endpoint{
		Name: s.prefix, BaseURL: s.settings.BaseURL, Key: s.key, Hint: s.settings.hint, Header: s.settings.Headers, Client: s.client(),
	}
}

// connect makes the server's client when it is used first.
func (s *modelServer) connect() protocol {
	s.once.Do(func() {
		maxOutput := int64(s.settings.MaxOutput)
		if s.settings.Kind == "anthropic" {
			s.made = anthropic.New(anthropic.Options{Endpoint: s.endpoint(), Bearer: s.settings.bearer, MaxOutput: maxOutput, Documents: s.settings.readsDocuments()})
			return
		}
		s.made = openai.New(openai.Options{
			Endpoint: s.endpoint(), Responses: s.settings.API == "responses", MaxOutput: maxOutput, Documents: s.settings.readsDocuments(),
			Organization: s.settings.organization, Project: s.settings.project,
		})
	})
	return s.made
}

// thinking are how hard a model can be told to think, by its name.
func (s serverSetting) thinking(name string) []string {
	if s.Kind == "anthropic" {
		return anthropic.Thinking(name)
	}
	return openai.Thinking(name, s.API == "responses")
}

// describe is what is known of a model.
func (s *modelServer) describe(name string) agent.ModelInfo {
	info := agent.ModelInfo{
		ID: s.prefix + ":" + name, Name: name, Description: "A language model of " + s.prefix + ".",
		Language: true, Thinking: s.settings.thinking(name), ContextSize: int64(s.settings.ContextSize),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.listed, func(m agent.ModelInfo) bool { return m.ID == name }); i >= 0 {
		info.Name = cmp.Or(s.listed[i].Name, name)
		if s.listed[i].Thinking != nil { // the server knows better
			info.Thinking = s.listed[i].Thinking
		}
		if info.ContextSize == 0 {
			info.ContextSize = s.listed[i].ContextSize
		}
	}
	return info
}

// begin reports whether the server is still to be asked for its models.
func (s *modelServer) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = true
	return !asked
}

// learn takes the server's answer.
func (s *modelServer) learn(list []agent.ModelInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = list
}

// maxListed bounds the models of one server that are offered: clients get all
// of the list with every change.
const maxListed = 100

// names are the models to offer: those of the settings, and those that the
// server lists.
func (s *modelServer) names() (ids []string) {
	for _, name := range s.settings.Models {
		ids = append(ids, s.prefix+":"+name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.listed {
		if len(ids) < maxListed && converses(m.ID) {
			ids = append(ids, s.prefix+":"+m.ID)
		}
	}
	return ids
}

// converses is false for models that are for something else, by what all of
// them have in their names: lists do not say.
func converses(name string) bool {
	for _, other := range []string{"embed", "whisper", "tts", "dall-e", "image", "audio", "realtime", "transcribe", "moderation", "sora", "rerank"} {
		if strings.Contains(name, other) {
			return false
		}
	}
	return true
}
