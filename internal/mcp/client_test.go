package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

func TestStdioServer(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools", "WORD=pong", "MY_TOKEN=given")},
		func(o *Options) {
			o.Environ = append(os.Environ(), "OTHER_SECRET=hidden", "UNRELATED=hidden", "LC_ALL=C")
		})
	w.ready("echo", "roots")
	if got := w.says("echo", "hello"); got != "hello" {
		t.Errorf("echo says %q", got)
	}
	for name, want := range map[string]string{
		"WORD": `"pong" true`, "MY_TOKEN": `"given" true`, "LC_ALL": `"C" true`, "GIT_TERMINAL_PROMPT": `"0" true`,
		"OTHER_SECRET": `"" false`, "UNRELATED": `"" false`,
		"PATH": fmt.Sprintf("%q true", os.Getenv("PATH")),
	} {
		if got := w.says("env", name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	got := w.says("roots", "")
	for _, dir := range []string{w.cwd, "/else where"} {
		if want := fileURI(dir) + " " + filepath.Base(dir) + "\n"; !strings.Contains(got, want) {
			t.Errorf("roots are %q, without %q", got, want)
		}
	}
	if n := eventsOf[agent.Notice](w.sink); len(n) > 0 {
		t.Errorf("notices %v", n)
	}
}

func TestDeadServersFailNothing(t *testing.T) {
	w := connect(t, []ServerConfig{
		{Name: "absent", Command: "/no/such/program"},
		stdioServer("broken", "broken"),
		{Name: "odd", URL: "ftp://example.invalid/mcp"},
		{Name: "closed", URL: "http://127.0.0.1:1/mcp"},
		stdioServer("alive", "tools"),
	})
	w.ready("mcp__alive__echo")
	for name, why := range map[string]string{
		"absent": "could not be started", "broken": "exit code 2; it last said: Error: cannot find the module",
		"odd": "does not begin with http", "closed": "connect",
	} {
		n := w.notice(fmt.Sprintf("The MCP server %q is not available", name))
		if n.Severity != "warning" || !strings.Contains(n.Text, why) || !strings.Contains(n.Text, "open the session again") {
			t.Errorf("%s: %+v, want %q and what to do", name, n, why)
		}
	}
	if got := w.says("mcp__alive__echo", "here"); got != "here" {
		t.Errorf("the living one says %q", got)
	}
}

func TestServerThatNeverAnswers(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("mute", "silent")}, func(o *Options) { o.ConnectTimeout = 50e6 })
	if n := w.notice("not available"); !strings.Contains(n.Text, "did not get ready in time") {
		t.Errorf("%+v", n)
	}
}

func TestServerThatPrints(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("noisy", "noisy")})
	w.ready("echo")
	if got := w.says("echo", "x"); got != "x" {
		t.Errorf("echo says %q", got)
	}
}

func TestServerDiesInTheMiddle(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("die")
	if got := w.fails("die", "", CodeError); !strings.Contains(got, "ended while it ran the call") || !strings.Contains(got, "Look before") {
		t.Errorf("%q", got)
	}
	n := w.notice(`The MCP server "test" is gone`)
	if !strings.Contains(n.Text, "exit code 3") || !strings.Contains(n.Text, "fatal: out of luck") {
		t.Errorf("%+v", n)
	}
	if got := w.says("echo", "again"); got != "again" {
		t.Errorf("the next call says %q: it should start the server again", got)
	}
	w.session.Close()
	if n := len(eventsOf[agent.Notice](w.sink)); n != 1 {
		t.Errorf("%d notices, want the one", n)
	}
}

func TestResults(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("kinds")
	r := w.call(context.Background(), "kinds", "")
	var types []presentation.BlockType
	for _, b := range r.Content {
		types = append(types, b.Type)
	}
	if got := fmt.Sprint(types); got != "[text image text other resource_link resource resource]" {
		t.Fatalf("content is %s", got)
	}
	if b := r.Content[1]; string(b.Data) != string(pixel) || b.MIMEType != "image/png" {
		t.Errorf("image %+v", b)
	}
	if b := r.Content[2]; b.Text != "[audio: audio/wav, 4 bytes]" {
		t.Errorf("audio %+v", b)
	}
	if b := r.Content[4]; b.URI != "file:///a.txt" || b.Name != "a.txt" {
		t.Errorf("link %+v", b)
	}
	if b := r.Content[5]; b.Text != "inside" || b.URI != "file:///b.txt" {
		t.Errorf("text resource %+v", b)
	}
	if b := r.Content[6]; string(b.Data) != "\x01\x02" {
		t.Errorf("binary resource %+v", b)
	}
	if string(r.Details) != `{"n":1}` {
		t.Errorf("details %s", r.Details)
	}
	if got := w.fails("fail", "", CodeError); got != "the disk is full" {
		t.Errorf("a tool's own failure says %q", got)
	}
	if got := w.fails("refuse", "", CodeError); !strings.Contains(got, "not today (code -32050). Correct the call") {
		t.Errorf("a refusal says %q", got)
	}
}

