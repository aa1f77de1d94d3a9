package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

//go:embed webfetch.md
var webfetchDescription string

// WebFetchArgs are the parameters of webfetch.
type WebFetchArgs struct {
	URL          string `json:"url" minLength:"1" desc:"The URL, http or https."`
	OutputFormat string `json:"output_format,omitempty" enum:"markdown,text,html" desc:"How HTML is returned, markdown by default."`
	TimeoutMS    int    `json:"timeout_ms,omitzero" min:"1" max:"30000" desc:"Time for the whole request, 10000 by default."`
	MaxBytes     int    `json:"max_bytes,omitzero" min:"1" max:"1000000" desc:"How much of the body to read, 200000 by default."`
}

// What webfetch does when it is not told (tools.md §1.14.1).
const (
	fetchTimeout  = 10 * time.Second
	fetchMaxBytes = 200_000
	fetchFormat   = "markdown"
	sniffBytes    = 512 // of a body without a type
)

// webPageInfo is a fetched page without its content.
type webPageInfo struct {
	URL          string `json:"url"`
	FinalURL     string `json:"final_url"`
	Status       int    `json:"status"`
	OK           bool   `json:"ok"`
	ContentType  string `json:"content_type"`
	OutputFormat string `json:"output_format"`
	Title        string `json:"title"`
	Truncated    bool   `json:"truncated"`
	// ByteSize is how much of the body was read, in bytes after decompression.
	ByteSize   int   `json:"byte_size"`
	DurationMS int64 `json:"duration_ms"`
}

// webPage is the result of webfetch (tools.md §1.14.2).
type webPage struct {
	webPageInfo
	Content string `json:"content"`
}

// WebFetch returns the webfetch tool (seed 000 §7.8; tools.md §1.14).
func WebFetch(o Options) *tools.Definition {
	return tools.Define(tools.Spec[WebFetchArgs]{
		Name: "webfetch", Label: "Fetch", Description: webfetchDescription, Source: tools.SourceBuiltin,
		Prepare: tools.Aliases(map[string]string{"outputFormat": "output_format", "timeoutMs": "timeout_ms", "maxBytes": "max_bytes"}),
		Access:  func(a WebFetchArgs) []tools.Access { return []tools.Access{{Kind: tools.AccessFetch, URL: a.URL}} },
		Execute: func(ctx context.Context, a WebFetchArgs, tc *tools.Context) (tools.Result, error) {
			return o.Web.fetch(ctx, a, tc.Now)
		},
		PresentCall: func(a WebFetchArgs) presentation.CallView {
			return &presentation.GenericCall{Title: "Fetch " + a.URL, Kind: presentation.KindFetch, RawInput: rawString(a.URL)}
		},
	})
}

// withDefaults fills in what the arguments leave out.
func (a WebFetchArgs) withDefaults() WebFetchArgs {
	if a.OutputFormat == "" {
		a.OutputFormat = fetchFormat
	}
	if a.TimeoutMS == 0 {
		a.TimeoutMS = int(fetchTimeout / time.Millisecond)
	}
	if a.MaxBytes == 0 {
		a.MaxBytes = fetchMaxBytes
	}
	return a
}

func (o WebOptions) fetch(ctx context.Context, a WebFetchArgs, now func() time.Time) (tools.Result, error) {
	a = a.withDefaults()
	u, err := url.Parse(strings.TrimSpace(a.URL))
	if err == nil {
		err = checkScheme(u)
	}
	if err != nil {
		return tools.Result{}, invalidArgs("url: %v", err)
	}
	start := now()
	limited, cancel := context.WithTimeout(ctx, time.Duration(a.TimeoutMS)*time.Millisecond)
	defer cancel()
	resp, err := o.get(limited, u.String(), http.Header{"Accept": {"text/html, text/markdown, text/plain;q=0.9, */*;q=0.5"}})
	if err != nil {
		return webFailed(ctx, "fetching URL", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if unsupported := unreadable(resp.Header); unsupported != "" {
		return unsupportedType(unsupported), nil
	}
	body, truncated, err := readBody(resp.Body, a.MaxBytes)
	if err != nil {
		return webFailed(ctx, "fetching URL", err)
	}
	p := webPage{webPageInfo: webPageInfo{
		URL: a.URL, FinalURL: resp.Request.URL.String(), Status: resp.StatusCode, OK: resp.StatusCode/100 == 2,
		ContentType: resp.Header.Get("Content-Type"), OutputFormat: a.OutputFormat, Truncated: truncated, ByteSize: len(body),
	}}
	if p.ContentType == "" && looksBinary(body) {
		return unsupportedType("unknown"), nil
	}
	p.fill(body, resp.Request.URL)
	p.DurationMS = now().Sub(start).Milliseconds()
	r := tools.JSONResult(p)
	r.Details = mustJSON(p.webPageInfo)
	return r, nil
}

// get sends a GET request; ctx bounds it with its body.
func (o WebOptions) get(ctx context.Context, target string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	req.Header = header
	req.Header.Set("User-Agent", webUserAgent)
	return o.client().Do(req)
}

// readBody reads at most limit bytes, after decompression, so that a small
// body cannot become a huge one.
func readBody(r io.Reader, limit int) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) > limit {
		return body[:limit], true, nil
	}
	return body, false, err
}

