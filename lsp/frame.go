package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// DefaultMaxMessage is the cap on the body of one message when Options set
	// none, in bytes.
	DefaultMaxMessage = 64 << 20
	// maxHeader caps what may come before a Content-Length, in bytes.
	maxHeader = 64 << 10
)

// errTooLong is a body over the cap; it was skipped, not stored.
var errTooLong = errors.New("message too long")

// errNoLength is the end of a connection whose peer sends what is no header.
var errNoLength = errors.New("no Content-Length header found")

// framer reads messages with LSP's base protocol headers, for one goroutine.
type framer struct {
	in  *bufio.Reader
	max int
}

func newFramer(r io.Reader, max int) *framer {
	if max <= 0 {
		max = DefaultMaxMessage
	}
	return &framer{in: bufio.NewReaderSize(r, 64<<10), max: max}
}

// read returns the next body, which is the caller's. A header line that makes no sense is skipped,
// and so is a header without a length (contract §7, settled detail 16). io.EOF
// is the end between two messages.
func (f *framer) read() ([]byte, error) {
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	if length > f.max {
		if _, err := io.CopyN(io.Discard, f.in, int64(length)); err != nil {
			return nil, unexpected(err)
		}
		return nil, fmt.Errorf("%w: %d bytes, at most %d are taken", errTooLong, length, f.max)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(f.in, body); err != nil {
		return nil, unexpected(err)
	}
	return body, nil
}

// header reads up to the end of the first header that has a length.
func (f *framer) header() (length int, err error) {
	length = -1
	for seen := 0; ; {
		line, err := f.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return 0, errNoLength
		}
		if err == io.EOF && seen+len(line) == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, unexpected(err)
		}
		if seen += len(line); seen > maxHeader {
			return 0, errNoLength
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 && length >= 0 {
			return length, nil
		}
		if n, ok := contentLength(line); ok {
			length = n
		}
	}
}

// contentLength parses a header line.
func contentLength(line []byte) (n int, ok bool) {
	name, value, found := strings.Cut(string(line), ":")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	return n, err == nil && n >= 0
}

// unexpected is err where more bytes were due.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// frame returns body with its header.
func frame(body []byte) []byte {
	out := make([]byte, 0, len(body)+32)
	out = append(out, "Content-Length: "...)
	out = strconv.AppendInt(out, int64(len(body)), 10)
	out = append(out, "\r\n\r\n"...)
	return append(out, body...)
}
