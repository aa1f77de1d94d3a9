package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/agent-ls/agent-ls/agent"
)

// maxName is the longest name of a tool that every server takes, in bytes.
const maxName = 64

// Names translates names of tools into those that servers take, letters,
// digits, "_" and "-", and back. A name that servers take stays as it is.
type Names struct{ original map[string]string }

// NewNames returns the names of the tools of a request.
func NewNames(req agent.Request) Names {
	n := Names{original: map[string]string{}}
	for _, t := range req.Tools {
		n.original[n.Wire(t.Name)] = t.Name
	}
	return n
}

// Wire returns the name for the server, the same at all times. Another name
// gets a part of its hash, so that two never become the same.
func (Names) Wire(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if clean == name && name != "" && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return clean[:min(len(clean), maxName-len(suffix))] + suffix
}

// Original returns the name that the server's stands for; one that the request
// did not offer is what the model wrote.
func (n Names) Original(wire string) string {
	if name, ok := n.original[wire]; ok {
		return name
	}
	return wire
}
