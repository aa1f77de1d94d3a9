package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// lspEditor is an editor with one "agent-ls lsp".
type lspEditor struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	messages chan message
}

// connectLSP starts a language server for the folder of h, and waits until it has
// answered initialize.
func connectLSP(t *testing.T, h home) *lspEditor {
	t.Helper()
	cmd := h.command(t, "lsp")
	cmd.Stderr = logTo(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &lspEditor{t: t, cmd: cmd, in: in, messages: make(chan message, 64)}
	go e.read(out)
	t.Cleanup(func() {
		in.Close()
		for range e.messages { // the reader may be waiting for room
		}
		_ = cmd.Wait() // it leaves without shutdown
	})
	e.send(`"id":1,"method":"initialize","params":{"capabilities":{"experimental":{"acp":{}}},"workspaceFolders":[{"uri":` + fileURI(h.cwd) + `,"name":"w"}]}`)
	e.until("the answer to initialize", func(m message) bool { return string(m.ID) == "1" })
	e.send(`"method":"initialized","params":{}`)
	return e
}

func fileURI(path string) string { return strconv.Quote("file://" + filepath.ToSlash(path)) }

// send sends a message, given as the members behind its version.
func (e *lspEditor) send(members string) {
	e.t.Helper()
	body := `{"jsonrpc":"2.0",` + members + `}`
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
}

func (e *lspEditor) read(out io.Reader) {
	defer close(e.messages)
	for r := textproto.NewReader(bufio.NewReader(out)); ; {
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.t.Errorf("no length in %v", header)
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r.R, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Errorf("no message: %v", err)
		}
		e.messages <- m
	}
}

// until returns the first message that matches; requests are answered with null.
func (e *lspEditor) until(what string, match func(message) bool) message {
	e.t.Helper()
	for m := range e.messages {
		if m.Method != "" && m.ID != nil {
			e.send(`"id":` + string(m.ID) + `,"result":null`)
		}
		if match(m) {
			return m
		}
	}
	e.t.Fatalf("the server has left before %s came", what)
	return message{}
}

// TestACPJoinsTheLanguageServer: an ACP client on the folder of an LSP editor sees
// its unsaved text, and what it changes is reviewed there.
func TestACPJoinsTheLanguageServer(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "saved\n")
	h.put(t, "b.txt", "one\n")
	editor := connectLSP(t, h)
	uri := fileURI(filepath.Join(h.cwd, "a.txt"))
	editor.send(`"method":"textDocument/didOpen","params":{"textDocument":{"uri":` + uri + `,"languageId":"x","version":1,"text":"saved\n"}}`)
	editor.send(`"method":"textDocument/didChange","params":{"textDocument":{"uri":` + uri + `,"version":2},"contentChanges":[{"text":"typed\n"}]}`)
	// An answer says that what came before it has been taken.
	editor.send(`"id":2,"method":"workspace/executeCommand","params":{"command":"agent-ls.checkpoints","arguments":[]}`)
	editor.until("the answer to a request", func(m message) bool { return string(m.ID) == "2" })

	c := connect(t, h)
	c.open(h)
	id := c.prompt("/read a.txt\n/read b.txt\n" + `/edit {"file_path":"b.txt","old_string":"one","new_string":"ONE"}`)
	var said strings.Builder
	m := c.until("the answer to the prompt", func(m message) bool {
		said.Write(m.Params)
		return m.Method == "" && string(m.ID) == id
	})
	if m.Error != nil || !strings.Contains(said.String(), "1: typed") || h.text(t, "b.txt") != "ONE\n" {
		t.Errorf("answer %+v\n%s", m, said.String())
	}
	if !strings.Contains(string(m.Result), "agent-ls/checkpoint") {
		t.Errorf("the turn has no checkpoint: %s", m.Result)
	}
	review := editor.until("the review", func(m message) bool { return m.Method == "agent-ls/review" })
	if !strings.Contains(string(review.Params), "b.txt") || !strings.Contains(string(review.Params), c.session) {
		t.Errorf("review %s", review.Params)
	}
}

// TestTheEditorLeavesFirst: who has joined says so, and does not end as if all were
// well, whether the editor left in good order or was killed.
func TestTheEditorLeavesFirst(t *testing.T) {
	for name, end := range map[string]func(*lspEditor) error{
		"in good order": func(e *lspEditor) error { return e.in.Close() },
		"killed":        func(e *lspEditor) error { return e.cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			editor := connectLSP(t, h)
			cmd := h.command(t, "acp")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if err := end(editor); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.Contains(said.String(), "the editor's agent-ls") {
				t.Errorf("%v; it says %q", err, said.String())
			}
		})
	}
}

// TestJoinIsASetting: without it every process works alone.
func TestJoinIsASetting(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "saved\n")
	h.env = append(h.env, "AGENT_LS_JOIN=false")
	editor := connectLSP(t, h)
	uri := fileURI(filepath.Join(h.cwd, "a.txt"))
	editor.send(`"method":"textDocument/didOpen","params":{"textDocument":{"uri":` + uri + `,"languageId":"x","version":1,"text":"typed\n"}}`)
	c := connectMCP(t, h, nil)
	if text, r := c.do("read", readA); r.IsError || !strings.Contains(text, "1: saved") {
		t.Errorf("read: %s", text)
	}
}
