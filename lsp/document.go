package lsp

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/lsp/text"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

const bom = "\ufeff"

// maxDiskText is the largest file that is compared with a buffer, in bytes; a
// buffer over a larger one counts as unsaved.
const maxDiskText = 64 << 20

// document is one open document: our mirror of the editor's buffer. Its store's
// lock guards it.
type document struct {
	uri     uri.URI
	path    string // the file, links resolved; "" for what is no file
	version int32
	buffer  *text.Buffer
	// prefix is the byte order mark that the file has and the editor hides.
	prefix string

	// marks are the texts that the file has held; at is the state of it that
	// the buffer last agreed with, 0 for none; absent says that there is no
	// file.
	marks  diskMarks
	at     int
	absent bool
	stat   fileStamp
	// dirty says that the buffer holds text that was never on disk.
	dirty     bool
	savedHash string
	// handle is that of this version, nil when nobody asked.
	handle *workspace.Handle
	// awaited is what an edit of ours will make of the buffer.
	awaited *awaited
}

// awaited is a text that the buffer is expected to reach.
type awaited struct {
	fingerprint
	reached chan struct{} // closed when it has
	done    bool
	moved   chan struct{} // holds one when parts was set since the last look
	// before is the text when the edit was sent, parts that it has changed since
	// without reaching the awaited one.
	before text.Text
	parts  bool
}

// fileStamp tells two states of a file apart without reading it.
type fileStamp struct {
	size, modified int64
	info           fs.FileInfo
}

func (s fileStamp) same(o fileStamp) bool {
	if s.info == nil || o.info == nil {
		return s.info == nil && o.info == nil
	}
	return s.size == o.size && s.modified == o.modified && os.SameFile(s.info, o.info)
}

// stampOf looks at a file; the zero stamp is that of none.
func stampOf(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime().UnixNano(), info}
}

// newDocument makes the mirror of a document that the editor has opened, and
// compares it with its file.
func newDocument(item protocol.TextDocumentItem) *document {
	d := &document{uri: item.URI, path: filePath(item.URI), version: item.Version}
	d.buffer = text.NewBuffer(text.New(item.Text))
	if d.path == "" {
		d.dirty = true
		return d
	}
	disk := d.readDisk()
	switch {
	case d.absent:
		d.dirty = true
	case strings.HasPrefix(disk, bom) && !strings.HasPrefix(item.Text, bom):
		d.prefix = bom
	}
	d.agree(disk)
	return d
}

// agree takes the buffer as what the editor has for disk, the present text of
// the file, unless they differ in more than editors change by themselves.
func (d *document) agree(disk string) {
	if d.absent {
		return
	}
	own := d.content()
	d.dirty = own != disk && !sameLines(own, disk)
	if !d.dirty {
		d.marks.alias(d.fingerprint())
		d.at = d.marks.state()
	}
}

// sameLines reports whether two texts differ in line endings or in a last one
// alone.
func sameLines(a, b string) bool { return plainLines(a) == plainLines(b) }

func plainLines(s string) string {
	return strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

// content is the text as it would be saved.
func (d *document) content() string { return d.prefix + d.buffer.Peek().String() }

func (d *document) fingerprint() fingerprint {
	return fingerprintOfText(d.prefix, d.buffer.Peek())
}

// readDisk reads the file and notes what it holds.
func (d *document) readDisk() string {
	d.stat = stampOf(d.path)
	d.absent = d.stat.info == nil
	if d.absent || d.stat.size > maxDiskText {
		return ""
	}
	data, err := os.ReadFile(d.path)
	if err != nil {
		d.absent = errors.Is(err, fs.ErrNotExist)
		return ""
	}
	disk := string(data)
	d.marks.add(fingerprintOf(disk))
	return disk
}

// lookAtDisk notes what the file holds where it is another one than when it
// was last looked at.
func (d *document) lookAtDisk() {
	if d.path != "" && !stampOf(d.path).same(d.stat) {
		d.readDisk()
	}
}

// cause says who changed a document.
type cause int

const (
	// causeTyping is the user, or what the editor does on the user's behalf.
	causeTyping cause = iota
	// causeReload is the editor, which reads the file again.
	causeReload
	// causeAgent is an edit of ours that has arrived.
	causeAgent
	// causePart is a change while an edit of ours is awaited: editors may tell of
	// the parts of one edit one by one. If it does not arrive, it was the user.
	causePart
)

// apply makes the changes of one notification.
func (d *document) apply(version int32, changes []protocol.TextDocumentContentChangeEvent, enc diff.Encoding) cause {
	why := causeTyping
	for _, c := range changes {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			d.buffer = text.NewBuffer(text.New(c.Text))
		case *protocol.TextDocumentContentChangePartial:
			t := d.buffer.Peek()
			start, end := t.Offset(position(c.Range.Start), enc), t.Offset(position(c.Range.End), enc)
			d.buffer.Replace(min(start, end), max(start, end), c.Text)
		}
		if d.arrived() {
			why = causeAgent
		}
	}
	d.version, d.handle = version, nil
	switch reloaded := d.path != "" && d.judge(); {
	case why != causeTyping:
	case reloaded:
		why = causeReload
	case d.awaited != nil && !d.awaited.done:
		d.awaited.parts = true
		select {
		case d.awaited.moved <- struct{}{}:
		default:
		}
		why = causePart
	}
	return why
}

// arrived reports whether the buffer holds the text that is awaited, and tells
// who waits.
func (d *document) arrived() bool {
	a := d.awaited
	if a == nil || a.done || a.size != len(d.prefix)+d.buffer.Peek().Len() || a.fingerprint != d.fingerprint() {
		return false
	}
	a.done = true
	close(a.reached)
	return true
}

// judge finds out whether the buffer, after a change, holds unsaved text.
// reloaded says that the editor has read its file again. Going back to an older
// state of the file is the user's undo.
func (d *document) judge() (reloaded bool) {
	if (!d.dirty || d.absent) && d.awaited == nil {
		d.lookAtDisk() // what the editor knows already may be news to us
	}
	size := len(d.prefix) + d.buffer.Peek().Len()
	d.dirty = true
	if d.absent || !d.marks.mayHold(size) {
		return false
	}
	state := d.marks.find(d.fingerprint())
	if state == 0 || state < d.at {
		return false
	}
	reloaded = state > d.at
	d.dirty, d.at = false, state
	return reloaded
}

// saved notes that the editor has written the buffer to the file.
func (d *document) saved() {
	if d.path == "" {
		return
	}
	disk := d.readDisk()
	d.agree(disk)
	if !d.dirty {
		d.savedHash = workspace.HashText(disk)
	}
	d.handle = nil
}

// snapshot returns the document for tools.
func (d *document) snapshot() workspace.Handle {
	if d.dirty {
		d.lookAtDisk()
	}
	if d.handle == nil {
		t, prefix := d.buffer.Text(), d.prefix
		h := workspace.LazyHandle(d.path, func() string { return prefix + t.String() })
		d.handle = &h
	}
	h := *d.handle
	h.Version, h.Dirty, h.SavedHash = d.version, d.dirty, d.savedHash
	h.SameAsDisk = !d.dirty
	h.DiskChanged = d.dirty && d.at != d.marks.state()
	return h
}

func position(p protocol.Position) diff.Position {
	return diff.Position{Line: int(min(p.Line, 1<<30)), Column: int(min(p.Character, 1<<30))}
}
