package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// Result is what a call came to. All of it must survive JSON unchanged.
type Result struct {
	// Content goes to the model.
	Content []presentation.Block `json:"content,omitempty"`
	// Details is arbitrary JSON for logs and user interfaces (seed 001).
	Details json.RawMessage `json:"details,omitempty"`
	// Meta is the tool's own, given back to PresentResult; a failed call has
	// none (seed 002).
	Meta    json.RawMessage `json:"meta,omitempty"`
	IsError bool            `json:"isError,omitempty"`
	// Thrown says that the tool failed with an error, which seed 000 §5.3
	// words in its own way for the model; see ModelContent.
	Thrown bool `json:"thrown,omitempty"`
	// Error is set for failures that code may want to route.
	Error *ErrorInfo `json:"error,omitempty"`
	Usage *Usage     `json:"usage,omitempty"`
	// AddedTools become visible to the model from its next request on.
	AddedTools []string `json:"addedToolNames,omitempty"`
	// Terminate asks to end the run, granted when a whole batch asks for it.
	Terminate bool `json:"terminate,omitempty"`
	// AdditionalContext is said to the model after all results of the step.
	AdditionalContext []HookContext `json:"additionalContext,omitempty"`
	// OutputRef names the stored full output (seed 000 output_ref).
	OutputRef string `json:"outputRef,omitempty"`
}

// ErrorInfo is the machine-readable side of a failure.
type ErrorInfo struct {
	Name string `json:"name"`
	Code string `json:"code,omitempty"`
}

// HookContext is text that a listener adds for the model's next request.
type HookContext struct {
	Source string `json:"source"`
	Text   string `json:"text"`
}

// Usage is what a call cost; it is never sent to the model.
type Usage struct {
	Input       int64   `json:"input,omitempty"`
	Output      int64   `json:"output,omitempty"`
	CacheRead   int64   `json:"cacheRead,omitempty"`
	CacheWrite  int64   `json:"cacheWrite,omitempty"`
	TotalTokens int64   `json:"totalTokens,omitempty"`
	Cost        float64 `json:"cost,omitempty"`
}

// TextResult is a result of one text block.
func TextResult(text string) Result {
	return Result{Content: []presentation.Block{presentation.Text(text)}}
}

// clone returns a copy that shares nothing that can be changed.
func (r Result) clone() Result {
	r.Content = cloneBlocks(r.Content)
	r.Details = bytes.Clone(r.Details)
	r.Meta = bytes.Clone(r.Meta)
	r.AddedTools = slices.Clone(r.AddedTools)
	r.AdditionalContext = slices.Clone(r.AdditionalContext)
	if r.Error != nil {
		e := *r.Error
		r.Error = &e
	}
	if r.Usage != nil {
		u := *r.Usage
		r.Usage = &u
	}
	return r
}

func cloneBlocks(blocks []presentation.Block) []presentation.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Data = bytes.Clone(blocks[i].Data)
		blocks[i].Payload = bytes.Clone(blocks[i].Payload)
	}
	return blocks
}

// materialize returns the copy of r that counts from now on, or the error
// result that says why r cannot be kept (tools.md §3.4.12). Content is never
// nil, and a failed call has no meta (§2.1.4, §3.4.10).
func materialize(r Result) Result {
	if err := r.lossless(); err != nil {
		return errorResult(&ErrorInfo{Name: "ToolResultError", Code: CodeNotLossless},
			"tool result must be losslessly JSON-serializable: "+errorText(err))
	}
	r = r.clone()
	if r.Content == nil {
		r.Content = []presentation.Block{}
	}
	if r.IsError {
		r.Meta = nil
	}
	return r
}

// lossless says what of r would not survive JSON.
func (r *Result) lossless() error {
	for i := range r.Content {
		if err := losslessBlock(&r.Content[i]); err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	if err := losslessRaw(r.Details); err != nil {
		return fmt.Errorf("details: %w", err)
	}
	if err := losslessRaw(r.Meta); err != nil {
		return fmt.Errorf("meta: %w", err)
	}
	for _, c := range r.AdditionalContext {
		if c.Source == "" {
			return errors.New("additional context needs a source")
		}
		if !validText(c.Source, c.Text) {
			return errors.New("additional context: invalid UTF-8")
		}
	}
	if !validText(r.AddedTools...) || !validText(r.OutputRef) {
		return errors.New("invalid UTF-8")
	}
	if e := r.Error; e != nil && !validText(e.Name, e.Code) {
		return errors.New("error: invalid UTF-8")
	}
	if u := r.Usage; u != nil && (math.IsNaN(u.Cost) || math.IsInf(u.Cost, 0)) {
		return errors.New("usage: cost is not a number")
	}
	return nil
}

func losslessBlock(b *presentation.Block) error {
	if b.Type == "" {
		return errors.New("block without a type")
	}
	if !validText(string(b.Type), b.Text, b.MIMEType, b.Detail, b.URI, b.Name, b.Provider, b.Kind) {
		return errors.New("invalid UTF-8")
	}
	return losslessRaw(b.Payload)
}

func losslessRaw(data json.RawMessage) error {
	if len(data) == 0 {
		return nil
	}
	return schema.Lossless(data)
}

func validText(texts ...string) bool {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return true
}
