package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// hostileDisks are file systems that loop, block, refuse or are full.
var hostileDisks = []scenario{
	{"symlink loops", symlinkLoops}, {"links that lead out", linksOut}, {"things that are no files", specialFiles}, {"strange names", strangeNames},
	{"state that cannot be written", stateNotWritable}, {"state that is full", stateFull}, {"workspace that is full", workspaceFull},
	{"workspace that goes away", workspaceGone}, {"modes and links stay", modesAndLinks},
}

// link makes a symlink in the workspace.
func (h *home) link(target, name string) {
	h.t.Helper()
	if err := os.Symlink(target, h.path(name)); err != nil {
		h.t.Fatal(err)
	}
}

func symlinkLoops(t *testing.T) {
	s := inMode(t, "full-access", options{})
	s.h.file("dir/a.txt", "MARK\n")
	s.h.link("self", "self")
	s.h.link("two", "one")
	s.h.link("one", "two")
	s.h.link("..", "dir/up")
	s.h.link(".", "dir/here")
	s.run(all("/read self", "/read one", write("self", "x\n"), write("one/x.txt", "x\n"), replaceText("two", "a", "b"), "/grep MARK", "/grep --x",
		tool("glob", args{"pattern": "**/*"}), "/ls", "/ls self", "/ls dir", tool("grep", args{"pattern": "MARK", "path": "dir/up/dir"}), "!ls",
		patch("*** Update File: one", "@@", "-a", "+b"), "/view_image self"))
	s.settledCards()
	for _, k := range s.cards() {
		if k.kind == acp.KindEdit {
			failed(t, k)
		}
	}
	if k := s.ofKind(acp.KindSearch)[0]; !has(k.text(), "dir/a.txt") || strings.Count(k.text(), "MARK\n") > 3 {
		t.Errorf("grep finds %s", clip(k.text()))
	}
}

