package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// storedLog is the content of a log.
type storedLog struct {
	header  logHeader
	summary logSummary // the last one
	records []Record
	// end is the offset behind the last whole line; torn says that more
	// follows, the line that a crash cut off.
	end  int64
	torn bool
	// unreadable counts whole lines in the middle that are no records.
	unreadable int
}

// readLog reads a whole log.
func readLog(session string, r io.Reader) (*storedLog, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	first, err := in.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: the log of %s ends before it says anything", ErrUnknownSession, session)
	}
	out := &storedLog{end: int64(len(first))}
	if out.header, err = parseHeader(session, first); err != nil {
		return nil, err
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			out.torn = len(line) > 0
			if err == io.EOF {
				err = nil
			}
			return out, err
		}
		out.end += int64(len(line))
		out.add(line)
	}
}

// add takes one whole line.
func (l *storedLog) add(line []byte) {
	var r Record
	err := json.Unmarshal(line, &r)
	if err == nil {
		l.records = append(l.records, r)
		return
	}
	if errors.Is(err, errUnknownEvent) {
		if s, ok := parseSummary(line); ok {
			l.summary = s
			return
		}
	}
	l.unreadable++
}

// parseSummary decodes a summary line.
func parseSummary(line []byte) (logSummary, bool) {
	var s logSummary
	err := json.Unmarshal(line, &s)
	return s, err == nil && s.Type == summaryType
}

// Sizes of what a list reads of each log, in bytes. A header that does not fit
// the head, because it has very many roots, is read up to maxHeader.
const (
	headSize  = 4 << 10
	tailSize  = 4 << 10
	maxHeader = 1 << 20
)

// readSummary reads the head and the tail of the log at path: enough for a
// list.
func readSummary(path, session string) (logHeader, logSummary, error) {
	f, err := os.Open(path)
	if err != nil {
		return logHeader{}, logSummary{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return logHeader{}, logSummary{}, err
	}
	return summaryOf(session, f, info.Size(), info.ModTime())
}

// summaryOf is readSummary of a log of size bytes that was written at modified.
func summaryOf(session string, log io.ReaderAt, size int64, modified time.Time) (logHeader, logSummary, error) {
	head := readAt(log, 0, headSize)
	if len(head) == headSize && !bytes.Contains(head, []byte("\n")) {
		head = readAt(log, 0, maxHeader)
	}
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	h, err := parseHeader(session, first)
	if err != nil {
		return h, logSummary{}, err
	}
	tail := rest
	if size > int64(len(head)) {
		tail = readAt(log, max(0, size-tailSize), tailSize)
	}
	if s, ok := lastSummary(tail); ok {
		return h, s, nil
	}
	return h, firstSummary(h, rest, modified), nil
}

// readAt reads up to n bytes at offset; an error shortens what is read.
func readAt(r io.ReaderAt, offset int64, n int) []byte {
	b := make([]byte, n)
	n, _ = r.ReadAt(b, offset)
	return b[:n]
}

// lastSummary finds the last summary line in the tail of a log.
func lastSummary(tail []byte) (logSummary, bool) {
	for len(tail) > 0 {
		tail = bytes.TrimSuffix(tail, []byte("\n"))
		i := bytes.LastIndexByte(tail, '\n')
		if s, ok := parseSummary(tail[i+1:]); ok {
			return s, true
		}
		tail = tail[:i+1]
	}
	return logSummary{}, false
}

// firstSummary makes a summary of the head of a log whose tail has none: its
// first turn is still running, or a crash ended it.
func firstSummary(h logHeader, head []byte, modified time.Time) logSummary {
	s := logSummary{Cwd: h.Cwd, RealCwd: h.RealCwd, Roots: h.Roots, Updated: modified.UTC()}
	for line := range bytes.Lines(head) {
		var r Record
		if json.Unmarshal(line, &r) == nil {
			if t, ok := r.Event.(TitleChanged); ok {
				s.Title = t.Title
			}
		}
	}
	return s
}
