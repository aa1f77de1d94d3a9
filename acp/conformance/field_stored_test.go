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

var storedReports = []report{
	{65, answerComesFirst}, {67, replayIsTheSame}, {68, foldersByOtherNames}, {70, repeatedIDs}, {73, optionsApply}, {74, commandsFollow},
	{76, unknownCommandsAreText}, {77, failuresAreErrors},
}

func answerComesFirst(t *testing.T) { // the judge looks at every update and request
	c := start(t, options{})
	var calls []*call
	for range 5 {
		calls = append(calls, c.request(acp.MethodSessionNew, params{"cwd": c.h.cwd, "mcpServers": []any{}}))
	}
	for _, k := range calls {
		id := sessionOf(string(k.wait().Result))
		first := c.find(0, func(l *line) bool { return strings.Contains(l.text, id) })
		if first != k.to {
			t.Errorf("the first line that names the session %s is not its answer", id)
		}
		c.until("the commands of the session", func() bool { return len(c.screen(id).commands) > 0 })
	}
}

// sameShowing compares what two clients show of a session: one that was there,
// and one that loaded it.
func sameShowing(t *testing.T, live, loaded *session) {
	t.Helper()
	before, after := live.cards(), loaded.cards()
	for i := range min(len(before), len(after)) {
		if a, b := before[i].facts(), after[i].facts(); a != b {
			t.Errorf("card %d of the replay is\n  %s, live it was\n  %s", i, clip(b), clip(a))
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d cards, live there were %d", len(after), len(before))
	}
	if a, b := live.story(), loaded.story(); a != b {
		t.Errorf("the replay tells\n  %s, live it was\n  %s", clip(b), clip(a))
	}
}

// story is all that is shown beside the cards, in order, but for the prompts,
// which a live client knows; the plan is at the end.
func (s *session) story() string {
	var b strings.Builder
	s.see(func(sc *screen) {
		message := 0
		for _, item := range sc.timeline {
			if item != roleUser && item != roleAgent && item != roleThought {
				fmt.Fprintf(&b, "[%s]", item)
				continue
			}
			if m := sc.messages[message]; item != roleUser {
				fmt.Fprintf(&b, "[%s %s: %s]", m.role, m.id, m.text)
			}
			message++
		}
		fmt.Fprintf(&b, "[plan %s]", encode(sc.plan))
	})
	return b.String()
}

// richTurns are turns that show everything that is kept.
func richTurns(s *session) {
	s.t.Helper()
	s.h.file("a.txt", numbered(40, "line", "\n"))
	s.h.file("sub/b.txt", "x\nMARK\ny\n")
	s.h.file("pixel.png", pixelBytes())
	s.run(all(edit("a.txt", "line 12\n", "line twelve\n"), write("n.txt", "new\nfile\n"), write("rejected.txt", "no\n"), "/view_image pixel.png"))
	s.run(all("!echo out; echo err >&2", "!exit 3", "!kill -9 $$", "/grep MARK", "/ls sub", "/read missing.txt", "!seq 1 30000",
		tool("todo_new", args{"todos": []args{{"content": "first", "priority": 1}, {"content": "second", "status": "in_progress"}}})))
	turn := s.prompt(all("!echo before; sleep 600"))
	s.untilRunning()
	s.cancelled(turn)
	s.run(all(patch("*** Update File: sub/b.txt", "@@", " x", "-MARK", "+MARKED", "*** Add File: sub/c.txt", "+c", "*** Delete File: n.txt"),
		tool("bash", args{"command": "echo in sub", "workdir": "sub", "description": "Look around"}), "/read {broken",
		read("a.txt"), "& "+read("sub/b.txt"), "& !echo batch", "just words"))
}

func replayIsTheSame(t *testing.T) {
	for name, caps := range map[string]acp.ClientCapabilities{"display": displayCaps, "fence": {}, "everything": everyCapability} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options{caps: caps, permission: func(q *question) choice {
				if strings.Contains(q.ToolCall.Title, "rejected") {
					return choice(acp.RejectOnce)
				}
				return choice(acp.AllowOnce)
			}}
			live := open(t, o)
			richTurns(live)
			loaded := live.reload(o)
			sameShowing(t, live, loaded)
			loaded.answers(loaded.place()) // after which nothing more comes
			sameShowing(t, live, loaded)
			loaded.see(func(sc *screen) {
				if n := len(slices.DeleteFunc(slices.Clone(sc.messages), func(m *said) bool { return m.role != roleUser })); n != 4 || len(sc.plan) != 2 {
					t.Errorf("%d prompts, %d entries of the plan", n, len(sc.plan))
				}
			})
			sameShowing(t, live, loaded.load(loaded.id)) // on one connection, too
			loaded.run("/read a.txt")
		})
	}
}