// fill turns the body into content and title.
func (p *webPage) fill(body []byte, base *url.URL) {
	text, isHTML := decodeBody(body, p.ContentType, p.Truncated)
	if !isHTML {
		p.Content = text
		return
	}
	p.Title, p.Content = convertHTML(text, p.OutputFormat, base)
}

// decodeBody returns the body as UTF-8, by the charset of the header, of a
// byte order mark or of the page itself. A character that the truncation cut
// is left out.
func decodeBody(body []byte, contentType string, truncated bool) (text string, isHTML bool) {
	media, _, _ := mime.ParseMediaType(contentType)
	if media == "" {
		media, _, _ = strings.Cut(http.DetectContentType(body), ";")
	}
	isHTML = media == "text/html" || media == "application/xhtml+xml"
	text = decodeText(body, contentType, truncated)
	return strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF"), isHTML
}

func decodeText(body []byte, contentType string, truncated bool) string {
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	whole := body
	if truncated {
		whole = body[:len(body)-partialRune(body)]
	}
	// The package's guess sees only the beginning; valid UTF-8 is no accident.
	if name == "utf-8" || !certain && utf8.Valid(whole) {
		return string(whole)
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return string(whole)
	}
	if truncated {
		decoded = bytes.TrimSuffix(decoded, []byte("\uFFFD"))
	}
	return string(decoded)
}

// partialRune is how many bytes at the end begin a rune that is not whole.
func partialRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// textTypes are media types of text outside of text/.
var textTypes = map[string]bool{
	"application/json": true, "application/xml": true, "application/xhtml+xml": true, "application/javascript": true,
	"application/ecmascript": true, "application/x-javascript": true, "application/x-ndjson": true, "application/jsonl": true,
	"application/yaml": true, "application/x-yaml": true, "application/toml": true, "application/sql": true, "application/graphql": true,
	"application/x-sh": true, "application/x-www-form-urlencoded": true, "application/rtf": true, "message/rfc822": true,
}

// unreadable says which content a response holds that is no text, "" for text.
// An encoding that is still there is one that was not asked for.
func unreadable(h http.Header) string {
	contentType := h.Get("Content-Type")
	if packed := h.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return fmt.Sprintf("%s packed as %s", contentType, packed)
	}
	return binaryType(contentType)
}

// binaryType returns the media type of a header that is not text, "" for text
// and for none.
func binaryType(contentType string) string {
	if contentType == "" {
		return ""
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		media, _, _ = strings.Cut(contentType, ";")
	}
	if strings.HasPrefix(media, "text/") || textTypes[media] || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") && media != "image/svg+xml" {
		return ""
	}
	return media
}

// looksBinary judges a body without a type by its beginning: a NUL, or more
// than a tenth of control characters (tools.md §1.14.3).
func looksBinary(body []byte) bool {
	head := body[:min(len(body), sniffBytes)]
	control := 0
	for _, c := range head {
		if c == 0 {
			return true
		}
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			control++
		}
	}
	return control*10 > len(head)
}

func unsupportedType(media string) tools.Result {
	return failedText("WebError", "WEB_UNSUPPORTED_TYPE",
		fmt.Sprintf("Unsupported content-type for webfetch: %s. Use a command to download it, or another page", media))
}
