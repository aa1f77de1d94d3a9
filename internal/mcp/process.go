package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// process carries the connection to a stdio server that it has started.
type process struct {
	child *proc.Child
	lines *lines
}

// startProcess starts a server in dir.
func startProcess(config ServerConfig, dir string, o Options, log *slog.Logger) (*process, error) {
	stderr := &chatter{log: log}
	child, err := proc.Program{
		Path: config.Command, Args: config.Args, Dir: dir, Env: environment(o.Environ, config.Env),
		Stderr: stderr.add, Logger: log,
	}.Start()
	if err != nil {
		return nil, err
	}
	return &process{child: child, lines: &lines{in: bufio.NewReaderSize(child, 64<<10), max: o.MaxMessage, log: log}}, nil
}

// Connect makes the SDK speak over the server's standard streams.
func (p *process) Connect(ctx context.Context) (sdk.Connection, error) {
	t := &sdk.IOTransport{Reader: io.NopCloser(p.lines), Writer: input{p.child}, MaxLineLength: p.lines.max + 1}
	return t.Connect(ctx)
}

// input is the server's standard input; closing it asks the server to leave.
type input struct{ *proc.Child }

// Close ends the input.
func (i input) Close() error { return i.CloseInput() }

// end ends the server with its process group, and with it the session.
func (p *process) end(session *sdk.ClientSession) {
	_ = p.child.Close() // how it ended is asked by trouble
	if session != nil {
		_ = session.Close() // what it says is known: the other side is gone
	}
}

// trouble says how the server ended and what it said last; call it after end.
func (p *process) trouble() string { return troubleOf(p.child.Exit()) }

func troubleOf(exit proc.Exit) string {
	var parts []string
	switch {
	case exit.Aborted:
	case exit.Signal != "":
		parts = append(parts, "it was ended by "+exit.Signal)
	case exit.Code != nil && *exit.Code != 0:
		parts = append(parts, fmt.Sprintf("it ended with exit code %d", *exit.Code))
	}
	if said := lastLines(exit.Stderr.Text); said != "" {
		parts = append(parts, "it last said: "+said)
	}
	return strings.Join(parts, "; ")
}

// maxSaid is how much of a server's last words a user is shown, in bytes.
const maxSaid = 400

// lastLines is the end of a text, on one line.
func lastLines(text string) string {
	t := proc.NewTail(maxSaid)
	t.Add(strings.TrimSpace(text))
	return strings.Join(strings.Fields(t.String()), " ")
}

// lines passes on the lines of a server's output that are messages. Servers
// print banners and debug output there too: that goes to the log.
type lines struct {
	in   *bufio.Reader
	max  int // of a line, in bytes
	rest []byte
	log  *slog.Logger
}

// errTooLong is a message over Options.MaxMessage.
var errTooLong = errors.New("it sent a message that is too long")

// Read reads whole lines piece by piece.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		switch {
		case json.Valid(line):
			l.rest = append(line, '\n')
		case len(line) > 0:
			l.log.Debug("no message on standard output", "line", lastLines(string(line)))
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns one line without its end. A last line without one counts.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > l.max {
			return nil, errTooLong
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return nil, err
		}
		return bytes.TrimSpace(line), nil
	}
}

// maxLogged is how much of a server's standard error is logged, in bytes.
const maxLogged = 1 << 20

// chatter logs what a server says on standard error, line by line and no more
// than maxLogged. Not safe for concurrent use.
type chatter struct {
	log    *slog.Logger
	line   strings.Builder
	logged int
}

func (c *chatter) add(text string) {
	for part := range strings.Lines(text) {
		if c.logged > maxLogged {
			return
		}
		c.logged += len(part)
		c.line.WriteString(part)
		if strings.HasSuffix(part, "\n") || c.line.Len() > proc.DefaultKeep {
			c.log.Info("standard error", "line", strings.TrimRight(c.line.String(), "\r\n"))
			c.line.Reset()
		}
		if c.logged > maxLogged {
			c.log.Warn("it says too much on standard error; no more of it is logged")
		}
	}
}
