package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/provider"
)

// defaultBaseURL is Anthropic's own server.
const defaultBaseURL = "https://api.anthropic.com/"

// defaultMaxOutput is how much an answer may hold where nothing is configured,
// in tokens: the protocol wants a number, and models differ in the most they
// take.
const defaultMaxOutput = 16_000

// Options configure a Server.
type Options struct {
	Endpoint *provider.Endpoint
	// Bearer sends the key as a bearer token, which gateways want.
	Bearer bool
	// MaxOutput bounds what one answer holds, in tokens; 0 is a default.
	MaxOutput int64
	// Documents says that the server reads PDFs; else a model is told of them.
	Documents bool
}

// Server is a server and the models behind it.
type Server struct {
	o    Options
	once sync.Once
	made services
}

// New returns a server; it makes no request.
func New(o Options) *Server {
	if o.MaxOutput == 0 {
		o.MaxOutput = defaultMaxOutput
	}
	return &Server{o: o}
}

// Model returns the model of a name.
func (s *Server) Model(name string) agent.Model { return &model{server: s, name: name} }

// services are the parts of the SDK that are used. They are made one by one:
// the SDK's whole client reads the environment, and a key for one server must
// not go to another.
type services struct {
	messages sdk.MessageService
	models   sdk.ModelService
}

// connect returns the services and the options of one request.
func (s *Server) connect(ctx context.Context) (*services, []option.RequestOption, error) {
	e := s.o.Endpoint
	key, err := e.Login(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.once.Do(func() {
		base := e.BaseURL
		if base == "" {
			base = defaultBaseURL
		}
		options := []option.RequestOption{
			option.WithBaseURL(base), option.WithHTTPClient(e.Client), option.WithMaxRetries(0),
		}
		for name, value := range e.Header {
			options = append(options, option.WithHeader(name, value))
		}
		s.made = services{sdk.NewMessageService(options...), sdk.NewModelService(options...)}
	})
	switch {
	case key == "":
		return &s.made, nil, nil
	case s.o.Bearer:
		return &s.made, []option.RequestOption{option.WithAuthToken(key)}, nil
	}
	return &s.made, []option.RequestOption{option.WithAPIKey(key)}, nil
}

// failed turns an error of the SDK into one that is safe to show: the SDK's own
// text holds addresses and whatever the server said.
func (s *Server) failed(ctx context.Context, err error) error {
	var refused *sdk.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused):
		f := provider.Failure{Status: refused.StatusCode}
		f.Kind, f.Message = described([]byte(refused.RawJSON()))
		if refused.Response != nil {
			f.Header = refused.Response.Header
		}
		return s.o.Endpoint.Fail(f)
	}
	if said, ok := provider.Streamed(err); ok {
		kind, message := described(said)
		return s.o.Endpoint.Fail(provider.Failure{Kind: kind, Message: message})
	}
	return s.o.Endpoint.Broken(ctx, err)
}

// described reads the protocol's error object.
func described(data []byte) (kind, message string) {
	var body struct {
		Error struct{ Type, Message string }
	}
	if json.Unmarshal(data, &body) != nil {
		return "", ""
	}
	return body.Error.Type, body.Error.Message
}

// Models lists the models that the server offers.
func (s *Server) Models(ctx context.Context) ([]agent.ModelInfo, error) {
	services, options, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	page, err := services.models.List(ctx, sdk.ModelListParams{}, options...)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	var out []agent.ModelInfo
	for _, m := range page.Data {
		var more struct {
			MaxInputTokens int64 `json:"max_input_tokens"`
		}
		// What is not as expected is not known: the list is worth more than
		// its details.
		_ = json.Unmarshal([]byte(m.RawJSON()), &more)
		out = append(out, agent.ModelInfo{ID: m.ID, Name: m.DisplayName, ContextSize: more.MaxInputTokens})
	}
	return out, nil
}
