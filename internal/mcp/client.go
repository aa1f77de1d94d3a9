package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/agent"
)

// ServerConfig says how one server is reached: by a Command or by a URL.
type ServerConfig struct {
	// Name is what the user calls it.
	Name string
	// Command is the program of a stdio server; Args are its arguments without
	// the program's name, Env its own variables NAME=VALUE.
	Command string
	Args    []string
	Env     []string
	// URL is the address of a streamable HTTP server. Header is sent to its
	// host alone.
	URL    string
	Header http.Header
}

// Options configure a Client; every field may be zero.
type Options struct {
	// Version is the program's, for the servers.
	Version string
	Logger  *slog.Logger
	// Environ is what stdio servers inherit from; nil means the process's own
	// environment. They see little of it, see environment.
	Environ []string
	// Elicitor asks the user for a server; nil: servers are told that there is
	// nobody to ask.
	Elicitor Elicitor
	// ConnectTimeout bounds how long a server may take until it is ready, and
	// to list its tools (10 s).
	ConnectTimeout time.Duration
	// MaxMessage is how long one message of a server may be, in bytes (32 MiB).
	MaxMessage int
	// Silence is how long a call waits without any sign of its server (60 s,
	// tools.md §5 row 6). Progress is a sign; while the user is being asked,
	// time stands still.
	Silence time.Duration
}

// withDefaults fills what is zero.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 10 * time.Second
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = 32 << 20
	}
	if o.Silence <= 0 {
		o.Silence = time.Minute
	}
	return o
}

// Client holds the connections of one session to its servers.
type Client struct {
	session *agent.Session
	o       Options

	// life ends with Close; work counts the goroutines.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	closed bool

	// publishing is held while tools get their names and enter the session.
	publishing sync.Mutex
	// names are the names that tools were given here, for good.
	names map[string]bool
}

// Connect begins to connect a session to its servers and returns at once. Tools
// come when their server has told them; what goes wrong the user is told by a
// notice. The session closes the client.
func Connect(s *agent.Session, servers []ServerConfig, o Options) *Client {
	c := &Client{session: s, o: o.withDefaults(), names: map[string]bool{}}
	c.life, c.end = context.WithCancel(context.Background())
	labels := labels(servers)
	for i, config := range servers {
		c.spawn(newLink(c, config, labels[i]).start)
	}
	s.OnClose(c.Close)
	return c
}

// spawn runs fn in a goroutine that Close waits for; false when the client is
// closed.
func (c *Client) spawn(fn func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.work.Go(fn)
	return true
}

// Close ends all connections, and the servers that were started here with their
// process groups, and waits for it.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.work.Wait()
}

// warn tells the user of a trouble with a server.
func (c *Client) warn(l *link, title, text string) {
	l.log.Warn(title, "why", text)
	c.session.Notify(agent.Notice{Severity: "warning", Title: title, Text: text})
}
