package join

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/internal/filelock"
)

const (
	// greetTime bounds the greeting of a caller.
	greetTime = 5 * time.Second
	// maxGreeting is the longest line of a greeting, in bytes.
	maxGreeting = 4 << 10
	// maxCallers bounds the callers at a time.
	maxCallers = 32
)

// greeting is what a caller says first, on a line.
type greeting struct {
	Token   string `json:"token"`
	Version string `json:"version"`
	Want    string `json:"want"`
}

// reply is what it is answered, on a line; "" is a welcome.
type reply struct {
	Error string `json:"error"`
}

// Handlers speak with callers, by what they want. The connection is closed when a
// handler returns; its context ends with Close.
type Handlers map[string]func(ctx context.Context, conn io.ReadWriteCloser)

// Listener lets other processes join this one.
type Listener struct {
	socket   net.Listener
	token    string
	version  string
	handlers Handlers
	log      *slog.Logger
	files    paths
	unlock   func()

	ctx    context.Context
	cancel context.CancelFunc
	places chan struct{} // one token a caller
	work   sync.WaitGroup
}

// Listen begins to listen. version is this program's: callers of another one are
// sent away. ErrTaken says that another process does so already.
func Listen(p Place, version string, handlers Handlers, log *slog.Logger) (*Listener, error) {
	files, err := p.paths()
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Lock(files.lock, 0)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, ErrTaken
	}
	if err != nil {
		return nil, err
	}
	l := &Listener{version: version, handlers: handlers, log: log, files: files, unlock: unlock, places: make(chan struct{}, maxCallers)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if err := l.open(); err != nil {
		l.cancel()
		unlock()
		return nil, fmt.Errorf("listen for other processes: %w", err)
	}
	l.work.Go(l.accept)
	return l, nil
}

// open makes the token and the socket; the lock says that what is there is left
// over.
func (l *Listener) open() error {
	var secret [32]byte
	rand.Read(secret[:])
	l.token = hex.EncodeToString(secret[:])
	for _, old := range []string{l.files.socket, l.files.token} {
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := os.WriteFile(l.files.token, []byte(l.token), 0o600); err != nil {
		return err
	}
	var err error
	if l.socket, err = new(net.ListenConfig).Listen(l.ctx, "unix", l.files.socket); err != nil {
		return err
	}
	return os.Chmod(l.files.socket, 0o600)
}

// accept takes callers until the socket is closed.
func (l *Listener) accept() {
	for {
		conn, err := l.socket.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				l.log.Warn("no more processes can join", "error", err)
			}
			return
		}
		select {
		case l.places <- struct{}{}:
			l.work.Go(func() {
				defer func() { <-l.places }()
				l.serve(conn)
			})
		default:
			l.log.Warn("a process cannot join: there are too many")
			conn.Close()
		}
	}
}

// serve greets a caller and lets the handler speak with it.
func (l *Listener) serve(conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(l.ctx, func() { conn.Close() })()
	buffered := &lineConn{Conn: conn, in: bufio.NewReaderSize(conn, maxGreeting)}
	handler, err := l.greet(buffered)
	answer := reply{}
	if err != nil {
		l.log.Warn("a process was not let in", "error", err)
		answer.Error = err.Error()
	}
	if sendLine(conn, answer) != nil || err != nil || conn.SetDeadline(time.Time{}) != nil {
		return
	}
	handler(l.ctx, buffered)
}

// greet checks what a caller says.
func (l *Listener) greet(conn *lineConn) (func(context.Context, io.ReadWriteCloser), error) {
	if err := conn.SetDeadline(time.Now().Add(greetTime)); err != nil {
		return nil, err
	}
	var g greeting
	if err := conn.line(&g); err != nil {
		return nil, fmt.Errorf("no greeting: %w", err)
	}
	handler := l.handlers[g.Want]
	switch {
	case subtle.ConstantTimeCompare([]byte(g.Token), []byte(l.token)) != 1:
		return nil, errors.New("the token is wrong")
	case g.Version != l.version:
		return nil, fmt.Errorf("the versions differ: %s here, %s there", l.version, g.Version)
	case handler == nil:
		return nil, fmt.Errorf("%q is not spoken here", g.Want)
	}
	return handler, nil
}

// Close ends listening and all connections, and waits for the handlers.
func (l *Listener) Close() {
	l.cancel()
	if err := l.socket.Close(); err != nil {
		l.log.Debug("socket closed", "error", err)
	}
	l.work.Wait()
	for _, left := range []string{l.files.token, l.files.lock, filepath.Dir(l.files.lock)} {
		_ = os.Remove(left) // what others use stays; the next one makes its own
	}
	l.unlock()
}

// lineConn is a connection that begins with lines.
type lineConn struct {
	net.Conn
	in *bufio.Reader
}

// Read reads what the lines left, then the rest.
func (c *lineConn) Read(p []byte) (int, error) { return c.in.Read(p) }

// line reads a line of JSON.
func (c *lineConn) line(v any) error {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

func sendLine(conn net.Conn, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = conn.Write(append(line, '\n'))
	return err
}

// Conn is a connection to the process that listens.
type Conn struct{ *lineConn }

// CloseWrite says that nothing more will be written.
func (c Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// Dial joins the process that listens at a place, to speak want with it.
// ErrNobody says that there is none.
func Dial(ctx context.Context, p Place, version, want string) (Conn, error) {
	files, err := p.paths()
	if err != nil {
		return Conn{}, err
	}
	token, err := os.ReadFile(files.token)
	if err != nil {
		return Conn{}, ErrNobody
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", files.socket)
	if err != nil {
		return Conn{}, ErrNobody
	}
	c := Conn{&lineConn{Conn: conn, in: bufio.NewReaderSize(conn, maxGreeting)}}
	if err := c.greet(greeting{Token: string(token), Version: version, Want: want}); err != nil {
		conn.Close()
		return Conn{}, err
	}
	return c, nil
}

// greet says what is wanted and waits to be let in.
func (c Conn) greet(g greeting) error {
	if err := c.SetDeadline(time.Now().Add(greetTime)); err != nil {
		return err
	}
	if err := sendLine(c.lineConn.Conn, g); err != nil {
		return err
	}
	var answer reply
	if err := c.line(&answer); err != nil {
		return fmt.Errorf("no answer of the process that works on this folder: %w", err)
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	return c.SetDeadline(time.Time{})
}
