package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxName is how long a name may be, in bytes: what providers take.
const maxName = 64

// hashLength is the length of the hash that makes a name unique, in hex digits.
const hashLength = 8

// clean makes a name of letters, digits, _ and -.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// labels are the names of servers as prefixes, all different; the second of two
// equal ones gets a number.
func labels(servers []ServerConfig) []string {
	out := make([]string, len(servers))
	seen := map[string]bool{}
	for i, s := range servers {
		label := clean(s.Name)
		for n := 2; seen[label]; n++ {
			label = fmt.Sprintf("%s_%d", clean(s.Name), n)
		}
		seen[label] = true
		out[i] = label
	}
	return out
}

// toolName gives a tool of a server its name in the session: always with the
// server's, so that what was allowed of one server is not allowed of another,
// and a name stays the same whatever other servers there are. taken reports the
// names of other tools.
func toolName(label, tool string, taken func(string) bool) string {
	name := "mcp__" + label + "__" + clean(tool)
	base, of := name, label
	for len(name) > maxName || taken(name) {
		of += "\x00" + tool
		name = hashed(base, of)
	}
	return name
}

// hashed ends a name with a hash of what it stands for.
func hashed(name, of string) string {
	sum := sha256.Sum256([]byte(of))
	end := "_" + hex.EncodeToString(sum[:])[:hashLength]
	return name[:min(len(name), maxName-len(end))] + end
}
