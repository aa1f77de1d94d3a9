package conformance

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home is the folders of a case. Processes that share one are restarts of the
// same user's agent.
type home struct {
	t    testing.TB
	root string // holds all others, no symlinks in its path
	cwd  string // the workspace
	// state holds the program's state folder.
	state  string
	config string
}

func newHome(t testing.TB) *home {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, root: root}
	for name, dir := range map[string]*string{"work": &h.cwd, "state": &h.state, "config": &h.config, "home": nil, "tmp": nil, "cache": nil} {
		path := filepath.Join(root, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if dir != nil {
			*dir = path
		}
	}
	return h
}

// env is the environment of the program, more added.
func (h *home) env(more map[string]string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + filepath.Join(h.root, "home"),
		"XDG_STATE_HOME=" + h.state, "XDG_CONFIG_HOME=" + h.config, "XDG_CACHE_HOME=" + filepath.Join(h.root, "cache"),
		"TMPDIR=" + filepath.Join(h.root, "tmp"),
	}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir)
	}
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return env
}

// path is the absolute path of a file of the workspace.
func (h *home) path(name string) string { return filepath.Join(h.cwd, filepath.FromSlash(name)) }

// file writes a file of the workspace and returns its path.
func (h *home) file(name, content string) string {
	h.t.Helper()
	path := h.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// text is the content of a file of the workspace.
func (h *home) text(name string) string {
	h.t.Helper()
	b, err := os.ReadFile(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

func (h *home) exists(name string) bool {
	_, err := os.Lstat(h.path(name))
	return err == nil
}

// log is the path of the stored log of a session.
func (h *home) log(session string) string {
	h.t.Helper()
	var found string
	err := filepath.WalkDir(h.state, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), session) && filepath.Ext(path) == ".jsonl" {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		h.t.Fatalf("no log of session %s below %s (%v)", session, h.state, err)
	}
	return found
}

// walkFiles calls fn for all that is in a folder.
func walkFiles(t testing.TB, dir string, fn func(path string, info os.FileInfo)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fn(path, info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
