package builtin

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// fetchPage fetches from a server that answers with body.
func fetchPage(t *testing.T, contentType string, body []byte, more args) webPage {
	t.Helper()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		_, _ = w.Write(body)
	})
	a := args{"url": server.URL + "/page"}
	for k, v := range more {
		a[k] = v
	}
	return decodePage(t, newSession(t, localWeb()).ok("webfetch", a))
}

func decodePage(t *testing.T, text string) webPage {
	t.Helper()
	var p webPage
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return p
}

const samplePage = `<!doctype html><html><head><title> A
 &amp; B </title><style>p{color:red}</style><script>alert("no")</script></head>
<body><h1>Head</h1><p>Some <b>bold</b> text, a <a href="/next">link</a>.</p>
<ul><li>one</li><li>two</li></ul><pre>  keep
   this</pre><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<noscript>hidden</noscript><script>more()</script></body></html>`

func TestFetchFormats(t *testing.T) {
	markdown := fetchPage(t, "text/html; charset=utf-8", []byte(samplePage), nil)
	if markdown.Title != "A & B" || markdown.Status != 200 || !markdown.OK || markdown.OutputFormat != "markdown" || markdown.Truncated || markdown.ByteSize != len(samplePage) {
		t.Errorf("%+v", markdown.webPageInfo)
	}
	link := strings.TrimSuffix(markdown.FinalURL, "/page") + "/next"
	for _, want := range []string{"# Head", "**bold**", "[link](" + link + ")", "- one", "  keep\n   this", "| a"} {
		if !strings.Contains(markdown.Content, want) {
			t.Errorf("markdown lacks %q:\n%s", want, markdown.Content)
		}
	}
	text := fetchPage(t, "text/html", []byte(samplePage), args{"output_format": "text"})
	for _, want := range []string{"Head\n", "Some bold text, a link (http://127.0.0.1:", "/next).", "one\n", "two\n", "  keep\n   this", "a\tb"} {
		if !strings.Contains(text.Content, want) {
			t.Errorf("text lacks %q:\n%s", want, text.Content)
		}
	}
	for _, p := range []webPage{markdown, text} {
		for _, hidden := range []string{"alert", "color", "more()", "hidden", "A & B"} {
			if strings.Contains(p.Content, hidden) {
				t.Errorf("%s holds %q:\n%s", p.OutputFormat, hidden, p.Content)
			}
		}
	}
	if raw := fetchPage(t, "text/html", []byte(samplePage), args{"output_format": "html"}); raw.Content != samplePage || raw.Title != "A & B" {
		t.Errorf("html: %q", raw.Content)
	}
}

func TestFetchPlain(t *testing.T) {
	for _, contentType := range []string{"text/plain", "application/json", "application/vnd.api+json; charset=utf-8", "application/xml", "text/markdown", ""} {
		p := fetchPage(t, contentType, []byte("{\"a\": \"<b>\"}\n"), nil)
		if p.Content != "{\"a\": \"<b>\"}\n" || p.Title != "" || p.ContentType != contentType {
			t.Errorf("%s: %+v", contentType, p)
		}
	}
	if p := fetchPage(t, "", []byte(samplePage), nil); p.Title != "A & B" {
		t.Errorf("a page without a type: %+v", p)
	}
	if p := fetchPage(t, "text/plain", nil, nil); p.Content != "" || p.ByteSize != 0 || !p.OK {
		t.Errorf("an empty page: %+v", p)
	}
}

