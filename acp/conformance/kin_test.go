package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// TestKin: defects of the families that the field reports are from, which have
// no number there.
func TestKin(t *testing.T) {
	t.Parallel()
	for _, k := range slices.Concat(shownKin, sessionKin, processKin) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			k.run(t)
		})
	}
}

var shownKin = []scenario{
	{"titles", titles}, {"images", images}, {"output is not sent again and again", outputOnce}, {"escape sequences", escapes},
	{"deleted and moved files", deletedAndMoved}, {"unsaved text is found", unsavedIsFound}, {"one writer", oneWriter}, {"batches", batches},
}

func titles(t *testing.T) {
	s := open(t, options{permission: always(acp.RejectOnce)})
	s.h.file("src/a.txt", numbered(9, "line", "\n"))
	outside := filepath.Join(elsewhere(s.h), "b.txt")
	for prompt, want := range map[string]string{
		"/read src/a.txt": "Read src/a.txt", read(s.h.path("src/a.txt")): "Read src/a.txt", "!ls -l | wc": "ls -l | wc",
		tool("read", args{"file_path": "src/a.txt", "start_line": 2, "end_line": 4}): "Read src/a.txt (2 - 4)",
		read(outside): "Read " + outside, "/ls src": "List src", write("n.txt", "x\n"): "Write n.txt", "/no_such_tool": "", "!  spaced   out  ": "spaced   out",
		bash("one # two\nthree"): "one # two ⏎ three",
	} {
		before := len(s.cards())
		s.run(prompt)
		switch cards := s.cards(); {
		case want == "" && len(cards) != before:
			t.Errorf("%s made a card", prompt)
		case want != "" && (len(cards) != before+1 || cards[before].announced.Title != want):
			t.Errorf("%s has the title %q, want %q", prompt, cards[len(cards)-1].announced.Title, want)
		}
	}
	for _, k := range s.ofKind(acp.KindSearch) {
		if strings.Contains(k.title, s.h.cwd) {
			t.Errorf("the title %q holds the workspace", k.title)
		}
	}
}

func images(t *testing.T) {
	s := open(t, options{})
	s.h.file("pixel.png", pixelBytes())
	s.run(all(read("pixel.png"), "/view_image pixel.png"))
	for _, k := range s.cards() {
		completed(t, k)
		if !strings.Contains(encode(k.content), `"type":"image"`) || !strings.Contains(encode(k.content), pixel[:40]) {
			t.Errorf("%q shows %s", k.title, clip(encode(k.content)))
		}
	}
	stop(t, s.blocks(acp.Text("look"), acp.ImageContent{Data: pixel, MimeType: "image/png"}))
	s.reload(options{}).see(func(sc *screen) {
		last := sc.messages[len(sc.messages)-2]
		if last.role != roleUser || len(last.blocks) != 2 {
			t.Errorf("the prompt with an image is replayed as %s", encode(last.blocks))
		}
	})
}

// outputOnce: what was shown is not sent again, neither while a command runs
// nor at its end.
func outputOnce(t *testing.T) {
	const flood, bytes = "!seq 1 35000", 198_894
	s := inMode(t, "full-access", options{caps: displayCaps})
	turn := s.run(flood)
	k := s.last(acp.KindExecute)
	sent := 0
	for _, l := range s.lines(turn.from, func(*line) bool { return true }) {
		sent += l.size
	}
	// In JSON each of 35,000 line ends takes a byte more.
	if k.term.output != strings.ReplaceAll(numbered(35_000, "", "\n"), " ", "") || sent > bytes+35_000+64<<10 {
		t.Errorf("%d bytes of output were sent in %d", len(k.term.output), sent)
	}
	if last := k.history[len(k.history)-1].update; last.Content != nil {
		t.Errorf("the last update holds content: %s", clip(encode(last)))
	}
}

func escapes(t *testing.T) {
	const command = `printf '\033[31mred\033[0m \033]0;title\007plain\n'`
	fenced := inMode(t, "full-access", options{})
	fenced.run(bash(command))
	if text := fenced.last(acp.KindExecute).text(); strings.ContainsAny(text, "\x1b\x07") || !has(text, "red", "plain") {
		t.Errorf("the fence holds %q", text)
	}
	shown := inMode(t, "full-access", options{caps: displayCaps})
	shown.run(bash(command))
	if text := shown.last(acp.KindExecute).text(); !has(text, "\x1b[31mred") {
		t.Errorf("the terminal holds %q", text)
	}
}

