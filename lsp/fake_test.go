package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/internal/rpc"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// patience bounds every wait of a test that would otherwise never end; nothing
// is timed by it.
const patience = 2 * time.Minute

// personality is how a fake editor differs from others.
type personality struct {
	// file is the recorded initialize request, "" for one without capabilities.
	file string
	// stale says what becomes of an edit for another version: "reject" answers
	// applied:false, "skip" says applied:true all the same.
	stale string
	// late says that changes by an edit are sent after its answer.
	late bool
	// apart says that each part of an edit is a change of its own, with its own
	// version.
	apart bool
	// stripsBOM says that a byte order mark is not part of the text.
	stripsBOM bool
}

var personalities = map[string]personality{
	"vscode": {file: "vscode-1.139", stale: "reject", stripsBOM: true},
	"nvim10": {file: "nvim-0.10.4", stale: "skip", late: true, apart: true, stripsBOM: true},
	"nvim12": {file: "nvim-0.12.4", stale: "skip", late: true, apart: true, stripsBOM: true},
	"bare":   {},
}

// message is any message of the wire.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireFault      `json:"error"`
}

type wireFault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *wireFault) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// fakeDoc is a document as the editor has it: the full text, the oracle.
type fakeDoc struct {
	uri     string
	text    string
	version int
	held    []map[string]any // changes that the server is not told of yet
}

// question is a question to the user; the test answers it.
type question struct {
	id     string
	text   string
	titles []string
	answer chan string
}

// editor is the fake editor. It keeps everything that it was sent, for tests to
// wait on: nothing is timed.
type editor struct {
	t    *testing.T
	p    personality
	dir  string
	enc  diff.Encoding
	out  io.WriteCloser
	done chan struct{}

	writeMu sync.Mutex
	applyMu sync.Mutex // one edit at a time, as editors do

	mu           sync.Mutex
	wake         chan struct{} // closed and renewed at every message
	nextID       int
	pending      map[int]chan message
	docs         map[string]*fakeDoc
	edits        []json.RawMessage
	shown        []string
	questions    []*question
	withdrawn    []string
	messages     []string
	begun        map[string]string // progress titles by token
	ended        map[string]bool
	refreshed    []string
	updates      []json.RawMessage // session/update
	reviews      []json.RawMessage // agent-ls/review
	unread       []int             // error codes of answers under the id null
	saves        []string
	server       json.RawMessage // capabilities
	refuseCreate bool
	// onEdit, when set, decides about an edit: "", "reject", "lie", "silent".
	onEdit func() string
	// onQuestion answers a question by a button's title, "" dismisses it; nil
	// leaves it to the test.
	onQuestion func(q *question) string
	faults     []string
}

// connect starts an editor at the client's ends of a connection.
func connect(t *testing.T, p personality, dir string, in io.Reader, out io.WriteCloser) *editor {
	e := &editor{
		t: t, p: p, dir: dir, enc: diff.UTF16, out: out, done: make(chan struct{}), wake: make(chan struct{}),
		pending: map[int]chan message{}, docs: map[string]*fakeDoc{}, begun: map[string]string{}, ended: map[string]bool{},
	}
	go e.read(bufio.NewReader(in))
	t.Cleanup(func() {
		out.Close()
		<-e.done
		for _, f := range e.faults {
			t.Errorf("the server did wrong: %s", f)
		}
	})
	return e
}

// ------------------------------------------------------------------- the wire

func (e *editor) read(r *bufio.Reader) {
	defer close(e.done)
	var work sync.WaitGroup
	defer work.Wait()
	headers := textproto.NewReader(r)
	for {
		h, err := headers.ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(h.Get("Content-Length"))
		if err != nil {
			e.fault("no length: %v", h)
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.fault("no message: %s", body)
			return
		}
		switch {
		case m.Method != "" && m.ID != nil:
			if id, err := strconv.Atoi(string(m.ID)); err != nil || id < rpc.FirstID {
				e.fault("request id %s of %s", m.ID, m.Method)
			}
			work.Add(1)
			go func() {
				defer work.Done()
				e.serve(m)
				e.changed()
			}()
		case m.Method != "":
			e.notified(m)
		default:
			e.response(m)
		}
		e.changed()
	}
}

func (e *editor) fault(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = append(e.faults, fmt.Sprintf(format, args...))
}