func TestFetchCharsets(t *testing.T) {
	cases := []struct {
		name, contentType string
		body              []byte
		want              string
	}{
		{"header", "text/plain; charset=iso-8859-1", []byte("caf\xe9"), "café"},
		{"header with quotes", `text/plain; charset="windows-1252"`, []byte("\x80"), "€"},
		{"shift-jis", "text/plain; charset=Shift_JIS", []byte("\x93\xfa\x96\x7b"), "日本"},
		{"gbk", "text/html; charset=gbk", []byte("<p>\xc4\xe3"), "你"},
		{"meta", "text/html", []byte("<meta charset=iso-8859-15><p>\xa4"), "€"},
		{"header beats meta", "text/html; charset=utf-8", []byte("<meta charset=iso-8859-15><p>é"), "é"},
		{"byte order mark", "text/plain", []byte("\xef\xbb\xbfé"), "é"},
		{"UTF-16", "text/plain; charset=utf-16", []byte("\xff\xfeh\x00i\x00"), "hi"},
		{"none", "text/plain", []byte("é"), "é"},
		{"wrong one", "text/plain; charset=utf-8", []byte("caf\xe9!"), "caf\uFFFD!"},
		{"unknown one", "text/plain; charset=klingon", []byte("é"), "é"},
		{"broken header", "text/plain; charset", []byte("x"), "x"},
	}
	for _, c := range cases {
		if p := fetchPage(t, c.contentType, c.body, nil); p.Content != c.want {
			t.Errorf("%s: %q, want %q", c.name, p.Content, c.want)
		}
	}
}

func TestFetchTruncation(t *testing.T) {
	cases := []struct {
		name, contentType, body, want string
		max                           int
		truncated                     bool
	}{
		{"exact", "text/plain", "abc", "abc", 3, false},
		{"over", "text/plain", "abcd", "abc", 3, true},
		{"inside a rune", "text/plain; charset=utf-8", "ab€", "ab", 3, true},
		{"after a rune", "text/plain; charset=utf-8", "€x", "€", 3, true},
		{"inside a double byte", "text/plain; charset=shift_jis", "\x93\xfa\x96\x7b", "日", 3, true},
	}
	for _, c := range cases {
		p := fetchPage(t, c.contentType, []byte(c.body), args{"max_bytes": c.max})
		if p.Content != c.want || p.Truncated != c.truncated || p.ByteSize > c.max {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	big := fetchPage(t, "text/plain", bytes.Repeat([]byte("x"), 300_000), nil)
	if !big.Truncated || len(big.Content) != 200_000 || big.ByteSize != 200_000 {
		t.Errorf("by default %d bytes, truncated %v", len(big.Content), big.Truncated)
	}
}

// A gigabyte of zeros in a megabyte is read as far as asked, and no further.
func TestFetchGzipBomb(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	zeros := bytes.Repeat([]byte("0"), 1<<20)
	for range 64 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(packed.Bytes())
	})
	p := decodePage(t, newSession(t, localWeb()).ok("webfetch", args{"url": server.URL, "max_bytes": 1000}))
	if !p.Truncated || p.ByteSize != 1000 || len(p.Content) != 1000 {
		t.Errorf("%+v", p.webPageInfo)
	}
}

func TestFetchRefusesBinary(t *testing.T) {
	cases := map[string][]byte{
		"image/png": []byte("\x89PNG"), "application/octet-stream": []byte("text really"), "application/pdf": []byte("%PDF"), "image/svg+xml": []byte("<svg/>"), "video/mp4; x=y": nil,
	}
	for contentType, body := range cases {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(body)
		})
		media, _, _ := strings.Cut(contentType, ";")
		got := newSession(t, localWeb()).fails("WEB_UNSUPPORTED_TYPE", "webfetch", args{"url": server.URL})
		if !strings.HasPrefix(got, "Unsupported content-type for webfetch: "+media+".") {
			t.Errorf("%s: %s", contentType, got)
		}
	}
	for name, body := range map[string]string{"NUL": "ab\x00cd", "control characters": "\x01\x02\x03abcdef"} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, body)
		})
		if got := newSession(t, localWeb()).fails("WEB_UNSUPPORTED_TYPE", "webfetch", args{"url": server.URL}); !strings.Contains(got, "unknown") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// An encoding that was not asked for is no text.
