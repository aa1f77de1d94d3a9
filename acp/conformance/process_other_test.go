//go:build !linux

package conformance

import "testing"

// needProc skips a case where there is no /proc.
func needProc(t *testing.T) {
	t.Helper()
	t.Skip("processes are looked up in /proc")
}

func marked(string) []process { return nil }

func residentKB(int) int { return 0 }

func descriptors(int) map[string]string { return nil }
