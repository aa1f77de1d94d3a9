package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/internal/rpc"
)

// defaultMaxLine is the line cap when Options sets none, in bytes.
const defaultMaxLine = 64 << 20

// errTooLong is a line over the cap; it was skipped, not stored.
var errTooLong = errors.New("line too long")

// stream is a jsonrpc2.Stream of one JSON object a line. It answers what is no
// message by itself, so that jsonrpc2 sees only good ones, and stands between
// the peer's ids and jsonrpc2's: incoming requests are numbered here and
// answered under the very bytes that they came with, outgoing ones are moved
// to a base of their own.
type stream struct {
	rwc     io.ReadWriteCloser
	in      *bufio.Reader
	maxLine int
	log     *WireLog
	// stop is called when no more input comes, ended when the connection is
	// over: after the last answers, or at once when a write failed.
	stop  func()
	ended func(error)

	exhausted bool // the last line has been read; for the reader alone

	writeMu sync.Mutex // one line at a time

	closeOnce sync.Once
	closeErr  error

	mu     sync.Mutex
	lastID int64
	// calls are the incoming requests that are not answered yet, by the
	// number that jsonrpc2 knows them under.
	calls   map[int64]*incoming
	drained chan struct{} // closed when eof and no call is left
	eof     bool
	closed  bool
}

func newStream(rwc io.ReadWriteCloser, o Options, stop func(), ended func(error)) *stream {
	s := &stream{
		rwc: rwc, in: bufio.NewReaderSize(rwc, 64<<10), maxLine: o.MaxLine, log: o.WireLog,
		stop: stop, ended: ended,
		calls: map[int64]*incoming{}, drained: make(chan struct{}),
	}
	if s.maxLine <= 0 {
		s.maxLine = defaultMaxLine
	}
	return s
}

// Read returns the next message. At the end of input it first calls stop, so
// that running turns end, and waits a while for their answers to be written.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		line, err := s.readLine()
		if err != nil && !errors.Is(err, errTooLong) {
			s.drain()
			s.over(err)
			return nil, 0, err
		}
		n := int64(len(line))
		if line = bytes.TrimSpace(line); len(line) == 0 && err == nil {
			continue
		}
		msg, no := s.message(line, err)
		if no != nil {
			if err := s.answer(no.id, nil, no.err); err != nil {
				return nil, 0, err
			}
		}
		if msg != nil {
			return msg, n, nil
		}
	}
}

// readLine returns one line, owned by the caller. A last line without its end
// counts. What is over the cap is read and dropped.
func (s *stream) readLine() ([]byte, error) {
	if s.exhausted {
		return nil, io.EOF
	}
	var line []byte
	for tooLong := false; ; {
		part, err := s.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > s.maxLine+1; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && tooLong:
			return nil, errTooLong
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			s.exhausted = true
			return line, nil
		default:
			return nil, err
		}
	}
}

// message turns a line into what jsonrpc2 is to see, nil for nothing.
func (s *stream) message(line []byte, err error) (jsonrpc2.Message, *refusal) {
	if errors.Is(err, errTooLong) {
		s.log.skipped(Received, "over the line cap")
		return nil, refuse(null, jsonrpc2.InvalidRequest, "invalid request: the line is longer than %d bytes", s.maxLine)
	}
	e, no := parseEnvelope(line)
	if no != nil {
		s.log.skipped(Received, no.err.Message)
		return nil, no
	}
	s.log.Line(Received, line)
	switch e.kind {
	case envelopeCall:
		return jsonrpc2.NewCall(s.register(e.id), e.method, jsonrpc2.RawMessage(e.params)), nil
	case envelopeNotification:
		return jsonrpc2.NewNotification(e.method, jsonrpc2.RawMessage(e.params)), nil
	default:
		return response(e), nil
	}
}

// response is the answer to one of our requests, nil for a stray one.
func response(e envelope) jsonrpc2.Message {
	var wire int64
	if json.Unmarshal(e.id, &wire) != nil {
		return nil
	}
	id, ok := rpc.OwnID(wire)
	if !ok {
		return nil
	}
	var err error
	if e.err != nil {
		o := struct {
			Code    jsonrpc2.Code   `json:"code,omitempty"`
			Message string          `json:"message,omitempty"`
			Data    json.RawMessage `json:"data,omitempty"`
		}{}
		if Decode(e.err, &o) != nil || o.Code == 0 {
			o.Code = jsonrpc2.InternalError
		}
		err = &jsonrpc2.Error{Code: o.Code, Message: OneLine(o.Message), Data: jsonrpc2.RawMessage(o.Data)}
	}
	return jsonrpc2.NewResponse(id, jsonrpc2.RawMessage(e.result), err)
}

// Write sends one message of jsonrpc2 as a line of its own.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	// jsonrpc2 hands over types of its own that only its encoder can open.
	encoded := jsonrpc2.AppendMessage(nil, msg)
	decoded, err := jsonrpc2.DecodeMessage(encoded)
	if err != nil {
		return 0, err
	}
	switch m := decoded.(type) {
	case *jsonrpc2.Response:
		return 0, s.respond(m)
	case *jsonrpc2.Call:
		// It goes out even if nobody waits any more, see rpc.Call.
		encoded = jsonrpc2.AppendCall(nil, jsonrpc2.NewNumberID(rpc.WireID(m.ID())), m.Method(), m.Params())
	default:
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	return int64(len(encoded)), s.writeLine(encoded)
}

// respond answers an incoming request under its own id and then runs what was
// to come after the answer.
func (s *stream) respond(m *jsonrpc2.Response) error {
	n, _ := m.ID().Number()
	call := s.call(n)
	if call == nil {
		return nil
	}
	defer s.settle(n)
	var e *jsonrpc2.Error
	if m.Err() != nil && !errors.As(m.Err(), &e) {
		e = Errorf(jsonrpc2.InternalError, "%v", m.Err())
	}
	if err := s.answer(call.id, json.RawMessage(m.Result()), e); err != nil {
		return err
	}
	if call.after != nil {
		call.after()
	}
	return nil
}

// answer writes a response.
func (s *stream) answer(id, result json.RawMessage, e *jsonrpc2.Error) error {
	line := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *errorObject    `json:"error,omitempty"`
	}{Version: jsonrpc2.Version, ID: id}
	if e != nil {
		line.Error = &errorObject{Code: e.Code, Message: OneLine(e.Message), Data: json.RawMessage(e.Data)}
	} else if line.Result = present(result); len(line.Result) == 0 {
		line.Result = json.RawMessage("{}") // a result is never null (acp.md §17)
	}
	encoded, err := Encode(line)
	if err != nil {
		return err
	}
	return s.writeLine(encoded)
}

// writeLine writes one line whole. A write error ends the connection: half a
// line may be out, so nothing that follows could be read.
func (s *stream) writeLine(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		var compact bytes.Buffer
		if err := json.Compact(&compact, line); err != nil {
			return err
		}
		line = compact.Bytes()
	}
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	s.log.Line(Sent, line)
	if _, err := s.rwc.Write(append(line, '\n')); err != nil {
		s.over(err)
		return err
	}
	return nil
}

// over ends the connection. The transport is closed, which wakes whoever is
// blocked in it.
func (s *stream) over(err error) {
	_ = s.Close()
	s.ended(err)
}

// Close closes the transport, once. A reader that it cannot wake (a blocked
// os.Stdin) stays until the peer writes or the process ends.
func (s *stream) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.checkDrained()
	s.closeOnce.Do(func() { s.closeErr = s.rwc.Close() })
	return s.closeErr
}