func TestFetchRefusesOddEncodings(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "packed")
	})
	if got := newSession(t, localWeb()).fails("WEB_UNSUPPORTED_TYPE", "webfetch", args{"url": server.URL}); !strings.Contains(got, "text/plain packed as br") {
		t.Error(got)
	}
}

// A status that is no success is a normal result.
func TestFetchErrorStatus(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not here", http.StatusNotFound) })
	p := decodePage(t, newSession(t, localWeb()).ok("webfetch", args{"url": server.URL}))
	if p.OK || p.Status != 404 || p.Content != "not here\n" {
		t.Errorf("%+v", p)
	}
}

func TestFetchBadURLs(t *testing.T) {
	s := newSession(t, Options{})
	if got := s.fails(tools.CodeInvalidArgs, "webfetch", args{"url": "example.com"}); !strings.Contains(got, "begin with https://") {
		t.Errorf("an address without a scheme: %s", got)
	}
	for _, u := range []string{"ftp://example.com/", "file:///etc/passwd", "example.com", "http://", "http://[::1", "javascript:alert(1)", "http:///x", " "} {
		if got := s.fails(tools.CodeInvalidArgs, "webfetch", args{"url": u}); !strings.Contains(got, "url") {
			t.Errorf("%q: %s", u, got)
		}
	}
	for _, a := range []args{{}, {"url": "http://x", "output_format": "pdf"}, {"url": "http://x", "timeout_ms": 30001}, {"url": "http://x", "max_bytes": 1000001}, {"url": "http://x", "max_bytes": 0, "other": 1}} {
		r := s.call("webfetch", a)
		if !r.IsError && a["other"] == nil {
			t.Errorf("%v: %s", a, text(r))
		}
	}
}

// A server that never answers costs the time that was given.
func TestFetchTimeout(t *testing.T) {
	stop := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "begun")
			_ = http.NewResponseController(w).Flush()
		}
		<-stop
	})
	t.Cleanup(func() { close(stop) })
	s := newSession(t, localWeb())
	for _, path := range []string{"/headers", "/body"} {
		got := s.fails("WEB_TIMEOUT", "webfetch", args{"url": server.URL + path, "timeout_ms": 50})
		if !strings.HasPrefix(got, "Error fetching URL [timeout]") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// The end of the call itself is an abort, not a failure of the web.
func TestFetchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := localWeb().Web.fetch(ctx, WebFetchArgs{URL: server.URL}, time.Now)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestFetchOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") }))
	t.Cleanup(server.Close)
	s := newSession(t, Options{Web: WebOptions{Transport: server.Client().Transport}})
	if got := s.ok("webfetch", args{"url": server.URL}); !strings.Contains(got, "secret") {
		t.Error(got)
	}
}

func TestFetchMeasuresTime(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") })
	clock := time.Unix(0, 0)
	now := func() time.Time { clock = clock.Add(1500 * time.Millisecond); return clock }
	r, err := localWeb().Web.fetch(context.Background(), WebFetchArgs{URL: server.URL}, now)
	if err != nil {
		t.Fatal(err)
	}
	if p := decodePage(t, text(r)); p.DurationMS != 1500 {
		t.Errorf("%d ms", p.DurationMS)
	}
	if strings.Contains(string(r.Details), `"content"`) || !strings.Contains(string(r.Details), `"status":200`) {
		t.Errorf("details %s", r.Details)
	}
}

