// Package agent owns sessions and turns: the event log that is the same live
// and on replay, the queue of prompts, the loop over a model, the cancelling
// of all of it, and what a session remembers (house rules §2, contract §6, §8,
// tools.md §3.15).
//
// It does not own what a call does (package tools), who may do it (package
// permission), how it looks (package presentation) or how it travels (the
// front ends): those get records through a Sink and answer questions through
// an Asker.
//
// # Order and locks
//
// Everything that happens in a session is a Record. One lock of the session
// orders records: number, write to the log, fold into the session's state,
// give to the sink, one after the other. So the order of the sink is the order
// of the log, and a sink that blocks holds up its own session and no other. A
// sink must not call a method of the session that makes a record (SetMode,
// SetModel, AddTool, Notify, …) or that waits for one (Prompt, Close); the
// accessors, Enqueue and Cancel are safe in it.
//
// Prompts of one session run one after another in a goroutine of the session;
// Close waits for it, for the calls it started and for the functions given to
// OnClose. Sessions share nothing that one of them could hold while another
// waits.
package agent
