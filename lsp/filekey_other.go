//go:build !windows

package lsp

// fileKey is what all spellings of a path have in common.
func fileKey(path string) string { return path }