// changed wakes who waits.
func (e *editor) changed() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.wake)
	e.wake = make(chan struct{})
}

// until waits for a condition on what has been received; it holds the lock for
// it.
func (e *editor) until(what string, ok func() bool) {
	e.t.Helper()
	deadline := time.After(patience)
	for {
		e.mu.Lock()
		met, wake := ok(), e.wake
		e.mu.Unlock()
		if met {
			return
		}
		select {
		case <-wake:
		case <-deadline:
			e.t.Fatalf("not received: %s", what)
		}
	}
}

func (e *editor) send(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		e.t.Error(err)
		return
	}
	e.raw(frame(body))
}

func (e *editor) raw(b []byte) {
	e.writeMu.Lock()
	defer e.writeMu.Unlock()
	_, _ = e.out.Write(b) // a server that has left is the test's to judge
}

func (e *editor) notify(method string, params any) {
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// start sends a request; wait returns its answer.
func (e *editor) start(method string, params any) (id int, wait func() (json.RawMessage, error)) {
	e.mu.Lock()
	e.nextID++
	id = e.nextID
	got := make(chan message, 1)
	e.pending[id] = got
	e.mu.Unlock()
	m := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	e.send(m)
	return id, func() (json.RawMessage, error) {
		e.t.Helper()
		select {
		case m := <-got:
			if m.Error != nil {
				return nil, m.Error
			}
			return m.Result, nil
		case <-e.done:
			return nil, io.EOF
		case <-time.After(patience):
			e.t.Fatalf("%s was not answered", method)
			return nil, nil
		}
	}
}

func (e *editor) request(method string, params any) (json.RawMessage, error) {
	e.t.Helper()
	_, wait := e.start(method, params)
	return wait()
}

func (e *editor) response(m message) {
	id, err := strconv.Atoi(string(m.ID))
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		if string(m.ID) == "null" && m.Error != nil {
			e.unread = append(e.unread, m.Error.Code)
		}
		return
	}
	got := e.pending[id]
	delete(e.pending, id)
	if got == nil {
		e.faults = append(e.faults, "a response too many: "+string(m.ID))
		return
	}
	if (m.Result == nil) == (m.Error == nil) {
		e.faults = append(e.faults, "a response with both or neither of result and error")
	}
	got <- m
}

func (e *editor) answer(id json.RawMessage, result any) {
	e.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (e *editor) refuse(id json.RawMessage, code int, text string) {
	e.send(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

// ------------------------------------------------------------------ lifecycle

// params are those of initialize.
func (e *editor) params() map[string]any {
	params := map[string]any{"processId": nil, "capabilities": map[string]any{}}
	if e.p.file != "" {
		data, err := os.ReadFile(filepath.Join("testdata", "initialize", e.p.file+".json"))
		if err != nil {
			e.t.Fatal(err)
		}
		if err := json.Unmarshal(data, &params); err != nil {
			e.t.Fatal(err)
		}
	}
	root := string(uri.File(e.dir))
	params["rootUri"], params["rootPath"] = root, e.dir
	if _, ok := params["workspaceFolders"]; ok {
		params["workspaceFolders"] = []any{map[string]string{"uri": root, "name": "ws"}}
	}
	return params
}

// initialize makes the handshake.
func (e *editor) initialize(change func(params map[string]any)) {
	e.t.Helper()
	params := e.params()
	if change != nil {
		change(params)
	}
	result, err := e.request("initialize", params)
	if err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	var r struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		e.t.Fatal(err)
	}
	e.server = r.Capabilities
	var c struct{ PositionEncoding string }
	if err := json.Unmarshal(e.server, &c); err != nil {
		e.t.Fatal(err)
	}
	e.enc = map[string]diff.Encoding{"utf-8": diff.UTF8, "utf-16": diff.UTF16, "utf-32": diff.UTF32}[c.PositionEncoding]
	e.notify("initialized", map[string]any{})
}

// command runs workspace/executeCommand.
func (e *editor) command(name string, args ...any) (json.RawMessage, error) {
	e.t.Helper()
	if args == nil {
		args = []any{}
	}
	return e.request("workspace/executeCommand", map[string]any{"command": name, "arguments": args})
}

// turn is the answer of agent-ls.prompt.
type turn struct{ SessionID, StopReason, Transcript string }

func (e *editor) prompt(text string) turn {
	e.t.Helper()
	result, err := e.command("agent-ls.prompt", text)
	if err != nil {
		e.t.Fatalf("prompt: %v", err)
	}
	var r turn
	if err := json.Unmarshal(result, &r); err != nil {
		e.t.Fatal(err)
	}
	return r
}

// ------------------------------------------------------------------ documents

func (e *editor) uri(rel string) string {
	if strings.Contains(rel, ":") {
		return rel
	}
	return string(uri.File(filepath.Join(e.dir, rel)))
}

func (e *editor) path(rel string) string { return filepath.Join(e.dir, rel) }

// open opens a file with the text of the disk.
func (e *editor) open(rel string) {
	data, _ := os.ReadFile(e.path(rel))
	text := string(data)
	if e.p.stripsBOM {
		text = strings.TrimPrefix(text, bom)
	}
	e.openWith(rel, text)
}

func (e *editor) openWith(rel, text string) {
	d := &fakeDoc{uri: e.uri(rel), text: text, version: 1}
	e.mu.Lock()
	e.docs[d.uri] = d
	e.mu.Unlock()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": d.uri, "languageId": "plaintext", "version": 1, "text": text,
	}})
}

