package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
)

// files are the fs methods of a client: buffers over the disk. What it writes
// lands in the buffer and on the disk.
type files struct {
	// read and write, when set, are asked first; handled false goes on as a
	// good client does. They may take their time.
	read  func(path string) (content string, e *rpcError, handled bool)
	write func(path, content string) (e *rpcError, handled bool)
	// noParents says that missing folders are not made.
	noParents bool
	// raw, when set, is the result of each read.
	raw string
	// unix says that buffers hold \n for \r\n and no byte order mark.
	unix bool

	c       *client
	mu      sync.Mutex
	buffers map[string]string
	reads   []fileOp
	writes  []fileOp
}

// fileOp is one request, answered or not.
type fileOp struct {
	path, content string
	// disk is what the file held when a write arrived, saved what it was when
	// the write was done; nil for no file.
	disk  []byte
	saved os.FileInfo
	fails bool
}

var fsCaps = acp.ClientCapabilities{FS: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}}

// editor opens a session of a client with files.
func editor(h *home, f *files, o options) *session {
	h.t.Helper()
	o.caps.FS, o.files = fsCaps.FS, f
	return h.start(o).newSession()
}

func (f *files) use(c *client) {
	f.c = c
	if f.buffers == nil {
		f.buffers = map[string]string{}
	}
}

// open puts unsaved text into a buffer.
func (f *files) open(path, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buffers[path] = text
}

// buffer is the text of an open file.
func (f *files) buffer(path string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, ok := f.buffers[path]
	return text, ok
}

// ops are the requests so far.
func (f *files) ops() (reads, writes []fileOp) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]fileOp(nil), f.reads...), append([]fileOp(nil), f.writes...)
}

func (f *files) serve(method string, params json.RawMessage) (any, *rpcError, bool) {
	var p acp.WriteTextFileRequest
	json.Unmarshal(params, &p)
	if method == acp.MethodReadTextFile {
		content, e := f.serveRead(p.Path)
		if f.raw != "" {
			return json.RawMessage(f.raw), nil, true
		}
		return acp.ReadTextFileResponse{Content: content}, e, true
	}
	return acp.Empty{}, f.serveWrite(p.Path, p.Content), true
}

func (f *files) serveRead(path string) (string, *rpcError) {
	f.mu.Lock()
	f.reads = append(f.reads, fileOp{path: path})
	i := len(f.reads) - 1
	f.mu.Unlock()
	f.c.poke()
	if f.read != nil {
		if content, e, handled := f.read(path); handled {
			return content, e
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if text, ok := f.buffers[path]; ok {
		return text, nil
	}
	disk, err := os.ReadFile(path)
	if err != nil {
		f.reads[i].fails = true
		return "", &rpcError{Code: -32002, Message: "Resource not found"}
	}
	if f.unix {
		return strings.TrimPrefix(strings.ReplaceAll(string(disk), "\r\n", "\n"), "\ufeff"), nil
	}
	return string(disk), nil
}

func (f *files) serveWrite(path, content string) *rpcError {
	disk, _ := os.ReadFile(path)
	f.mu.Lock()
	f.writes = append(f.writes, fileOp{path: path, content: content, disk: disk})
	i := len(f.writes) - 1
	f.mu.Unlock()
	f.c.poke()
	if f.write != nil {
		if e, handled := f.write(path, content); handled {
			return e
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.noParents {
		os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		return &rpcError{Code: -32603, Message: err.Error()}
	}
	if _, open := f.buffers[path]; open {
		f.buffers[path] = content
	}
	f.writes[i].saved, _ = os.Stat(path)
	return nil
}

// onlyWriter fails when somebody else wrote or replaced a file after the client
// saved it.
func (f *files) onlyWriter(op fileOp) {
	f.c.t.Helper()
	now, err := os.Stat(op.path)
	if err != nil || op.saved == nil || !os.SameFile(now, op.saved) || !now.ModTime().Equal(op.saved.ModTime()) {
		f.c.t.Errorf("%s was written again after the client saved it (%v)", op.path, err)
	}
}
