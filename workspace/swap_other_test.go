//go:build !linux

package workspace

import "os"

// exchange makes two paths change their meaning, with moments in which one
// has none.
func exchange(a, b string) error {
	aside := a + ".aside"
	if err := os.Rename(a, aside); err != nil {
		return err
	}
	if err := os.Rename(b, a); err != nil {
		return err
	}
	return os.Rename(aside, b)
}
