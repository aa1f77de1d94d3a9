package lsp

import "strings"

// fileKey is what all spellings of a path have in common.
func fileKey(path string) string { return strings.ToLower(path) }