func TestProgress(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("progress")
	w.says("progress", "")
	var got []string
	for _, e := range eventsOf[agent.ToolCallProgress](w.sink) {
		got = append(got, e.Content[0].Text)
	}
	if last := "step 3 (3 of 3)"; len(got) == 0 || got[len(got)-1] != last {
		t.Errorf("progress %q, want the last to be %q", got, last)
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("block")
	mark := filepath.Join(w.cwd, "mark")
	exists := func() bool { _, err := os.Stat(mark); return err == nil }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan tools.Result)
	go func() { done <- w.call(ctx, "block", mark) }()
	for !exists() {
		w.says("echo", "")
	}
	cancel()
	if r := <-done; r.Error == nil || r.Error.Code != tools.CodeAborted {
		t.Errorf("a cancelled call is %+v", r)
	}
	for exists() { // until the server has heard of it
		w.says("echo", "")
	}
}

func TestSilentCallIsGivenUp(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")}, func(o *Options) { o.Silence = 50e6 })
	w.ready("block")
	if got := w.fails("block", "", tools.CodeToolTimeout); !strings.Contains(got, "no sign of life for 50ms") {
		t.Errorf("%q", got)
	}
	if got := w.says("echo", "on"); got != "on" {
		t.Errorf("the next call says %q", got)
	}
}

func TestToolsChange(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("more")
	before := len(eventsOf[agent.ToolsChanged](w.sink))
	w.says("more", "brand new")
	w.ready("brand_new")
	if got := w.says("brand_new", ""); got != "new" {
		t.Errorf("the new tool says %q", got)
	}
	if after := len(eventsOf[agent.ToolsChanged](w.sink)); after == before {
		t.Error("nobody was told")
	}
}

func TestNamesInASession(t *testing.T) {
	t.Run("one server", func(t *testing.T) {
		w := connect(t, []ServerConfig{stdioServer("my server", "tools")})
		w.ready("echo", "more")
		w.says("more", "read") // a built-in tool has that name
		w.ready("mcp__my_server__read")
		if got := w.says("mcp__my_server__read", ""); got != "new" {
			t.Errorf("the server's read says %q", got)
		}
		if got := w.says("read", ""); got != "built in" {
			t.Errorf("read says %q", got)
		}
	})
	t.Run("two servers", func(t *testing.T) {
		w := connect(t, []ServerConfig{stdioServer("a", "tools"), stdioServer("a", "tools", "WHO=second")})
		w.ready("mcp__a__echo", "mcp__a_2__echo")
		if first, second := w.says("mcp__a__env", "WHO"), w.says("mcp__a_2__env", "WHO"); first != `"" false` || second != `"second" true` {
			t.Errorf("%s and %s", first, second)
		}
	})
}

func TestServerThatWillNotLeave(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("deaf", "deaf")})
	w.ready("echo")
	w.session.Close() // and no goroutine is left
}

func TestCloseWhileConnecting(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("mute", "silent"), stdioServer("test", "tools"), {Name: "x", URL: "http://127.0.0.1:1/"}})
	w.session.Close()
	Connect(w.session, []ServerConfig{stdioServer("late", "tools")}, Options{}).Close() // on a closed session
}

func TestCardOfACall(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("echo")
	w.says("echo", "x")
	e := eventsOf[agent.ToolCallStarted](w.sink)[0]
	card, ok := e.View.(*presentation.GenericCall)
	if !ok || card.Title != "echo" || card.Kind != presentation.KindOther || string(card.RawInput) != `{"text":"x"}` {
		t.Errorf("card %+v", e.View)
	}
}
