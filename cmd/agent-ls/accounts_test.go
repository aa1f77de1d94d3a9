package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// loginAgent is an agent that greets, and with --web lets its user log in.
const loginAgent = `
case "$*" in *--web*) read -r word; echo "hello $word by $WAY"; exit 7;; esac
read -r line
id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"authMethods":[{"type":"terminal","id":"web","name":"Web","args":["--web"],"env":{"WAY":"web"}}]}}\n' "$id"
cat >/dev/null
`

// TestTerminalLogin: --login runs the agent's own login in the terminal, with its
// exit status, and editors with a terminal for it are offered that.
func TestTerminalLogin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a script for sh")
	}
	h := newHome(t)
	program, file := filepath.Join(h.dir, "agent.sh"), filepath.Join(h.dir, "login.toml")
	for path, text := range map[string]string{program: loginAgent, file: fmt.Sprintf("[acp.inner]\ncommand = \"sh\"\nargs = [%q]\n", program)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	login := func(way, model string) (out string, code int) {
		cmd := h.command(t, "acp", "--config", file, "--model", model, "--login", way)
		cmd.Stdin = strings.NewReader("user\n")
		text, _ := cmd.CombinedOutput() // the exit status is what is looked at
		return string(text), cmd.ProcessState.ExitCode()
	}
	if out, code := login("web", "acp:inner"); out != "hello user by web\n" || code != 7 {
		t.Errorf("exit status %d: %s", code, out)
	}
	if out, code := login("other", "acp:inner"); code != exitFailed || !strings.Contains(out, "but web") {
		t.Errorf("another way: exit status %d: %s", code, out)
	}
	if out, code := login("web", "direct"); code != exitUsage || !strings.Contains(out, "for hosted agents") {
		t.Errorf("no agent: exit status %d: %s", code, out)
	}
	for terminal, want := range map[bool]string{
		false: `"authMethods":[]`, true: `"authMethods":[{"type":"terminal","id":"web","name":"Web","args":["--login","web"]}]`,
	} {
		c := connect(t, h, "--config", file, "--model", "acp:inner")
		hello := c.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"auth": map[string]any{"terminal": terminal}}})
		if !strings.Contains(string(hello), want) {
			t.Errorf("terminal %t: %s", terminal, hello)
		}
	}
}