// linksOut: a link does not lead a tool out of the workspace unasked.
func linksOut(t *testing.T) {
	s := inMode(t, "accept-edits", options{permission: always(acp.RejectOnce)})
	secret := filepath.Join(elsewhere(s.h), "secret.txt")
	if err := os.WriteFile(secret, []byte("SECRET\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.h.link(secret, "link.txt")
	s.h.link(filepath.Dir(secret), "out")
	s.run(all("/read link.txt", "/read out/secret.txt", write("link.txt", "x\n"), write("out/new.txt", "x\n"), "/read ../elsewhere/secret.txt",
		replaceText("out/secret.txt", "SECRET", "x"), patch("*** Add File: out/p.txt", "+p"), "/grep SECRET", tool("glob", args{"pattern": "**/secret.txt"}),
		tool("grep", args{"pattern": "SECRET", "path": "out"}), "/ls out"))
	for _, k := range s.cards() {
		if has(k.text(), "SECRET\n") || has(k.text(), "1: SECRET") {
			t.Errorf("%q shows what lies outside: %s", k.title, k.text())
		}
	}
	entries, err := os.ReadDir(filepath.Dir(secret))
	if data, _ := os.ReadFile(secret); err != nil || len(entries) != 1 || string(data) != "SECRET\n" {
		t.Errorf("outside there is now %v, and %q", entries, data)
	}
}

func specialFiles(t *testing.T) {
	s := inMode(t, "full-access", options{})
	s.run("!mkfifo pipe; mkdir folder; printf 'a\\000b' > binary; truncate -s 3G sparse; : > empty; ln -s /dev/zero zero; ln -s /dev/stdin in; ln -s /proc/self/mem mem")
	s.run(all("/read pipe", "/read folder", "/read binary", "/read sparse", "/read empty", "/read zero", "/read in", "/read mem", "/view_image pipe", "/view_image zero",
		write("pipe", "x\n"), write("folder", "x\n"), edit("binary", "a", "b"), edit("sparse", "a", "b"), edit("zero", "a", "b"),
		"/grep a", tool("grep", args{"pattern": "a", "path": "pipe"}), tool("grep", args{"pattern": "a", "path": "zero"}), "/ls pipe", "!true"))
	s.settledCards()
	completed(t, s.last(acp.KindExecute))
}

func strangeNames(t *testing.T) {
	s := inMode(t, "full-access", options{})
	for _, name := range []string{"new\nline.txt", "-rf", "sp ace.txt", "quote'\".txt", "ünï 你.txt", "a#L1:2", "percent%20.txt", "*.txt", "back\\slash", strings.Repeat("n", 200)} {
		s.h.file(name, "MARK "+name+"\n")
		s.run(all(read(name), replaceText(name, "MARK", "DONE")))
		if k := s.lastEdit(); k.status != acp.StatusCompleted || !strings.HasPrefix(s.h.text(name), "DONE") || k.locations[0].Path != s.h.path(name) {
			t.Errorf("%q: card %s", name, k.facts())
		}
	}
	if err := os.WriteFile(filepath.Join(s.h.cwd, "bytes\xff\xfe.txt"), []byte("DONE\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.run(all("/grep DONE", tool("glob", args{"pattern": "*"}), "/ls"))
	for _, k := range s.cards() {
		completed(t, k)
	}
}

// unsaved checks a session whose state cannot be kept: it works, says so, and
// answers.
func unsaved(t *testing.T, h *home) {
	t.Helper()
	caps := acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}
	s := h.start(options{caps: caps, permission: always(acp.AllowAlways), tolerate: []rule{ruleStderr}}).newSession()
	h.file("a.txt", "MARKER\n")
	s.run(all("/read a.txt", "!seq 1 30000", write("n.txt", "n\n")))
	s.run(all("/read a.txt", "!true"))
	for _, k := range s.cards() {
		completed(t, k)
	}
	told := false
	s.see(func(sc *screen) { told = len(sc.notices) > 0 })
	if !told && strings.TrimSpace(s.stderr()) == "" {
		t.Error("nobody was told that the session is not saved")
	}
	s.newSession().run("hello")
}

func stateNotWritable(t *testing.T) {
	t.Run("a file in its place", func(t *testing.T) {
		h := newHome(t)
		if err := os.WriteFile(filepath.Join(h.state, "agent-ls"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		unsaved(t, h)
	})
	t.Run("read-only", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("root may write to read-only folders")
		}
		h := newHome(t)
		if err := os.Chmod(h.state, 0o500); err != nil {
			t.Fatal(err)
		}
		unsaved(t, h)
	})
}

func stateFull(t *testing.T) {
	h := newHome(t)
	small(t, h.state)
	unsaved(t, h)
}

// workspaceFull: a write that does not fit fails and leaves the file as it was.
func workspaceFull(t *testing.T) {
	h := newHome(t)
	small(t, h.cwd)
	s := h.start(options{}).newSession()
	s.setMode("accept-edits")
	h.file("a.txt", "old\n")
	s.run(all(overwrite("a.txt", strings.Repeat("x", 1<<20)), write("b.txt", strings.Repeat("y", 1<<20)), write("c.txt", "fits\n")))
	edits := s.ofKind(acp.KindEdit)
	failed(t, edits[0])
	failed(t, edits[1])
	completed(t, edits[2])
	entries, err := os.ReadDir(h.cwd)
	if h.text("a.txt") != "old\n" || h.exists("b.txt") || len(entries) != 2 {
		t.Errorf("the workspace holds %v (%v)", entries, err)
	}
}

func workspaceGone(t *testing.T) {
	h := newHome(t)
	dir := elsewhere(h)
	c := h.start(options{})
	s := &session{client: c}
	c.call(acp.MethodSessionNew, params{"cwd": dir, "mcpServers": []any{}}, &s.made)
	s.id = s.made.SessionID
	s.setMode("full-access")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.run(all("!ls", "/ls", "/read a.txt", "/grep x", tool("glob", args{"pattern": "*"}), write("n.txt", "n\n")))
	s.settledCards()
	s.run("hello")
	s.leave()
	again := h.start(options{})
	again.call(acp.MethodSessionLoad, params{"sessionId": s.id, "cwd": dir, "mcpServers": []any{}}, nil)
}

// modesAndLinks: an edit keeps the mode of a file, and goes through a link.
func modesAndLinks(t *testing.T) {
	s := inMode(t, "accept-edits", options{})
	s.h.file("tool.sh", "#!/bin/sh\necho one\n")
	os.Chmod(s.h.path("tool.sh"), 0o750)
	s.h.link("tool.sh", "link.sh")
	s.run(all(edit("link.sh", "one", "two"), patch("*** Update File: tool.sh", "@@", "-echo two", "+echo three")))
	for _, k := range s.ofKind(acp.KindEdit) {
		completed(t, k)
	}
	info, err := os.Lstat(s.h.path("tool.sh"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
	if target, err := os.Readlink(s.h.path("link.sh")); err != nil || target != "tool.sh" || s.h.text("tool.sh") != "#!/bin/sh\necho three\n" {
		t.Errorf("the link leads to %q (%v), the file holds %q", target, err, s.h.text("tool.sh"))
	}
}
