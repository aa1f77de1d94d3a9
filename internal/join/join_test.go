package join_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/internal/join"
)

// place is a place with a short path: sockets have a limit.
func place(t *testing.T) join.Place {
	t.Helper()
	dir, err := os.MkdirTemp("", "join")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return join.Place{Runtime: filepath.Join(dir, "run"), Folder: t.TempDir(), State: t.TempDir()}
}

var quiet = slog.New(slog.DiscardHandler)

func echo(_ context.Context, conn io.ReadWriteCloser) { _, _ = io.Copy(conn, conn) }

func listen(t *testing.T, p join.Place) *join.Listener {
	t.Helper()
	l, err := join.Listen(p, "1", join.Handlers{"echo": echo}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestJoin(t *testing.T) {
	p := place(t)
	if _, err := join.Dial(t.Context(), p, "1", "echo"); !errors.Is(err, join.ErrNobody) {
		t.Errorf("nobody listens: %v", err)
	}
	listen(t, p)
	if _, err := join.Listen(p, "1", nil, quiet); !errors.Is(err, join.ErrTaken) {
		t.Errorf("a second one listens: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.Folder, link); err == nil {
		p.Folder = link // the same folder by another name
	}
	c, err := join.Dial(t.Context(), p, "1", "echo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); string(got) != "hello" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	other := p
	other.State = t.TempDir()
	if _, err := join.Dial(t.Context(), other, "1", "echo"); !errors.Is(err, join.ErrNobody) {
		t.Errorf("with another state folder: %v", err)
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	p := place(t)
	listen(t, p)
	for want, dial := range map[string][2]string{"versions differ": {"2", "echo"}, "not spoken": {"1", "dance"}} {
		if _, err := join.Dial(t.Context(), p, dial[0], dial[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	tokens, err := filepath.Glob(filepath.Join(p.Runtime, "*.token"))
	if err != nil || len(tokens) != 1 {
		t.Fatal(tokens, err)
	}
	if err := os.WriteFile(tokens[0], []byte("guessed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := join.Dial(t.Context(), p, "1", "echo"); err == nil || !strings.Contains(err.Error(), "token is wrong") {
		t.Errorf("a wrong token: %v", err)
	}
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	p := place(t)
	listen(t, p)
	err := filepath.WalkDir(p.Runtime, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	open := place(t)
	if err := os.MkdirAll(open.Runtime, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := join.Listen(open, "1", nil, quiet); err == nil || !strings.Contains(err.Error(), "this user alone") {
		t.Errorf("a folder that others may enter: %v", err)
	}
}

// TestLeftOver: what a process left that died is no obstacle.
func TestLeftOver(t *testing.T) {
	p := place(t)
	l := listen(t, p)
	sockets, err := filepath.Glob(filepath.Join(p.Runtime, "*.lock"))
	if err != nil || len(sockets) != 1 {
		t.Fatal(sockets, err)
	}
	l.Close()
	base := strings.TrimSuffix(sockets[0], ".lock")
	if err := os.Mkdir(p.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".sock", ".token"} {
		if err := os.WriteFile(base+name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := join.Dial(t.Context(), p, "1", "echo"); !errors.Is(err, join.ErrNobody) {
		t.Errorf("%v", err)
	}
	again := listen(t, p)
	c, err := join.Dial(t.Context(), p, "1", "echo")
	if err != nil {
		t.Fatal(err)
	}
	again.Close() // ends the connection
	if _, err := os.Stat(p.Runtime); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is left: %v", err)
	}
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("%v", err)
	}
}

func TestRuntimeDir(t *testing.T) {
	abs := t.TempDir()
	if got := join.RuntimeDir(func(string) string { return abs }); got != filepath.Join(abs, "agent-ls") {
		t.Error(got)
	}
	if got := join.RuntimeDir(func(string) string { return "relative" }); !strings.HasPrefix(got, os.TempDir()) {
		t.Error(got)
	}
}
