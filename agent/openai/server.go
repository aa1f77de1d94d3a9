package openai

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/provider"
)

// defaultBaseURL is OpenAI's own server.
const defaultBaseURL = "https://api.openai.com/v1/"

// Options configure a Server.
type Options struct {
	Endpoint *provider.Endpoint
	// Responses chooses the responses API instead of chat completions.
	Responses bool
	// Organization and Project go to OpenAI's own server.
	Organization, Project string
	// MaxOutput bounds what one answer holds, in tokens; 0 leaves it to the
	// server.
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
func New(o Options) *Server { return &Server{o: o} }

// Model returns the model of a name.
func (s *Server) Model(name string) agent.Model {
	if s.o.Responses {
		return &responsesModel{server: s, name: name}
	}
	return &chatModel{server: s, name: name}
}

// services are the parts of the SDK that are used. They are made one by one:
// the SDK's whole client reads the environment, and a key for one server must
// not go to another.
type services struct {
	chat      sdk.ChatCompletionService
	responses responses.ResponseService
	models    sdk.ModelService
}

// connect returns the services and the options of one request.
func (s *Server) connect(ctx context.Context) (*services, []option.RequestOption, error) {
	key, err := s.o.Endpoint.Login(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.once.Do(func() {
		o := s.options()
		s.made = services{sdk.NewChatCompletionService(o...), responses.NewResponseService(o...), sdk.NewModelService(o...)}
	})
	if key == "" {
		return &s.made, nil, nil
	}
	return &s.made, []option.RequestOption{option.WithAPIKey(key)}, nil
}

// options are those of every request.
func (s *Server) options() []option.RequestOption {
	e := s.o.Endpoint
	base := e.BaseURL
	if base == "" {
		base = defaultBaseURL
	}
	o := []option.RequestOption{option.WithBaseURL(base), option.WithHTTPClient(e.Client), option.WithMaxRetries(0)}
	if s.o.Organization != "" {
		o = append(o, option.WithOrganization(s.o.Organization))
	}
	if s.o.Project != "" {
		o = append(o, option.WithProject(s.o.Project))
	}
	for name, value := range e.Header {
		o = append(o, option.WithHeader(name, value))
	}
	return o
}

// failed turns an error of the SDK into one that is safe to show.
func (s *Server) failed(ctx context.Context, err error) error {
	var refused *sdk.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused):
		f := provider.Failure{Status: refused.StatusCode, Kind: refused.Code, Message: refused.Message}
		if refused.Response != nil {
			f.Header = refused.Response.Header
		}
		if f.Kind == "" {
			f.Kind = refused.Type
		}
		if f.Message == "" {
			f.Kind, f.Message = described([]byte(refused.RawJSON()))
		}
		return s.o.Endpoint.Fail(f)
	}
	if said, ok := provider.Streamed(err); ok {
		kind, message := described([]byte(`{"error":` + string(said) + `}`))
		return s.o.Endpoint.Fail(provider.Failure{Kind: kind, Message: message})
	}
	return s.o.Endpoint.Broken(ctx, err)
}

// described reads what servers say of a failure; they agree on little: an
// object or a text under "error", a code that may be a number.
func described(data []byte) (kind, message string) {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal(data, &body) != nil {
		return "", ""
	}
	var object struct {
		Code, Type any
		Message    string
	}
	if json.Unmarshal(body.Error, &object) == nil && object.Message != "" {
		kind, _ = object.Code.(string)
		if kind == "" {
			kind, _ = object.Type.(string)
		}
		return kind, object.Message
	}
	var text string
	if json.Unmarshal(body.Error, &text) == nil && text != "" {
		return "", text
	}
	if body.Message != "" {
		return "", body.Message
	}
	return "", body.Detail
}
