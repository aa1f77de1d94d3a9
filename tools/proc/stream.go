package proc

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// chunkSize is how much is read at once, in bytes.
const chunkSize = 32 << 10

// stream reads the command's end of a pipe into a capture.
type stream struct {
	*capture
	file *os.File
	buf  []byte
	// active is when the last chunk came, in nanoseconds after start.
	active atomic.Int64
	start  time.Time
	closed chan struct{}
}

// newStream returns a stream over file; read runs it.
func newStream(file *os.File, c *capture) *stream {
	return &stream{
		capture: c, file: file, buf: make([]byte, chunkSize),
		start: time.Now(), closed: make(chan struct{}),
	}
}

// read reads until the end of the stream or until cut.
func (s *stream) read() {
	defer close(s.closed)
	defer s.file.Close()
	for {
		n, err := s.file.Read(s.buf)
		if n > 0 {
			s.active.Store(int64(time.Since(s.start)))
			s.write(s.buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.readRest()
			return
		}
		if err != nil {
			return
		}
	}
}

// readRest takes what lies in the pipe already, at most what a pipe can hold.
func (s *stream) readRest() {
	const most = 1 << 20
	for total := 0; total < most; {
		n := readPending(s.file, s.buf)
		if n <= 0 {
			return
		}
		total += n
		s.write(s.buf[:n])
	}
}

// idle returns how long nothing has come since from or the last chunk.
func (s *stream) idle(from time.Time) time.Duration {
	last := s.start.Add(time.Duration(s.active.Load()))
	if last.Before(from) {
		last = from
	}
	return time.Since(last)
}

// drain waits until streams have ended, after the shell has: processes left
// behind may hold the pipes. It gives up when nothing has come for idle, and
// in any case after most (tools.md §2.4.7).
func drain(streams []*stream, idle, most time.Duration) {
	from := time.Now()
	for _, s := range streams {
		for !s.ended(s.untilQuiet(from, idle, most)) {
			if s.quiet(from, idle, most) {
				cutOff(s.file)
				<-s.closed
				break
			}
		}
	}
}

// untilQuiet is how long to wait before looking at s again.
func (s *stream) untilQuiet(from time.Time, idle, most time.Duration) time.Duration {
	return max(time.Millisecond, min(idle-s.idle(from), most-time.Since(from)))
}

// quiet says whether s need not be waited for any more. What lies unread in
// the pipe keeps it going: a busy machine must not lose output.
func (s *stream) quiet(from time.Time, idle, most time.Duration) bool {
	if time.Since(from) >= most {
		return true
	}
	return s.idle(from) >= idle && !pending(s.file)
}

// ended waits at most d for the end of the stream.
func (s *stream) ended(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.closed:
		return true
	case <-timer.C:
		return false
	}
}
