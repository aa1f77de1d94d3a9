package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recording is a log in the making.
type recording struct{ strings.Builder }

func (r *recording) say(dir, msg string, args ...any) {
	fmt.Fprintf(r, `{"time":"2026-01-01T00:00:00Z","dir":%q,"msg":%s}`+"\n", dir, fmt.Sprintf(msg, args...))
}

// record is the log of a toy whose client prompts two words in cwd and answers
// the questions about them yes and no.
func record(cwd string) *recording {
	r := &recording{}
	quoted, _ := json.Marshal(cwd)
	session, _ := json.Marshal("session-1-of-" + cwd)
	r.say("in", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	r.say("out", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"toy","version":"old"}}}`)
	r.say("in", `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%s,"mcpServers":[]}}`, quoted)
	r.say("out", `{"jsonrpc":"2.0","id":2,"result":{"sessionId":%s,"_meta":{"made":"2026-01-01T00:00:00Z"}}}`, session)
	r.say("in", `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"foo bar"}]}}`, session)
	for i, word := range []string{"foo", "bar"} {
		outcome, request := []string{"yes", "no"}[i], 100+i
		call, _ := json.Marshal(fmt.Sprintf("session-1-of-%s-%d", cwd, i))
		r.say("out", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":{"sessionUpdate":"tool_call","toolCallId":%s,"title":%q,"status":"pending"}}}`, session, call, word)
		r.say("out", `{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":%s,"toolCall":{"toolCallId":%s}}}`, request, session, call)
		r.say("in", `{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, request, outcome)
		r.say("out", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":{"sessionUpdate":"tool_call_update","toolCallId":%s,"status":"completed"}}}`, session, call)
		r.say("out", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"%s %s. "}}}}`, session, i, outcome, word)
	}
	r.say("out", `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`)
	return r
}

// play plays a log against a toy.
func play(ctx context.Context, t *testing.T, text, kind string, timeout time.Duration) (*Report, error) {
	t.Helper()
	l, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return Play(ctx, l, Options{
		Program: os.Args[0], Env: append(os.Environ(), toyVariable+"="+kind, "GORACE=atexit_sleep_ms=0"), Dir: t.TempDir(),
		Scratch: t.TempDir(), Timeout: timeout, Settle: 20 * time.Millisecond,
	})
}

// differing are the kinds in which a report has differences.
func differing(r *Report) string {
	var kinds []string
	for _, d := range r.Differences {
		kinds = append(kinds, d.Kind)
	}
	return strings.Join(kinds, ", ")
}

func TestPlayEqual(t *testing.T) {
	cwd := t.TempDir()
	r, err := play(t.Context(), t, record(cwd).String(), "plain", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Equal || len(r.Differences) > 0 {
		var b strings.Builder
		_ = r.Write(&b)
		t.Errorf("report:\n%s", b.String())
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "is played in a copy") {
		t.Errorf("notes %s", notes)
	}
}

func TestPlayDiffers(t *testing.T) {
	log := record(t.TempDir())
	for _, tt := range []struct {
		name, kind, text string
		differ           string
		notes            string
	}{
		{"a program that asks more", "curious", log.String(), "<session 1> tool calls, request session/request_permission, <session 1> messages", ""},
		{"a program that does not answer", "mute", log.String(), "", "stopped before line"},
		{"a program that dies", "mortal", log.String(), "", "the program has ended"},
		{"a log without the answers", "plain", strings.ReplaceAll(log.String(), `"dir":"in","msg":{"jsonrpc":"2.0","id":10`, `"dir":"in","msg":{"jsonrpc":"2.0","id":70`), "<session 1> messages", ""},
		{"a log that is torn", "plain", log.String() + `{"time":`, "", "torn"},
		{"a log with lines that were no messages", "plain", log.String() + `{"time":"t","dir":"in","skipped":"parse error"}` + "\n", "", "1 lines of the client were no messages"},
		{"a log with secrets", "plain", strings.Replace(log.String(), `"mcpServers":[]`, `"mcpServers":[{"name":"m","command":"/c","args":[],"env":[{"name":"K","value":"[redacted]"}]}]`, 1), "", "1 messages of the client hold values that the log hides"},
		{"a second connection", "plain", log.String() + strings.Replace(log.String(), "foo bar", "baz", 1), "connection 2, <session 1> tool calls", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			timeout := time.Minute
			if tt.kind == "mute" {
				timeout = 300 * time.Millisecond
			}
			r, err := play(t.Context(), t, tt.text, tt.kind, timeout)
			if err != nil {
				t.Fatal(err)
			}
			if got := differing(r); !strings.Contains(got, tt.differ) || r.Equal != (got == "") {
				t.Errorf("differs in %s, want %s", got, tt.differ)
			}
			if got := strings.Join(r.Notes, "\n"); !strings.Contains(got, tt.notes) {
				t.Errorf("notes %s, want %s", got, tt.notes)
			}
		})
	}
}

func TestPlayIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := play(ctx, t, record(t.TempDir()).String(), "mute", time.Minute); err == nil {
		t.Error("no error")
	}
}

func TestProgramsThatCannotBePlayed(t *testing.T) {
	l, err := Read(strings.NewReader(record(t.TempDir()).String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Play(t.Context(), l, Options{Program: "/no/such/program", Dir: t.TempDir(), Scratch: t.TempDir()}); err == nil {
		t.Error("no error for a program that is not there")
	}
	if _, err := play(t.Context(), t, record(t.TempDir()).String(), "no log", time.Minute); err == nil || !strings.Contains(err.Error(), "no wire log") {
		t.Errorf("error %v for a program that keeps no log", err)
	}
}

func TestFolders(t *testing.T) {
	root := t.TempDir()
	outer, sibling, gone := filepath.Join(root, "a"), filepath.Join(root, "ab"), filepath.Join(root, "gone")
	for _, file := range []string{"a/x.txt", "a/in/y.txt", "ab/z.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte(file), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	r := &recording{}
	r.WriteString(hello)
	for i, dir := range []string{filepath.Join(outer, "in"), outer, sibling, gone, "/", "relative", outer} {
		quoted, _ := json.Marshal(dir)
		r.say("in", `{"jsonrpc":"2.0","id":%d,"method":"session/new","params":{"cwd":%s,"additionalDirectories":[%s]}}`, i+2, quoted, quoted)
	}
	l, err := Read(strings.NewReader(r.String()))
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	list, notes, err := l.prepare(scratch)
	if err != nil || len(list) != 3 || !strings.Contains(strings.Join(notes, "\n"), gone+" is not there") {
		t.Fatalf("folders %v, notes %q, %v", list, notes, err)
	}
	for file, want := range map[string]string{"folder-1/x.txt": "a/x.txt", "folder-1/in/y.txt": "a/in/y.txt", "folder-2/z.txt": "ab/z.txt"} {
		if text, err := os.ReadFile(filepath.Join(scratch, file)); string(text) != want {
			t.Errorf("%s holds %q, %v", file, text, err)
		}
	}
	quote := func(dir, file string) string {
		b, _ := json.Marshal(filepath.Join(dir, file))
		return string(b)
	}
	replace := replacer(list)
	for from, to := range map[string]string{
		quote(outer, "in"): quote(list[0].played, "in"), quote(sibling, "z"): quote(list[1].played, "z"), quote(root, "b"): quote(root, "b"),
	} {
		if got := string(replace(json.RawMessage(from))); got != to {
			t.Errorf("%s becomes %s, want %s", from, got, to)
		}
	}
}

func TestFolderThatIsTooLarge(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(maxBytes + 1); err != nil {
		t.Skip(err)
	}
	if err := copyFolder(filepath.Join(t.TempDir(), "copy"), dir); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("error %v", err)
	}
}
