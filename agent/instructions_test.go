package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file below dir.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestProjectInstructionsNearestFirst(t *testing.T) {
	w := newWorld(t, model())
	top, further := w.cwd, t.TempDir()
	write(t, top, "AGENTS.md", "above the repository")
	write(t, top, "repo/.git/HEAD", "ref: x")
	write(t, top, "repo/AGENTS.md", "of the repository")
	write(t, top, "repo/a/b/AGENTS.md", "of the folder")
	write(t, further, "AGENTS.md", strings.Repeat("é", 20<<10))
	w.cwd = filepath.Join(top, "repo", "a", "b")
	s := w.session(func(o *SessionOptions) { o.Roots = []string{further} })
	w.run(s, "go", EndTurn)
	system := w.model.asked()[0].System
	near, far, last := strings.Index(system, "of the folder"), strings.Index(system, "of the repository"), strings.Index(system, "éé")
	if near < 0 || far < near || last < far {
		t.Errorf("at %d, %d, %d in\n%s", near, far, last, system)
	}
	if strings.Contains(system, "above the repository") {
		t.Error("a file above the repository is read")
	}
	if !strings.Contains(system, "left out") || len(system) > 40<<10 || strings.ToValidUTF8(system, "") != system {
		t.Errorf("a long file is not cut well: %d bytes", len(system))
	}
	write(t, w.cwd, "AGENTS.md", "changed since")
	w.run(s, "go", EndTurn)
	if !strings.Contains(w.model.asked()[1].System, "changed since") {
		t.Error("the next turn has the old text")
	}
}