func foldersByOtherNames(t *testing.T) {
	h := newHome(t)
	link := filepath.Join(h.root, "link")
	if err := os.Symlink(h.cwd, link); err != nil {
		t.Fatal(err)
	}
	c := h.start(options{})
	openIn := func(cwd string) *session {
		s := &session{client: c}
		c.call(acp.MethodSessionNew, params{"cwd": cwd, "mcpServers": []any{}}, &s.made)
		s.id = s.made.SessionID
		return s
	}
	sessions := []*session{openIn(link), openIn(h.cwd), openIn(h.cwd + "/"), openIn(link + "/../work/.")}
	h.file("a.txt", "a\n")
	for _, s := range sessions {
		s.run("/read a.txt")
		if k := s.last(acp.KindRead); k.status != acp.StatusCompleted || k.title != "Read a.txt" {
			t.Errorf("read in a folder by another name: %s %q", k.status, k.title)
		}
	}
	c.leave()
	again := h.start(options{})
	for _, cwd := range []string{h.cwd, link, h.cwd + "/", link + "/", filepath.Join(h.root, "work")} {
		ids := again.list(params{"cwd": cwd})
		for i, s := range sessions {
			if !slices.Contains(ids, s.id) {
				t.Errorf("session %d is not in the list of %s", i, cwd)
			}
		}
	}
	again.load(sessions[0].id).run("/read a.txt")
}

func repeatedIDs(t *testing.T) {
	call := func(files ...string) step {
		var calls []args
		for _, f := range files {
			calls = append(calls, args{"name": "read", "args": args{"file_path": f}, "id": "call_0"})
		}
		return step{"calls": calls}
	}
	s := scripted(t, turnsOf([]step{call("a.txt", "b.txt"), call("a.txt"), {"say": "done"}}), options{})
	s.h.file("a.txt", "a\n")
	s.h.file("b.txt", "b\n")
	s.run("go")
	s.run("go on")
	other := s.newSession() // another session of the connection
	other.run("go")
	o := options{env: map[string]string{"AGENT_LS_MODEL": "script:" + filepath.Join(s.h.root, "script.json")}}
	loaded := s.reload(o)
	loaded.run("again")
	ids := map[string]bool{}
	for _, k := range append(loaded.cards(), other.cards()...) {
		completed(t, k)
		ids[k.id] = true
	}
	if n := len(loaded.cards()) + len(other.cards()); n != 12 || len(ids) != n {
		t.Errorf("%d calls have %d ids", n, len(ids))
	}
}