// Field report 91: the URL is in title and raw input, never in locations.
func TestFetchCard(t *testing.T) {
	for _, c := range []struct {
		tool  *tools.Definition
		args  string
		title string
		raw   string
		url   string
	}{
		{WebFetch(Options{}), `{"url":"https://example.com/a"}`, "Fetch https://example.com/a", `"https://example.com/a"`, "https://example.com/a"},
		{Search(Options{}), `{"query":"go & co"}`, `Search the web for "go & co"`, `"go & co"`, "https://api.duckduckgo.com/?"},
		{Search(Options{}), `{"query":"x","backend":"brave"}`, `Search the web for "x"`, `"x"`, "https://api.search.brave.com/"},
	} {
		v, ok := c.tool.PresentCall(json.RawMessage(c.args)).(*presentation.GenericCall)
		if !ok || v.Title != c.title || v.Kind != presentation.KindFetch || v.Locations != nil || string(v.RawInput) != c.raw {
			t.Errorf("%s: card %+v", c.tool.Name, v)
		}
		access := c.tool.Access(json.RawMessage(c.args))
		if len(access) != 1 || access[0].Kind != tools.AccessFetch || !strings.HasPrefix(access[0].URL, c.url) {
			t.Errorf("%s: access %+v", c.tool.Name, access)
		}
	}
}

// FuzzConvertHTML: whatever a page is, converting it ends and gives text.
func FuzzConvertHTML(f *testing.F) {
	for _, seed := range []string{samplePage, "", "<", "<p", "<a href=\x00>", strings.Repeat("<div>", 600), strings.Repeat("<b><p>", 50), "<table><tr><td><table>", "<title><title>", "<pre>\n\n\n</pre>", "<a href='http://[::1'>x</a>", "<svg><title>t</title><script>x</script></svg>", "<script><!--<script></script>", "<template><p>x"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "https", Host: "example.com"}
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 1<<14 {
			return
		}
		page = strings.ToValidUTF8(page, "\uFFFD")
		for _, format := range []string{"markdown", "text", "html"} {
			convertHTML(page, format, base)
		}
	})
}

func TestDeepPage(t *testing.T) {
	page := strings.Repeat("<div>", 2000) + "deep<script>x()</script> &amp; down" + strings.Repeat("</div>", 2000)
	if p := fetchPage(t, "text/html", []byte(page), nil); !strings.Contains(p.Content, "deep & down") || strings.Contains(p.Content, "x()") {
		t.Errorf("%q", p.Content)
	}
	if p := fetchPage(t, "text/html", []byte(page), args{"output_format": "html"}); p.Content != page {
		t.Errorf("%d bytes", len(p.Content))
	}
}

// What a page makes of its bytes is bounded: no indentation, span or row may
// multiply the rest.
func TestHostilePagesDoNotGrow(t *testing.T) {
	lines := strings.Repeat("x<br>", 2000)
	pages := map[string]string{
		"nested quotes":  strings.Repeat("<blockquote>", 400) + lines,
		"nested lists":   strings.Repeat("<ul><li>", 200) + lines,
		"spans":          "<table><tr><td colspan=100000 rowspan=100000>x<td>y<tr><td>z</table>",
		"one wide row":   "<table><tr>" + strings.Repeat("<td>x", 1000) + strings.Repeat("<tr><td>x", 1000) + "</table>",
		"one wide cell":  "<table><tr><td>" + strings.Repeat("x", 5000) + strings.Repeat("<tr><td>x", 1000) + "</table>",
		"nested tables":  strings.Repeat("<table><tr><td>", 80) + lines,
		"empty elements": strings.Repeat("<p> ", 3000) + "<div></div>x",
		"stars":          strings.Repeat("*_[ ", 3000),
	}
	base := &url.URL{Scheme: "https", Host: "example.com"}
	for name, p := range pages {
		for _, format := range []string{"markdown", "text"} {
			if _, got := convertHTML(p, format, base); len(got) > 5*len(p)+1000 || !strings.ContainsAny(got, "x*") {
				t.Errorf("%s as %s: %d bytes of %d", name, format, len(got), len(p))
			}
		}
	}
}

func TestTablesStayTables(t *testing.T) {
	p := "<table><tr><th>a<th colspan=2>b<tr><td>1<td>2<td>3</table><blockquote><ul><li>deep</ul></blockquote>"
	_, got := convertHTML(p, "markdown", &url.URL{Scheme: "https", Host: "example.com"})
	for _, want := range []string{"| a", "| 1 | 2 | 3 |", "> - deep"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}
