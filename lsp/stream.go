package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/internal/rpc"
)

// Tap gets every message as it goes over the wire; received says the
// direction. It must not keep message.
type Tap func(received bool, message []byte)

// stream is a jsonrpc2.Stream with LSP's headers. It answers what is no
// message by itself, so that jsonrpc2 sees only good ones and goes on, and
// moves the ids of our own requests to a base of their own.
type stream struct {
	rwc io.ReadWriteCloser
	in  *framer
	tap Tap
	// ended is called when the connection is over, answered when the answer
	// to a request was written.
	ended    func(error)
	answered func(jsonrpc2.ID)

	writeMu sync.Mutex // one message at a time
}

// Read returns the next message.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := s.in.read()
		if errors.Is(err, errTooLong) {
			err = s.refuse(jsonrpc2.InvalidRequest, "invalid request: "+err.Error())
			if err == nil {
				continue
			}
		}
		if err != nil {
			s.ended(err)
			return nil, 0, err
		}
		if s.tap != nil {
			s.tap(true, body)
		}
		msg, err := s.message(body)
		if err != nil {
			return nil, 0, err
		}
		if msg != nil {
			return msg, int64(len(body)), nil
		}
	}
}

// message decodes a body; nil when it was none and has been answered.
func (s *stream) message(body []byte) (jsonrpc2.Message, error) {
	if !json.Valid(body) {
		return nil, s.refuse(jsonrpc2.ParseError, "parse error: the message is not JSON")
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return nil, s.refuse(jsonrpc2.InvalidRequest, "invalid request: expected one JSON-RPC message")
	}
	r, ok := msg.(*jsonrpc2.Response)
	if !ok {
		return msg, nil
	}
	n, _ := r.ID().Number()
	id, ok := rpc.OwnID(n)
	if !ok {
		return nil, nil // to a request that we did not send
	}
	return jsonrpc2.NewResponse(id, r.Result(), r.Err()), nil
}

// refuse answers what is no message, under the id null.
func (s *stream) refuse(code jsonrpc2.Code, text string) error {
	return s.write(jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, jsonrpc2.NewError(code, text)))
}

// Write sends one message.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	// jsonrpc2 hands over types of its own that only its encoder can open.
	body := jsonrpc2.AppendMessage(nil, msg)
	decoded, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return 0, err
	}
	switch m := decoded.(type) {
	case *jsonrpc2.Response:
		defer s.answered(m.ID())
		return int64(len(body)), s.write(body)
	case *jsonrpc2.Call:
		body = jsonrpc2.AppendCall(nil, jsonrpc2.NewNumberID(rpc.WireID(m.ID())), m.Method(), m.Params())
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return int64(len(body)), s.write(body)
}

// write writes one message whole. An error ends the connection: half a message
// may be out, so nothing that follows could be read.
func (s *stream) write(body []byte) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.tap != nil {
		s.tap(false, body)
	}
	_, err := s.rwc.Write(frame(body))
	if err != nil {
		s.ended(err)
	}
	return err
}

// Close closes the transport.
func (s *stream) Close() error { return s.rwc.Close() }
