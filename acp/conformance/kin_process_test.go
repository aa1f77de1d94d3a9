package conformance

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

var processKin = []scenario{
	{"trees end with a cancel", treesEnd}, {"background commands", backgroundCommands}, {"deadlines", deadlines}, {"environment", environment},
	{"signals end the process", signalsEnd}, {"a new session writes nothing", nothingWritten}, {"state is private", stateIsPrivate},
}

// trees are commands that try to outlive their call.
var trees = []string{
	"!sleep 611 & sleep 612 & wait", "!sh -c 'sleep 613 & sleep 614'", "!nohup sleep 615 >/dev/null 2>&1 & sleep 616",
	"!trap '' TERM INT HUP; sleep 617; sleep 618", "!(trap '' TERM; sleep 619) & (sleep 620 | cat) & wait",
}

func treesEnd(t *testing.T) {
	needProc(t)
	for name, end := range map[string]func(s *session, turn *turn){
		"session/cancel": func(s *session, turn *turn) { s.cancelled(turn) },
		"session/close":  func(s *session, _ *turn) { s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil) },
		"end of input":   func(s *session, _ *turn) { s.leave() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := trees
			if testing.Short() {
				list = trees[2:4]
			}
			for _, tree := range list {
				s := inMode(t, "full-access", options{})
				turn := s.prompt(tree)
				if !poll(func() bool { return len(s.children()) >= 2 }) {
					t.Fatalf("%s does not run", tree)
				}
				end(s, turn)
				s.nothingRuns()
			}
		})
	}
}

func backgroundCommands(t *testing.T) {
	needProc(t)
	s := inMode(t, "full-access", options{})
	other := s.newSession()
	s.run(tool("bash", args{"command": "echo begun; sleep 621", "run_in_background": true}))
	k := s.last(acp.KindExecute)
	completed(t, k)
	task := "bash-1"
	if !has(k.text(), task) {
		t.Fatalf("the card says %s", k.text())
	}
	if !poll(func() bool {
		s.run("/bash_output " + task)
		return has(s.last(acp.KindExecute).text(), "begun")
	}) {
		t.Error("the output is not there")
	}
	other.run("/bash_output " + task) // another session's task is not its own
	for _, k := range other.cards() {
		failed(t, k)
	}
	s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil)
	s.nothingRuns()
}

func deadlines(t *testing.T) {
	s := inMode(t, "full-access", options{caps: displayCaps})
	s.run(tool("bash", args{"command": "sleep 622", "timeout_ms": 300}))
	k := s.last(acp.KindExecute)
	completed(t, k) // which shows it (contract §3)
	if has(k.term.exit, `"exit_code":0`) {
		t.Errorf("card %s", k.facts())
	}
	s.nothingRuns()
}

// environment: secrets of the editor's environment do not reach commands, all
// else does; nothing pages or prompts.
func environment(t *testing.T) {
	h := newHome(t)
	s := h.start(options{env: map[string]string{"MY_API_KEY": "hidden-1", "SOME_SECRET_X": "hidden-2", "github_token": "hidden-3", "ORDINARY": "kept"}}).newSession()
	s.setMode("full-access")
	s.run("!env; pwd")
	text := s.last(acp.KindExecute).text()
	if has(text, "hidden-") || !has(text, "ORDINARY=kept", "TERM=dumb", "PAGER=cat", "GIT_TERMINAL_PROMPT=0", h.cwd) {
		t.Errorf("the environment of commands: %s", text)
	}
}

func signalsEnd(t *testing.T) {
	needProc(t)
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		s := inMode(t, "full-access", options{})
		s.prompt("!echo begun; sleep 623")
		s.untilRunning()
		s.mu.Lock()
		s.killed = true
		s.mu.Unlock()
		s.cmd.Process.Signal(signal)
		s.until("the end of the process", func() bool { return s.ended })
		s.nothingRuns()
		loaded := s.h.start(options{}).load(s.id)
		loaded.settledCards()
	}
}

// nothingWritten: a session that was never prompted leaves nothing behind.
func nothingWritten(t *testing.T) {
	s := open(t, options{})
	s.setMode("accept-edits")
	s.leave()
	for _, dir := range []string{s.h.state, s.h.config, s.h.cwd} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s holds %v (%v)", dir, entries, err)
		}
	}
	if ids := s.h.start(options{}).list(params{}); len(ids) > 0 {
		t.Errorf("the list holds %v", ids)
	}
}

// stateIsPrivate: folders are 0700, files 0600 (contract §8).
func stateIsPrivate(t *testing.T) {
	s := inMode(t, "ask", options{permission: always(acp.AllowAlways)})
	s.run(all("!seq 1 30000", write("n.txt", "x\n")))
	s.leave()
	var odd []string
	walkFiles(t, s.h.state, func(path string, info os.FileInfo) {
		if path != s.h.state && info.Mode().Perm()&0o077 != 0 {
			odd = append(odd, info.Mode().String()+" "+strings.TrimPrefix(path, s.h.state))
		}
	})
	if len(odd) > 0 {
		t.Errorf("others may look into %v", odd)
	}
}
