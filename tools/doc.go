// Package tools is the calling convention of tools: what a tool is
// (Definition), where tools live (Registry), how one call goes (Pipeline) and
// how the calls of one assistant message go (ExecuteBatch).
//
// It does not know which tools exist, who asks for permission, or who shows
// the cards: those come in as definitions, as seams of the pipeline and as the
// ports Approver and Events.
//
// A call passes, in this order: snapshot of the arguments → pre-execute
// listeners → plan → approval → guards → wrappers → the tool → post-execute
// listeners → observers (tools.md §3.4, house.md §2). Whatever fails on the
// way, panics included, becomes an error result of that one call.
//
// Registry, Scope, Pipeline and Context are safe for concurrent use. A
// Definition is borrowed: nobody changes it after it was registered. Go cannot
// freeze values, so every listener gets its own copy of arguments and result.
package tools
