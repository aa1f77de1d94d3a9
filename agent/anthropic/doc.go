// Package anthropic is models behind servers that speak Anthropic's messages
// protocol (contract §2), through the official SDK, with prompt caching and
// thinking.
//
// It owns the translation of requests and streams. It does not retry, log or
// keep anything of a session: agent.Loop does. A Server makes its client when
// it is used first. Everything here is safe for concurrent use and starts no
// goroutine.
package anthropic