func (e *editor) doc(rel string) *fakeDoc {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[e.uri(rel)]
	if d == nil {
		e.t.Fatalf("%s is not open", rel)
	}
	return d
}

func (e *editor) text(rel string) string {
	d := e.doc(rel)
	e.mu.Lock()
	defer e.mu.Unlock()
	return d.text
}

// splice replaces bytes of a document and returns the change as it is sent. The
// lock is held.
func (e *editor) splice(d *fakeDoc, start, end int, insert string) map[string]any {
	m := diff.NewMapper(d.text)
	change := map[string]any{"range": e.span(m, start, end), "text": insert}
	d.text = d.text[:start] + insert + d.text[end:]
	return change
}

func (e *editor) span(m *diff.Mapper, start, end int) map[string]any {
	at := func(offset int) map[string]any {
		p := m.Position(offset, e.enc)
		return map[string]any{"line": p.Line, "character": p.Column}
	}
	return map[string]any{"start": at(start), "end": at(end)}
}

// typeAfter types behind the first occurrence of a text.
func (e *editor) typeAfter(rel, find, insert string) {
	d := e.doc(rel)
	e.sendChanges(d, e.typed(d, rel, find, insert))
}

// typeHeld types and tells of it only with the next edit, as Emacs does for half
// a second.
func (e *editor) typeHeld(rel, find, insert string) {
	d := e.doc(rel)
	change := e.typed(d, rel, find, insert)
	e.mu.Lock()
	d.held = append(d.held, change)
	e.mu.Unlock()
}

// typed makes a change of the user's.
func (e *editor) typed(d *fakeDoc, rel, find, insert string) map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := strings.Index(d.text, find)
	if at < 0 {
		e.t.Fatalf("%s has no %q", rel, find)
	}
	return e.splice(d, at+len(find), at+len(find), insert)
}

// setText replaces the whole text.
func (e *editor) setText(rel, text string) {
	d := e.doc(rel)
	e.mu.Lock()
	d.text = text
	e.mu.Unlock()
	e.sendChanges(d, map[string]any{"text": text})
}

// reload reads the file again, as editors do under a clean buffer.
func (e *editor) reload(rel string) {
	data, err := os.ReadFile(e.path(rel))
	if err != nil {
		e.t.Fatal(err)
	}
	e.setText(rel, string(data))
}

func (e *editor) sendChanges(d *fakeDoc, changes ...map[string]any) {
	e.mu.Lock()
	d.version++
	version := d.version
	e.mu.Unlock()
	e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": d.uri, "version": version}, "contentChanges": changes,
	})
}

func (e *editor) save(rel string) {
	if err := os.WriteFile(e.path(rel), []byte(e.text(rel)), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": e.uri(rel)}})
}

// taken returns when the server has taken every notification so far: they are
// in the order of requests.
func (e *editor) taken() {
	e.t.Helper()
	if _, err := e.request("no/such", nil); code(err) != -32601 {
		e.t.Fatal(err)
	}
}

func (e *editor) close(rel string) {
	e.mu.Lock()
	delete(e.docs, e.uri(rel))
	e.mu.Unlock()
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri(rel)}})
}
