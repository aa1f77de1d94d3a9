//go:build unix

package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/tools"
)

// endless is a pipeline that never ends by itself, and prints nothing after its
// first line.
const endless = `echo so far; while :; do find / 2>/dev/null; done | grep "$$ is no file's name"`

// unreasonable is longer than any call of these tests takes on a busy machine.
const unreasonable = time.Minute

// TestBashStopsPipelines: a pipeline that is stopped returns soon, with the
// output so far, by its deadline and by a cancel.
func TestBashStopsPipelines(t *testing.T) {
	s, _ := newShell(t, Options{})
	begun := time.Now()
	got := ""
	for ms := 300; !strings.HasPrefix(got, "so far\n") && ms < 60_000; ms *= 2 { // a busy shell may start late
		begun = time.Now()
		got = s.ok("bash", args{"command": endless, "timeout_ms": ms})
		if !strings.Contains(got, fmt.Sprintf("[timed out after %dms]", ms)) {
			t.Errorf("deadline: %.100q … %q", got, got[max(0, len(got)-100):])
		}
	}
	if !strings.HasPrefix(got, "so far\n") {
		t.Errorf("deadline: %.100q", got)
	}
	if took := time.Since(begun); took > unreasonable {
		t.Errorf("the deadline took %v", took)
	}

	// A cancelled call waits a second for its command to end, and then does
	// without its output.
	got = ""
	for n := 0; !strings.HasPrefix(got, "so far\n") && n < 20; n++ {
		begun = time.Now()
		got = cancelled(t, s, endless)
	}
	if !strings.HasPrefix(got, "so far\n") {
		t.Errorf("cancel: %.100q", got)
	}
	if took := time.Since(begun); took > unreasonable {
		t.Errorf("the cancel took %v", took)
	}
}

// cancelled returns the text of a call that is cancelled when its command shows
// something.
func cancelled(t *testing.T, s *session, command string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.run.Events = cancelOnOutput{s.cards, cancel}
	r := s.pipe.ExecuteRaw(ctx, s.run, tools.Call{ID: "c", Name: "bash", Arguments: string(mustJSON(args{"command": command}))})
	got := text(r)
	if !r.IsError || r.Error == nil || r.Error.Code != tools.CodeAborted || !strings.HasSuffix(got, "Error: command aborted. Run it again only if it is still wanted") {
		t.Errorf("cancel: %+v, %.100q … %q", r.Error, got, got[max(0, len(got)-100):])
	}
	return got
}

// TestBashLeavesDaemons: a process that goes off on its own does not hold up
// the call that started it.
func TestBashLeavesDaemons(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid here")
	}
	s, _ := newShell(t, Options{})
	begun := time.Now()
	got := s.ok("bash", args{"command": "setsid sleep 300 & echo $!; echo hi"})
	if took := time.Since(begun); took > unreasonable {
		t.Errorf("took %v", took)
	}
	found := regexp.MustCompile(`^(\d+)\nhi\n$`).FindStringSubmatch(got)
	if found == nil {
		t.Fatalf("%q", got)
	}
	pid, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// TestBashBytes: whatever bytes a command prints, in whatever pieces, every
// text of the call is valid, and its result survives JSON.
func TestBashBytes(t *testing.T) {
	s, _ := newShell(t, Options{})
	for command, want := range map[string]string{
		`printf '\342\211'`:                          "\uFFFD\uFFFD",
		`printf 'a\342'; sleep 0.05; printf '\211z'`: "a\uFFFD\uFFFDz",
		`printf '\377\376\375'`:                      "\uFFFD\uFFFD\uFFFD",
		`printf 'a\000\001b'`:                        "ab",
		`printf '\342\211' >&2`:                      "[stderr]\n\uFFFD\uFFFD",
		`printf '\355\240\200'`:                      "\uFFFD\uFFFD\uFFFD",
	} {
		r := s.call("bash", args{"command": command})
		got := text(r)
		data, err := json.Marshal(r)
		var back tools.Result
		if err != nil || !utf8.Valid(data) || json.Unmarshal(data, &back) != nil || text(back) != got {
			t.Errorf("%s: %q does not survive JSON: %v", command, got, err)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
		for _, u := range s.cards.updates {
			if out, ok := u.(tools.Output); !ok || !utf8.ValidString(out.Text) {
				t.Errorf("%s: update %#v", command, u)
			}
		}
	}
}

// TestBashCommandsSideBySide runs many commands of one message; all end, and
// each has its own output.
func TestBashCommandsSideBySide(t *testing.T) {
	s, _ := newShell(t, Options{})
	calls := make([]callSpec, 40)
	for i := range calls {
		calls[i] = callSpec{"bash", args{"command": "sleep 0.01; echo " + strconv.Itoa(i) + "; exit " + strconv.Itoa(i)}}
	}
	for i, r := range s.batch(calls) {
		want := strconv.Itoa(i) + "\n"
		if i > 0 {
			want += "[exit code: " + strconv.Itoa(i) + "]"
		}
		if text(r) != want {
			t.Errorf("command %d: %q", i, text(r))
		}
	}
}
