// Package schema owns the argument schemas of tools: one AST (Schema), four
// dialects (Draft07, DSL, Args, Structured) that are allow-lists of its
// keywords, one walker that checks values, and the rules of lossless JSON. It
// knows nothing of tools, sessions or transports, and it changes no value:
// ApplyDefaults is a call of its own, for tools that ask for it.
//
// A schema comes from a Go struct (Of) or from JSON (Parse, ParseForeign), and
// goes out as draft-07 (MarshalJSON) with keywords, properties and required
// names in a stable order, so that a model's prompt cache keeps hitting.
//
// Violations are complete sentences with the path of the value, all of them
// in one pass; tools.md §3.3.4 and Appendix A.4 give the texts.
//
// Why there is no general validator below this package: such libraries, as
// github.com/google/jsonschema-go, validate values that encoding/json has
// decoded, when duplicate keys, -0 and digits beyond 2^53 are already gone;
// they stop at the first fault or word it by keyword location; and they
// accept keywords that seeds 002 and 003 refuse. Here one decoder keeps the
// literals, and a valid argument costs a few allocations and no reflection.
//
// All functions are pure. A Schema is not changed after it was made and may
// be used from any number of goroutines. Nothing in here panics, whatever the
// schema and the value; depth, visits and violations are bounded.
package schema
