package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// Spec is a Definition whose callbacks get typed arguments; see Define. The
// fields mean what they mean in Definition.
type Spec[Args any] struct {
	Name, Description, Label string
	Strict                   bool
	Timeout                  time.Duration
	Abandonable              bool
	Mode                     ExecutionMode
	Source                   Source
	AppliesDefaults          bool

	Prepare       func(args json.RawMessage) (json.RawMessage, error)
	Access        func(args Args) []Access
	Plan          func(ctx context.Context, args Args, tc *Context) (*Plan, error)
	Execute       func(ctx context.Context, args Args, tc *Context) (Result, error)
	PresentCall   func(args Args) presentation.CallView
	PresentResult func(args Args, r Result) presentation.ResultView
}

// Define makes a Definition with the schema of Args (see schema.Of for the
// struct tags). It panics when Args has no schema: a programmer's error.
//
// Arguments that the schema allows but Args cannot hold, such as a number too
// large for its field, are INVALID_ARGS like any other violation. Each
// callback gets a value of its own. Presenters are soft: arguments that do not
// decode, from an old log perhaps, give nil, the generic card.
func Define[Args any](s Spec[Args]) *Definition {
	parameters, err := schema.Of[Args]()
	if err != nil {
		panic(fmt.Sprintf("tools: arguments %v of tool %q have no schema: %v", reflect.TypeFor[Args](), s.Name, err))
	}
	return &Definition{
		Name: s.Name, Description: s.Description, Parameters: parameters, Label: s.Label,
		Strict: s.Strict, Timeout: s.Timeout, Abandonable: s.Abandonable, Mode: s.Mode,
		Source: s.Source, AppliesDefaults: s.AppliesDefaults,
		Prepare:       s.Prepare,
		Access:        typedAccess(s.Access),
		Plan:          typedRun(s.Plan),
		Execute:       typedRun(s.Execute),
		PresentCall:   typedPresentCall(s.PresentCall),
		PresentResult: typedPresentResult(s.PresentResult),
		decodes: func(args json.RawMessage) error {
			_, err := decodeArgs[Args](args)
			return err
		},
	}
}

// typedRun adapts Plan and Execute.
func typedRun[Args, R any](fn func(context.Context, Args, *Context) (R, error)) func(context.Context, json.RawMessage, *Context) (R, error) {
	if fn == nil {
		return nil
	}
	return func(ctx context.Context, raw json.RawMessage, tc *Context) (R, error) {
		args, err := decodeArgs[Args](raw)
		if err != nil {
			var none R
			return none, err
		}
		return fn(ctx, args, tc)
	}
}

func typedAccess[Args any](fn func(Args) []Access) func(json.RawMessage) []Access {
	if fn == nil {
		return nil
	}
	return func(raw json.RawMessage) []Access {
		args, err := decodeArgs[Args](raw)
		if err != nil {
			return []Access{{}} // it touches something, nobody knows what
		}
		return fn(args)
	}
}

func typedPresentCall[Args any](fn func(Args) presentation.CallView) func(json.RawMessage) presentation.CallView {
	if fn == nil {
		return nil
	}
	return func(raw json.RawMessage) presentation.CallView {
		args, err := decodeArgs[Args](raw)
		if err != nil {
			return nil
		}
		return fn(args)
	}
}

func typedPresentResult[Args any](fn func(Args, Result) presentation.ResultView) func(json.RawMessage, Result) presentation.ResultView {
	if fn == nil {
		return nil
	}
	return func(raw json.RawMessage, r Result) presentation.ResultView {
		args, err := decodeArgs[Args](raw)
		if err != nil {
			return nil
		}
		return fn(args, r)
	}
}