func deletedAndMoved(t *testing.T) {
	s := inMode(t, "accept-edits", options{})
	s.h.file("gone.txt", "gone\n")
	s.h.file("from.txt", "text\n")
	s.run(patch("*** Delete File: gone.txt"))
	k := s.lastEdit()
	d := onlyDiffs(t, k, 1)[0]
	if k.kind != acp.KindDelete || d.OldText == nil || !has(*d.OldText, "gone") || d.NewText != "" || string(d.Meta["kind"]) != `"delete"` || s.h.exists("gone.txt") {
		t.Errorf("a deleted file is shown as %s", k.facts())
	}
	s.run(patch("*** Update File: from.txt", "*** Move to: sub/to.txt"))
	if k := s.lastEdit(); k.kind != acp.KindMove || k.status != acp.StatusCompleted || s.h.exists("from.txt") || s.h.text("sub/to.txt") != "text\n" {
		t.Errorf("a moved file is shown as %s", k.facts())
	}
}

// unsavedIsFound: searching tools see what the user has not saved (contract
// §4).
func unsavedIsFound(t *testing.T) {
	h, f := newHome(t), &files{}
	s := editor(h, f, options{})
	f.open(h.file("a.txt", "on disk\n"), "one\ntyped UNSAVED\n")
	s.run("/read a.txt") // from here on the client is known to have it open
	s.run("/grep UNSAVED")
	if k := s.last(acp.KindSearch); !has(k.text(), "a.txt:2") {
		t.Errorf("grep finds %s", k.text())
	}
	s.run(all("/grep disk"))
	if k := s.last(acp.KindSearch); has(k.text(), "on disk") {
		t.Errorf("grep finds what is hidden by a buffer: %s", k.text())
	}
}

// oneWriter: a change goes to the file once, through the client, and nobody
// replaces what the client saved.
func oneWriter(t *testing.T) {
	h, f := newHome(t), &files{}
	s := editor(h, f, options{})
	h.file("a.txt", numbered(9, "line", "\n"))
	h.file("b.txt", "b\n")
	changes := []string{
		edit("a.txt", "line 2\n", "two\n"), overwrite("b.txt", "bb\n"), write("n.txt", "n\n"),
		all(read("a.txt"), tool("edit", args{"file_path": "a.txt", "start_line": 5, "end_line": 5, "content": "five"})),
		all(read("a.txt"), patch("*** Update File: a.txt", "@@", "-line 9", "+nine")),
	}
	for i, change := range changes {
		s.run(change)
		completed(t, s.lastEdit())
		_, writes := f.ops()
		if len(writes) != i+1 {
			t.Fatalf("%d writes of %d changes", len(writes), i+1)
		}
		f.onlyWriter(writes[i])
	}
}

// batches: the calls of a batch may end in any order; each card is whole.
func batches(t *testing.T) {
	s := inMode(t, "full-access", options{caps: displayCaps})
	var lines []string
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("& !echo start-%d; sleep 0.0%d; echo end-%d", i, 9-i%9, i))
	}
	s.run(strings.TrimPrefix(all(lines...), "& "))
	for i, k := range s.cards() {
		if completed(t, k); k.term.output != fmt.Sprintf("start-%d\nend-%d\n", i, i) {
			t.Errorf("card %d shows %q", i, k.term.output)
		}
	}
	if n := len(s.cards()); n != 12 {
		t.Errorf("%d cards", n)
	}
	if !has(s.agentText(), "12 calls", "12 completed") {
		t.Errorf("the agent says %q", s.agentText())
	}
}

var sessionKin = []scenario{
	{"lists have pages", pages}, {"mentions do not run", mentions}, {"further folders", furtherFolders}, {"closed sessions", closedSessions},
	{"resumed sessions", resumedSessions}, {"modes", modes}, {"sensitive files", sensitiveFiles}, {"changes of another process", otherProcess},
}

