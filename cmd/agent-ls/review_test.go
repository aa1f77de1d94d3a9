package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// command runs a command of the server and returns its answer.
func (e *lspEditor) command(id, name string, arguments ...string) message {
	e.t.Helper()
	list, err := json.Marshal(append([]string{}, arguments...))
	if err != nil {
		e.t.Fatal(err)
	}
	e.send(`"id":` + id + `,"method":"workspace/executeCommand","params":{"command":"agent-ls.` + name + `","arguments":` + string(list) + `}`)
	m := e.until("the answer to "+name, func(m message) bool { return m.Method == "" && string(m.ID) == id })
	if m.Error != nil {
		e.t.Fatalf("%s: %+v", name, m.Error)
	}
	return m
}

// TestReviewAfterAKill: all that a turn changed is reviewed after it was answered,
// also when the server is killed at that moment.
func TestReviewAfterAKill(t *testing.T) {
	h := newHome(t)
	var before, prompt strings.Builder
	prompt.WriteString("/read a.txt")
	for i := range 20 {
		fmt.Fprintf(&before, "line %d.\n", i)
		fmt.Fprintf(&prompt, "\n/edit {\"file_path\":\"a.txt\",\"old_string\":\"line %d.\",\"new_string\":\"new %d.\"}", i, i)
	}
	h.put(t, "a.txt", before.String())
	editor := connectLSP(t, h)
	editor.command("2", "setMode", "full-access")
	editor.command("3", "prompt", prompt.String())
	if err := editor.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(h.text(t, "a.txt"), "line") {
		t.Fatalf("the turn did not change all lines:\n%s", h.text(t, "a.txt"))
	}
	editor = connectLSP(t, h)
	editor.command("2", "undoAll")
	if got := h.text(t, "a.txt"); got != before.String() {
		t.Errorf("after undoAll:\n%s", got)
	}
}
