//go:build !linux

package conformance

import "testing"

// small skips the case: a small file system is mounted on Linux only.
func small(t *testing.T, _ string) {
	t.Helper()
	t.Skip("no small file system")
}