func optionsApply(t *testing.T) {
	s := open(t, options{permission: always(acp.RejectOnce)})
	mode := selectOf(s.made.ConfigOptions, "mode")
	for i, tt := range []struct {
		mode    string
		asked   int
		written bool
	}{{"full-access", 0, true}, {"ask", 1, false}, {"read-only", 0, false}, {"accept-edits", 0, true}, {"ask", 1, false}} {
		if got := selectOf(s.setOption(mode.ID, tt.mode), "mode").CurrentValue; got != tt.mode {
			t.Errorf("set to %s, answered %s", tt.mode, got)
		}
		file := fmt.Sprintf("%d.txt", i)
		if n := s.askedFor(write(file, "x\n")); n != tt.asked || s.h.exists(file) != tt.written {
			t.Errorf("%s: asked %d times, written: %v", tt.mode, n, s.h.exists(file))
		}
		s.see(func(sc *screen) {
			if sc.mode != tt.mode || selectOf(sc.options, "mode").CurrentValue != tt.mode {
				t.Errorf("%s: the client was told %s and %s", tt.mode, sc.mode, selectOf(sc.options, "mode").CurrentValue)
			}
		})
	}
	modeOfARunningTurn(t)
}

// modeOfARunningTurn: a mode that is set in a turn holds for its next call.
func modeOfARunningTurn(t *testing.T) {
	s := inMode(t, "full-access", options{permission: always(acp.RejectOnce)})
	turn := s.prompt(all("!while [ ! -e go ]; do sleep 0.01; done", write("late.txt", "x\n")))
	s.untilRunning()
	s.setMode("ask")
	s.h.file("go", "")
	stop(t, turn)
	if n := len(s.allQuestions()); n != 1 || s.h.exists("late.txt") {
		t.Errorf("asked %d times, written: %v", n, s.h.exists("late.txt"))
	}
}

func commandsFollow(t *testing.T) {
	s := scripted(t, turnsOf([]step{{"say": "hello"}}), options{})
	model := selectOf(s.made.ConfigOptions, "model")
	script := model.CurrentValue
	for _, tt := range []struct {
		model string
		some  bool
	}{{"direct", true}, {script, false}, {"direct", true}} {
		from := s.place()
		s.setOption(model.ID, tt.model)
		s.until("the commands of "+tt.model, func() bool {
			return s.count(from, func(l *line) bool { _, ok := l.update.(acp.AvailableCommandsUpdate); return ok }) > 0
		})
		var names []string
		s.see(func(sc *screen) {
			for _, c := range sc.commands {
				names = append(names, c.Name)
			}
		})
		if tt.some != (slices.Contains(names, "read") && slices.Contains(names, "edit") && slices.Contains(names, "bash")) {
			t.Errorf("%s: commands %v", tt.model, names)
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "/") }) {
			t.Errorf("commands with a slash: %v", names)
		}
	}
}

func unknownCommandsAreText(t *testing.T) {
	s := open(t, options{})
	for _, words := range []string{"/tmp is full?", "/nosuch", "/", "//read a.txt", "/readme.txt what is it", "/etc/passwd", " /read a.txt"} {
		s.run(words)
		if len(s.cards()) > 0 {
			t.Fatalf("%q made a call", words)
		}
	}
	if s.agentText() == "" {
		t.Error("no answer")
	}
	s.reload(options{}).see(func(sc *screen) {
		if sc.messages[0].role != roleUser || sc.messages[0].text != "/tmp is full?" {
			t.Errorf("the history begins with %q", sc.messages[0].text)
		}
	})
}

func failuresAreErrors(t *testing.T) {
	var turns [][]step
	statuses := []int{500, 429, 401, 503}
	for _, status := range statuses {
		turns = append(turns, []step{{"say": "partial"}, {"error": step{"status": status, "message": "upstream says\nno: goroutine 1"}}})
	}
	s := scripted(t, turnsOf(append(turns, []step{{"say": "fine again"}})...), options{})
	for _, status := range statuses {
		m := s.prompt("go").wait()
		switch {
		case m.Error == nil:
			t.Errorf("%d: answered %s", status, m.Result)
		case m.Error.Code != -32603 && !(status == 401 && m.Error.Code == -32000), !has(m.Error.Message, "upstream says"):
			t.Errorf("%d: %v", status, m.Error)
		case has(string(m.Error.Data), ".go:"):
			t.Errorf("%d: a stack trace in %s", status, m.Error.Data)
		}
	}
	s.run("go")
	s.reload(options{env: s.o.env}).run("go")
}
