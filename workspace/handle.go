package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"sync"
)

// Handle is one file at one moment: immutable.
type Handle struct {
	Path string // absolute, as asked
	Real string // symlinks resolved
	// Inside says that Real was inside the view's roots when it was opened.
	Inside  bool
	Version int32 // of the editor's document, 0 for the disk
	Exists  bool
	// SameAsDisk is false when the text is an editor's and differs from the
	// file.
	SameAsDisk bool
	// Dirty says that an editor holds unsaved text for this file.
	Dirty bool
	// DiskChanged says that the disk changed under an editor's unsaved text.
	DiskChanged bool
	// SavedHash is the hash of the text that an editor last saved to this
	// file, "" when it has saved none. An Overlay sets it, so that what the
	// user saved is told from what another process wrote.
	SavedHash string
	Mode      fs.FileMode

	text *content
	disk *content // the file under the text; nil when there is none
	info fs.FileInfo
}

// withText returns h with another text, as an editor has it.
func (h Handle) withText(text string) Handle {
	if h.Content() != text {
		h.text = &content{text: text}
	}
	return h
}

// absent is the version of a file that does not exist.
const absent = "absent"

// content is an immutable text whose hash, and for lazy ones the text
// itself, is computed when it is first asked for.
type content struct {
	loadOnce sync.Once
	load     func() string // nil when text is set
	text     string
	hashOnce sync.Once
	hash     string
}

func (c *content) string() string {
	if c == nil {
		return ""
	}
	c.loadOnce.Do(func() {
		if c.load != nil {
			c.text, c.load = c.load(), nil
		}
	})
	return c.text
}

func (c *content) sum() string {
	if c == nil {
		return HashText("")
	}
	c.hashOnce.Do(func() {
		if c.hash == "" {
			c.hash = HashText(c.string())
		}
	})
	return c.hash
}

// HashText returns the lower-case hexadecimal SHA-256 of text, the
// content_sha256 of tools.md §1.10.
func HashText(text string) string {
	h := sha256.New()
	var piece [16 << 10]byte // a copy of the whole text would cost as much as the sum
	for text != "" {
		n := copy(piece[:], text)
		h.Write(piece[:n]) // never fails
		text = text[n:]
	}
	return hex.EncodeToString(h.Sum(piece[:0]))
}

// Content returns the text: the bytes of the file, or of the editor's text as
// they would be saved.
func (h Handle) Content() string { return h.text.string() }

// Hash returns the lower-case hexadecimal SHA-256 of Content.
func (h Handle) Hash() string { return h.text.sum() }

// diskVersion names the state of the file on disk: its hash, or absent.
func (h Handle) diskVersion() string {
	if h.disk == nil {
		return absent
	}
	return h.disk.sum()
}

// textVersion names the text: its hash, or absent.
func (h Handle) textVersion() string {
	if !h.Exists {
		return absent
	}
	return h.Hash()
}

// sameText reports whether both handles hold the same text or are both of no
// file.
func (h Handle) sameText(other Handle) bool {
	if h.Exists != other.Exists {
		return false
	}
	return h.text == other.text || h.Content() == other.Content()
}

// NewHandle makes a handle of a text; for Overlay implementations and tests.
// It is of an existing file that holds that text on disk; an Overlay sets the
// other fields.
func NewHandle(path, text string) Handle {
	return newHandle(path, &content{text: text})
}

// LazyHandle is NewHandle for a text that is costly to make: text is called
// once, when the text is first needed, and must be safe to call from any
// goroutine.
func LazyHandle(path string, text func() string) Handle {
	return newHandle(path, &content{load: text})
}

func newHandle(path string, c *content) Handle {
	return Handle{Path: path, Real: path, Exists: true, SameAsDisk: true, text: c, disk: c}
}

// Saved returns the file as the disk had it under an editor's unsaved text; h
// itself when there is none.
func (h Handle) Saved() Handle {
	if h.SameAsDisk {
		return h
	}
	h.Version, h.Dirty, h.SameAsDisk, h.DiskChanged = 0, false, true, false
	h.text, h.Exists = h.disk, h.disk != nil
	return h
}