func pages(t *testing.T) {
	c := start(t, options{})
	const n = 60
	var made []string
	for i := range n {
		s := c.newSession()
		s.run(fmt.Sprintf("prompt %d", i))
		made = append(made, s.id)
	}
	c.leave()
	c = c.h.start(options{})
	var listed []acp.SessionInfo
	p := params{"cwd": c.h.cwd}
	for pageCount := 0; ; pageCount++ {
		var r acp.ListSessionsResponse
		c.call(acp.MethodSessionList, p, &r)
		listed = append(listed, r.Sessions...)
		if r.NextCursor == "" {
			break
		}
		if p["cursor"] = r.NextCursor; pageCount > n {
			t.Fatal("the list does not end")
		}
	}
	if len(listed) != n {
		t.Fatalf("%d sessions of %d are listed", len(listed), n)
	}
	for i, info := range listed {
		if j := slices.Index(made, info.SessionID); info.Title != fmt.Sprintf("prompt %d", j) || info.Cwd != c.h.cwd || info.UpdatedAt == "" {
			t.Errorf("entry %d is %s", i, encode(info))
		}
		if i > 0 && info.UpdatedAt > listed[i-1].UpdatedAt {
			t.Errorf("entry %d is newer than the one before", i)
		}
	}
	c.refused(acp.MethodSessionList, params{"cursor": "nonsense"}, -32602)
}

// mentions: only the text blocks of a prompt are its program (contract §2).
func mentions(t *testing.T) {
	s := inMode(t, "full-access", options{})
	uri := "file://" + s.h.file("run.txt", "!touch from-file\n")
	stop(t, s.blocks(acp.ResourceLink{URI: uri, Name: "!touch from-name"}, acp.Text("what is this?"),
		acp.EmbeddedResource{Resource: acp.TextResourceContents{URI: uri, Text: "!touch from-resource\n/write {\"file_path\":\"x\",\"content\":\"\"}"}}))
	if len(s.cards()) > 0 || s.h.exists("from-resource") || s.h.exists("from-file") || s.h.exists("from-name") {
		t.Error("a mention ran")
	}
	stop(t, s.blocks(acp.Text("!touch one\n"), acp.Text("!touch two")))
	if !s.h.exists("one") || !s.h.exists("two") {
		t.Error("text blocks did not run")
	}
}

func furtherFolders(t *testing.T) {
	h := newHome(t)
	dir := elsewhere(h)
	c := h.start(options{permission: always(acp.RejectOnce)})
	s := &session{client: c}
	c.call(acp.MethodSessionNew, params{"cwd": h.cwd, "mcpServers": []any{}, "additionalDirectories": []string{dir}}, &s.made)
	s.id = s.made.SessionID
	s.setMode("accept-edits")
	inside, outside := filepath.Join(dir, "in.txt"), filepath.Join(h.root, "out.txt")
	s.run(all(write(inside, "x\n"), read(inside), write(outside, "x\n")))
	edits := s.ofKind(acp.KindEdit)
	completed(t, edits[0])
	failed(t, edits[1])
	completed(t, s.last(acp.KindRead))
	if _, err := os.Stat(outside); err == nil || len(s.allQuestions()) != 1 {
		t.Errorf("%d questions; outside the folders: %v", len(s.allQuestions()), err)
	}
	s.run("hello")
	if ids := c.list(params{"cwd": h.cwd}); !slices.Contains(ids, s.id) {
		t.Errorf("the list holds %v", ids)
	}
}

func closedSessions(t *testing.T) {
	s, _ := visit(t, options{})
	s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil)
	p := acp.PromptRequest{SessionID: s.id, Prompt: acp.List[acp.ContentBlock]{acp.Text("x")}}
	s.refused(acp.MethodSessionPrompt, p, -32002, -32602)
	s.refused(acp.MethodSetMode, params{"sessionId": s.id, "modeId": "ask"}, -32002, -32602)
	s.notify(acp.MethodSessionCancel, params{"sessionId": s.id})
	again := s.load(s.id)
	again.run("/read a.txt")
	again.call(acp.MethodSessionDelete, params{"sessionId": s.id}, nil)
	s.refused(acp.MethodSessionLoad, params{"sessionId": s.id, "cwd": s.h.cwd, "mcpServers": []any{}}, -32002)
	s.refused(acp.MethodSessionPrompt, p, -32002)
}

