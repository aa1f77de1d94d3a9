// Package join lets processes of one user that work on the same folder meet: one
// listens on a socket in the user's runtime folder, others connect to it and say
// what they want to speak (contract §2).
//
// It owns the socket, the lock that lets one process listen for a folder, and the
// token that a caller must know; all are readable by the user alone. It does not
// own what is spoken. A Listener is safe for concurrent use; it runs a goroutine
// for itself and one for each caller, and Close waits for them.
package join

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Place says where processes meet.
type Place struct {
	// Runtime is a folder of the user's own, see RuntimeDir.
	Runtime string
	// Folder is what they work on, State where they keep what they know: those
	// with other settings do not meet.
	Folder, State string
}

// ErrNobody says that nobody listens.
var ErrNobody = errors.New("no agent-ls works on this folder")

// ErrTaken says that another process listens already.
var ErrTaken = errors.New("another agent-ls listens for this folder")

// RuntimeDir is the user's runtime folder of agent-ls: in $XDG_RUNTIME_DIR, else
// in the folder for temporary files, under a name of the user's own.
func RuntimeDir(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "agent-ls")
	}
	return filepath.Join(os.TempDir(), "agent-ls-"+strconv.Itoa(os.Getuid()))
}

// paths are the files of a place.
type paths struct{ socket, token, lock string }

// paths makes the folder and names the files. A folder that others could have
// made or can change is refused.
func (p Place) paths() (paths, error) {
	if err := os.MkdirAll(p.Runtime, 0o700); err != nil {
		return paths{}, err
	}
	if err := private(p.Runtime); err != nil {
		return paths{}, err
	}
	sum := sha256.Sum256([]byte(real(p.Folder) + "\x00" + real(p.State)))
	base := filepath.Join(p.Runtime, hex.EncodeToString(sum[:8]))
	return paths{socket: base + ".sock", token: base + ".token", lock: base + ".lock"}, nil
}

// real is a path with its links resolved, as far as it exists.
func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// private refuses a folder that is not the user's own.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !owned(info) {
		return fmt.Errorf("%s is not a folder of this user alone; remove it, or set XDG_RUNTIME_DIR", dir)
	}
	return nil
}
