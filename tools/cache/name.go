package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// The bounds of names, in bytes: an id longer than maxID is refused, one
// longer than maxName is shortened and told apart by a hash.
const (
	maxID      = 4096
	maxName    = 80
	hashDigits = 8
)

// safeName returns id as a file name: each character outside [A-Za-z0-9_-]
// becomes "_", and an id that this changed gets a short hash, so that two ids
// never meet (tools.md §1.5.9). A name that this made is returned unchanged.
func safeName(id string) (string, error) {
	switch {
	case id == "":
		return "", errors.New("the id is empty")
	case len(id) > maxID:
		return "", errors.New("the id is too long")
	}
	name := strings.Map(func(r rune) rune {
		if isAlphanumeric(r) || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
	if name == id && len(name) <= maxName {
		return name, nil
	}
	sum := sha256.Sum256([]byte(id))
	name = name[:min(len(name), maxName-hashDigits-1)]
	return name + "-" + hex.EncodeToString(sum[:])[:hashDigits], nil
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// numbered is the id under which the n-th output (1-based) with the same id
// is stored: providers use ids again.
func numbered(id string, n int) string {
	if n == 1 {
		return id
	}
	return fmt.Sprintf("%s#%d", id, n)
}
