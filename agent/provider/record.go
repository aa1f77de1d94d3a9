package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxRecorded is how much of a body is copied, in bytes.
const maxRecorded = 16 << 20

// Recorder copies requests and answers to files of their own in a folder,
// without keys (contract §1, --record). Safe for concurrent use.
type Recorder struct {
	dir    string
	logger *slog.Logger
	// redact takes keys out of a text.
	redact func(string) string
	prefix string
	number atomic.Int64
	made   sync.Once
}

// NewRecorder returns a recorder that writes to dir, which is made when it is
// needed. The names of the files begin with the time now, so that runs do not
// mix.
func NewRecorder(dir string, now time.Time, redact func(string) string, logger *slog.Logger) *Recorder {
	return &Recorder{dir: dir, logger: logger, redact: redact, prefix: now.UTC().Format("20060102T150405.000")}
}

// exchange is the content of a file.
type exchange struct {
	Method         string              `json:"method"`
	URL            string              `json:"url"`
	RequestHeader  map[string][]string `json:"requestHeader"`
	Request        any                 `json:"request,omitempty"`
	Status         int                 `json:"status,omitempty"`
	ResponseHeader map[string][]string `json:"responseHeader,omitempty"`
	Response       string              `json:"response,omitempty"`
	Error          string              `json:"error,omitempty"`
}

// publicHeaders are the headers whose values are copied; those of the others
// might be keys.
var publicHeaders = []string{
	"Accept", "Content-Type", "Content-Length", "User-Agent", "Retry-After", "Retry-After-Ms", "Date", "Server",
	"Anthropic-Version", "Anthropic-Beta", "X-Request-Id", "Request-Id",
}

func scrub(h http.Header) map[string][]string {
	out := map[string][]string{}
	for name := range h {
		out[name] = []string{"[not copied]"}
	}
	for _, name := range publicHeaders {
		if v, ok := h[name]; ok {
			out[name] = v
		}
	}
	return out
}

// write writes one file; what cannot be written is logged, never fatal.
func (r *Recorder) write(e exchange) {
	var failed error
	r.made.Do(func() { failed = os.MkdirAll(r.dir, 0o700) })
	e.URL, e.Response, e.Error = r.redact(e.URL), r.redact(e.Response), r.redact(e.Error)
	data, err := json.MarshalIndent(e, "", "  ")
	if err == nil {
		name := fmt.Sprintf("%s-%04d.json", r.prefix, r.number.Add(1))
		err = os.WriteFile(filepath.Join(r.dir, name), append(data, '\n'), 0o600)
	}
	if failed != nil || err != nil {
		r.logger.Warn("a model's traffic was not recorded", "dir", r.dir, "error", first(failed, err))
	}
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// recording copies what goes through it.
type recording struct {
	next http.RoundTripper
	to   *Recorder
}

func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	e := exchange{Method: req.Method, URL: req.URL.Redacted(), RequestHeader: scrub(req.Header)}
	if i := strings.IndexByte(e.URL, '?'); i >= 0 {
		e.URL = e.URL[:i] // a key may be there
	}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			e.Request = r.to.readable(body)
		}
	}
	response, err := r.next.RoundTrip(req)
	if err != nil {
		e.Error = err.Error()
		r.to.write(e)
		return nil, err
	}
	e.Status, e.ResponseHeader = response.StatusCode, scrub(response.Header)
	response.Body = &recordedBody{ReadCloser: response.Body, exchange: e, to: r.to}
	return response, nil
}

// readable reads a body that was sent: JSON as such, so that people can read it.
func (r *Recorder) readable(body io.ReadCloser) any {
	defer body.Close()
	sent, err := io.ReadAll(io.LimitReader(body, maxRecorded))
	if err != nil {
		return nil
	}
	text := r.redact(string(sent))
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// recordedBody copies a body while it is read, and writes the file when it is
// closed.
type recordedBody struct {
	io.ReadCloser
	copy     bytes.Buffer
	once     sync.Once
	exchange exchange
	to       *Recorder
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if room := maxRecorded - b.copy.Len(); room > 0 {
		b.copy.Write(p[:min(n, room)])
	}
	if err != nil && err != io.EOF {
		b.exchange.Error = err.Error()
	}
	return n, err
}

func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() {
		b.exchange.Response = b.copy.String()
		b.to.write(b.exchange)
	})
	return err
}
