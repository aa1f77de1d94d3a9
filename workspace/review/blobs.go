package review

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// blobs are texts under the SHA-256 of their bytes, each a file of mode 0600.
// Who stores and removes holds the lock of the store.
type blobs struct{ dir string }

// blobName returns the name of a text.
func blobName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// path is where a text lies.
func (b blobs) path(name string) string { return filepath.Join(b.dir, name) }

// put stores a text; written says that it was not there yet. It is not synced:
// what a crash of the system makes of it does not fit its name any more, and is
// told when it is read.
func (b blobs) put(text string) (name string, written bool, err error) {
	name = blobName(text)
	info, err := os.Lstat(b.path(name))
	if err == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		return name, false, nil
	}
	return name, true, replaceFile(b.path(name), []byte(text))
}

// get returns a text. A text that is not what its name says is an error.
func (b blobs) get(name string) (string, error) {
	if filepath.Base(name) != name || len(name) != 2*sha256.Size {
		return "", fmt.Errorf("%q is no name of a stored text", name)
	}
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		return "", err
	}
	if text := string(data); blobName(text) == name {
		return text, nil
	}
	return "", fmt.Errorf("the stored text %s is damaged", name)
}

// sweep removes all but the live texts, and what crashes left behind.
func (b blobs) sweep(live map[string]bool) error {
	entries, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if live[e.Name()] {
			continue
		}
		err = errors.Join(err, os.Remove(b.path(e.Name())))
	}
	return err
}
