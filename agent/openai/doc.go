// Package openai is models behind servers that speak OpenAI's protocols, chat
// completions or responses: OpenAI, Azure, Ollama, llama.cpp, vLLM, OpenRouter
// and others (contract §2), through the official SDK.
//
// It owns the translation of requests and streams. It does not retry, log or
// keep anything of a session: agent.Loop does. A Server makes its client when
// it is used first. Everything here is safe for concurrent use and starts no
// goroutine.
package openai
