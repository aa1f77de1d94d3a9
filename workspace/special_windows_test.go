package workspace

import "testing"

func makeSpecialFiles(t *testing.T, _ *fixture) {
	t.Helper()
	t.Skip("no such files here")
}

func setUmask(t *testing.T, _ int) {
	t.Helper()
	t.Skip("no umask here")
}

func ownerOf(t *testing.T, _ string) int {
	t.Helper()
	t.Skip("owners are no numbers here")
	return 0
}
