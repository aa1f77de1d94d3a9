package proc

import (
	"io"
	"log/slog"
	"sync"
)

// The names of the two streams, as given to Command.Spill.
const (
	StreamStdout = "stdout"
	StreamStderr = "stderr"
)

// capture keeps one stream of a command: its tail in memory, and everything
// in the spill file once the tail does not hold it any more.
type capture struct {
	name   string
	spill  func(stream string) (io.WriteCloser, string, error)
	logger *slog.Logger
	show   func(text string) // may be nil

	decode decoder
	tail   *Tail
	total  int64
	// raw is every byte so far, until the first overflow gives it to file.
	raw  []byte
	file io.WriteCloser
	ref  string
	over bool
}

// newCapture returns the capture of the stream called name of c.
func newCapture(name string, c Command, show func(string), logger *slog.Logger) *capture {
	return &capture{name: name, spill: c.Spill, logger: logger, show: show, tail: NewTail(c.Keep)}
}

// write adds a chunk as it was read.
func (s *capture) write(p []byte) {
	s.total += int64(len(p))
	s.keepRaw(p)
	s.add(s.decode.decode(p))
}

// add adds decoded text.
func (s *capture) add(text string) {
	if text == "" {
		return
	}
	s.tail.Add(text)
	if s.tail.Truncated() && !s.over {
		s.over = true
		s.openSpill()
	}
	if s.show != nil {
		s.show(text)
	}
}

// keepRaw keeps p for a spill that is not open yet, or writes it to the open
// one.
func (s *capture) keepRaw(p []byte) {
	switch {
	case s.file != nil:
		s.writeSpill(p)
	case !s.over && s.spill != nil:
		s.raw = append(s.raw, p...)
	}
}

// openSpill opens the spill file and gives it everything so far. A failure
// costs the full output, never the command (tools.md §6).
func (s *capture) openSpill() {
	raw := s.raw
	s.raw = nil
	if s.spill == nil {
		return
	}
	file, ref, err := s.spill(s.name)
	if err != nil {
		s.logger.Warn("full output of a command is not kept", "stream", s.name, "error", err)
		return
	}
	s.file, s.ref = file, ref
	s.writeSpill(raw)
}

// writeSpill writes p; a file that fails is not advertised any more.
func (s *capture) writeSpill(p []byte) {
	if _, err := s.file.Write(p); err != nil {
		s.logger.Warn("full output of a command is lost", "stream", s.name, "error", err)
		_ = s.file.Close()
		s.file, s.ref = nil, ""
	}
}

// finish closes the spill and returns what was captured.
func (s *capture) finish() Captured {
	s.add(s.decode.flush())
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			s.logger.Warn("full output of a command is lost", "stream", s.name, "error", err)
			s.ref = ""
		}
		s.file = nil
	}
	return Captured{Text: s.tail.String(), Total: s.total, Truncated: s.over, Ref: s.ref}
}

// serialized returns a function that calls show from one goroutine at a time;
// nil stays nil.
func serialized(mu *sync.Mutex, show func(string)) func(string) {
	if show == nil {
		return nil
	}
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		show(text)
	}
}
