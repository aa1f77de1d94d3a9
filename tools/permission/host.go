package permission

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// hostPattern is the parsed pattern of a fetch rule.
type hostPattern struct {
	host  string // lower case, ASCII; without the "*." of a wildcard
	below bool   // any host below host, but not host itself
	port  string // "" for none
}

// parseHostPattern reads "example.com", "*.example.com", each with ":port".
func parseHostPattern(s string) (hostPattern, error) {
	h := hostPattern{host: s}
	if strings.ContainsAny(s, "/@ ") {
		return h, fmt.Errorf("%q is not a host; write just the name, without scheme and path", s)
	}
	if host, port, err := net.SplitHostPort(s); err == nil {
		h.host, h.port = host, port
	}
	h.host, h.below = strings.CutPrefix(h.host, "*.")
	h.host = asciiHost(strings.Trim(h.host, "[]"))
	if h.host == "" || strings.ContainsAny(h.host, "*?") {
		return h, fmt.Errorf("%q is not a host; a wildcard is only possible as its first label", s)
	}
	return h, nil
}

// asciiHost is the form of a host name that is compared.
func asciiHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

// urlHost returns the host of a http(s) URL as it is compared, its port, and
// whether that is the scheme's own.
func urlHost(raw string) (host, port string, ownPort, ok bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return "", "", false, false
	}
	own := map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	if own == "" {
		return "", "", false, false
	}
	port = u.Port()
	if port == "" {
		port = own
	}
	return asciiHost(u.Hostname()), port, port == own, true
}

// hostMatches reports whether pattern is about the URL. anyPort says that a
// pattern without a port means all of them.
func hostMatches(pattern, rawURL string, anyPort bool) bool {
	h, err := parseHostPattern(pattern)
	if err != nil {
		return false
	}
	host, port, ownPort, ok := urlHost(rawURL)
	if !ok {
		return false
	}
	if h.below && !strings.HasSuffix(host, "."+h.host) || !h.below && host != h.host {
		return false
	}
	if h.port == "" {
		return anyPort || ownPort
	}
	return port == h.port
}

// hostOf is the pattern of just the URL's host, "" when it has none.
func hostOf(rawURL string) string {
	host, port, ownPort, ok := urlHost(rawURL)
	if !ok {
		return ""
	}
	if ownPort {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}