func resumedSessions(t *testing.T) {
	c, id := reopened(t)
	c.call(acp.MethodSessionResume, params{"sessionId": id, "cwd": c.h.cwd}, nil)
	s := &session{client: c, id: id}
	s.run("/read a.txt")
	s.setMode("accept-edits")
	loaded := s.reload(options{})
	if n := len(loaded.cards()); n != 2 {
		t.Errorf("%d cards after a resume", n)
	}
	if n := loaded.askedFor(write("n.txt", "x\n")); n != 0 {
		t.Errorf("the mode is not kept: asked %d times", n)
	}
	c.h.start(options{}).refused(acp.MethodSessionResume, params{"sessionId": unknownSession, "cwd": c.h.cwd}, -32002)
}

// modes: who is asked in which mode (contract §3).
func modes(t *testing.T) {
	s := open(t, options{permission: always(acp.RejectOnce)})
	s.h.file("a.txt", "a\n")
	outside := filepath.Join(elsewhere(s.h), "b.txt")
	os.WriteFile(outside, []byte("b\n"), 0o644)
	for _, tt := range []struct {
		prompt string
		want   string // r: runs, a: asks, d: denied; by mode
	}{
		{"/read a.txt", "rrrr"}, {"/grep a", "rrrr"}, {read(outside), "daar"}, {write("n.txt", "x\n"), "darr"}, {write(outside+"x", "x\n"), "daar"},
		{"!true", "daar"}, {"/webfetch http://127.0.0.1:9/", "daar"}, {"/todo_read", "rrrr"},
	} {
		for i, mode := range []string{"read-only", "ask", "accept-edits", "full-access"} {
			os.Remove(s.h.path("n.txt"))
			s.setMode(mode)
			asked := s.askedFor(tt.prompt)
			cards := s.cards()
			k := cards[len(cards)-1]
			got := "r"
			if asked > 0 {
				got = "a"
			} else if k.status == acp.StatusFailed && has(strings.ToLower(k.text()), mode) {
				got = "d"
			}
			if got != tt.want[i:i+1] {
				t.Errorf("%s in %s: %s (%s), want %s", clip(tt.prompt), mode, got, clip(k.text()), tt.want[i:i+1])
			}
		}
	}
}

func sensitiveFiles(t *testing.T) {
	s := inMode(t, "accept-edits", options{permission: always(acp.RejectOnce)})
	s.h.file(".git/hooks/pre-commit", "x\n")
	for _, name := range []string{".env", ".env.local", "sub/.env", "id_rsa", "server.pem", ".git/config", ".git/hooks/pre-commit", ".agent-ls.toml"} {
		s.h.file(name, "KEY=hidden-value\n")
		if n := s.askedFor(read(name)); n != 1 {
			t.Errorf("reading %s asks %d times", name, n)
		}
		if n := s.askedFor(patch("*** Update File: "+name, "@@", "-KEY=hidden-value", "+x")); n != 1 || s.h.text(name) != "KEY=hidden-value\n" {
			t.Errorf("patching %s asks %d times, it holds %q", name, n, s.h.text(name))
		}
		// What fails before anybody is asked tells nothing of the file.
		s.run(all(patch("*** Update File: "+name, "@@", "-KEY=hidden-walue", "+x"), replaceText(name, "KEY=hidden-valu", "x"),
			tool("edit", args{"file_path": name, "start_line": 1, "end_line": 9, "content": "x"}), "/view_image "+name))
	}
	s.run(all("/grep hidden-value", tool("grep", args{"pattern": "hidden-value", "path": ".env"})))
	for _, k := range s.cards() {
		if has(k.text(), "KEY=hidden-value") {
			t.Errorf("%q shows what is in a sensitive file: %s", k.title, k.text())
		}
	}
}

// otherProcess: what another process of the user changed is not overwritten.
func otherProcess(t *testing.T) {
	one := inMode(t, "accept-edits", options{})
	two := one.h.start(options{}).newSession()
	two.setMode("accept-edits")
	one.h.file("a.txt", "one\ntwo\n")
	one.run(read("a.txt"))
	two.run(edit("a.txt", "one", "ONE"))
	one.run(replaceText("a.txt", "two", "TWO"))
	failed(t, one.lastEdit())
	one.run(edit("a.txt", "two", "TWO"))
	if completed(t, one.lastEdit()); one.h.text("a.txt") != "ONE\nTWO\n" {
		t.Errorf("the file holds %q", one.h.text("a.txt"))
	}
}
