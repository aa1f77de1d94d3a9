// Package provider holds what the models behind a server have in common: the
// key and how it is kept secret, the HTTP client, what a failure means, names
// of tools in a server's alphabet, and copies of the traffic.
//
// It does not know any server's protocol: the packages beside it (openai,
// anthropic) do, through the official SDKs. A key is in no message, log, error
// or copy that comes from here (contract §1, §2).
//
// An Endpoint is safe for concurrent use and starts no goroutine.
package provider
