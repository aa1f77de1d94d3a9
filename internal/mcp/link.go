package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// link is one server of a session, connected or not.
type link struct {
	client *Client
	config ServerConfig
	label  string
	log    *slog.Logger
	calls  calls
	visits visits
	// dialing holds a token while the server is being reached.
	dialing chan struct{}
	shelf   shelf

	mu   sync.Mutex
	conn *connection // the last one, also when it is lost
}

// connection is a server that is ready.
type connection struct {
	carrier carrier
	session *sdk.ClientSession
	// changed holds a token while the tools are to be listed.
	changed chan struct{}
	done    chan struct{} // closed when the connection is over, after err is set
	err     error
}

// carrier is the transport of a connection and owns what it opened.
type carrier interface {
	sdk.Transport
	// end closes the session, nil for none, and what carries it.
	end(session *sdk.ClientSession)
	// trouble says what is known of why it ended, for the user; "" for nothing.
	trouble() string
}

// The causes that end what a client does.
var (
	errEnded = errors.New("the session has ended")
	errSlow  = errors.New("it did not get ready in time")
)

func newLink(c *Client, config ServerConfig, label string) *link {
	l := &link{
		client: c, config: config, label: label, log: c.o.Logger.With("mcp", config.Name),
		dialing: make(chan struct{}, 1), shelf: shelf{names: map[string]string{}},
	}
	l.calls.silence = c.o.Silence
	return l
}

// start reaches the server for the first time.
func (l *link) start() {
	if _, err := l.current(l.client.life); err != nil && l.client.life.Err() == nil {
		l.client.warn(l, fmt.Sprintf("The MCP server %q is not available", l.config.Name),
			sentence(err)+"Its tools are missing. Correct its configuration and open the session again.")
	}
}

// sentence is an error as a sentence with a space behind it.
func sentence(err error) string {
	text := strings.TrimRight(strings.TrimSpace(err.Error()), ".")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + ". "
}

// current returns the connection; where there is none, or none any more, the
// server is reached anew. Only one caller at a time does that.
func (l *link) current(ctx context.Context) (*connection, error) {
	select {
	case l.dialing <- struct{}{}:
		defer func() { <-l.dialing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if c := l.last(); c != nil && !c.over() {
		return c, nil
	}
	c, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.conn = c
	l.mu.Unlock()
	if !l.client.spawn(func() { l.attend(c) }) {
		c.carrier.end(c.session)
		return nil, errEnded
	}
	return c, nil
}

func (l *link) last() *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn
}

func (c *connection) over() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// versions are the protocol versions to begin with, in this order. Nearly every
// server knows the first; servers that know newer ones alone refuse it, each in
// its own way, and then "", the SDK's newest, is tried.
var versions = []string{"2025-11-25", ""}

// dial reaches the server, within the time limit.
func (l *link) dial(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.client.o.ConnectTimeout, errSlow)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(l.client.life, func() { end(errEnded) })()
	var err error
	for _, version := range versions {
		carrier, openErr := l.carrier()
		if openErr != nil {
			return nil, openErr
		}
		var c *connection
		if c, err = l.connect(ctx, carrier, version); err == nil {
			return c, nil
		}
		if ctx.Err() != nil || gone(err) {
			break
		}
	}
	return nil, err
}

// connect makes one attempt. Nothing of a failed one stays.
func (l *link) connect(ctx context.Context, carrier carrier, version string) (_ *connection, err error) {
	c := &connection{carrier: carrier, changed: make(chan struct{}, 1), done: make(chan struct{})}
	c.changed <- struct{}{}
	c.session, err = l.sdkClient(c).Connect(ctx, carrier, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		return c, nil
	}
	carrier.end(nil)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if why := carrier.trouble(); why != "" {
		err = fmt.Errorf("%w; %s", err, why)
	}
	return nil, err
}

// carrier returns a new transport to the server.
func (l *link) carrier() (carrier, error) {
	if l.config.URL != "" {
		return newWeb(l.config, l.client.o)
	}
	return startProcess(l.config, l.client.session.Cwd(), l.client.o, l.log)
}

// sdkClient is what the SDK needs to know of us, and our ears.
func (l *link) sdkClient(c *connection) *sdk.Client {
	o := &sdk.ClientOptions{
		Logger:       l.log,
		Capabilities: &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case c.changed <- struct{}{}:
			default: // to be listed already
			}
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			l.calls.progress(r.Params)
		},
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			l.calls.alive()
			l.log.Info("message", "level", r.Params.Level, "data", logged(r.Params.Data))
		},
	}
	l.offerElicitation(c, o)
	client := sdk.NewClient(&sdk.Implementation{Name: "agent-ls", Title: "agent-ls", Version: l.client.o.Version}, o)
	for _, root := range append([]string{l.client.session.Cwd()}, l.client.session.Roots()...) {
		client.AddRoots(&sdk.Root{URI: fileURI(root), Name: filepath.Base(root)})
	}
	return client
}

// logged is a message of a server as much of it as the log takes.
func logged(data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		return ""
	}
	return proc.LastWords(string(text))
}

// fileURI is the file URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// attend lists the tools of a connection whenever they have changed, until the
// connection is over, and then cleans up behind it.
func (l *link) attend(c *connection) {
	if !l.client.spawn(func() {
		c.err = c.session.Wait()
		close(c.done)
	}) {
		c.carrier.end(c.session)
		return
	}
	for {
		select {
		case <-c.changed:
			l.list(c)
		case <-c.done:
			c.carrier.end(c.session)
			l.lost(c)
			return
		case <-l.client.life.Done():
			c.carrier.end(c.session)
			<-c.done
			return
		}
	}
}

// lost tells the user of a connection that ended by itself.
func (l *link) lost(c *connection) {
	if l.client.life.Err() != nil {
		return
	}
	text := c.carrier.trouble()
	if text == "" && c.err != nil {
		text = c.err.Error()
	}
	if text != "" {
		text = sentence(errors.New(text))
	}
	l.client.warn(l, fmt.Sprintf("The MCP server %q is gone", l.config.Name),
		text+"It is started or called again when one of its tools is called.")
}
