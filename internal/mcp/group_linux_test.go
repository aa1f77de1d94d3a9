package mcp

import (
	"bytes"
	"os"
	"testing"
)

// TestServerTakesItsChildrenAlong closes a session whose server has started a
// process of its own.
func TestServerTakesItsChildrenAlong(t *testing.T) {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")})
	w.ready("child")
	pid := w.says("child", "")
	alive := func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err == nil && !bytes.Contains(stat, []byte(") Z "))
	}
	if !alive() {
		t.Fatalf("there is no child %s", pid)
	}
	w.session.Close()
	if alive() {
		t.Errorf("the child %s runs on", pid)
	}
}
