package builtin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// WebOptions are the constructor options of the tools that use the network;
// every field may be zero.
type WebOptions struct {
	// AllowHosts are hosts, "name" or "name:port", that may be reached although
	// their addresses are private or local.
	AllowHosts []string
	// Proxy picks the proxy of a request, as in http.Transport; nil means none.
	// Names are resolved by the proxy, so only addresses are checked then.
	Proxy func(*http.Request) (*url.URL, error)
	// Resolver looks names up; nil means the system's.
	Resolver *net.Resolver
	// Transport replaces the one that refuses private addresses.
	Transport http.RoundTripper

	// SearchBackend and SearchDomains are for searches that name none: ddg or
	// brave, and the domains that results are limited to.
	SearchBackend string
	SearchDomains []string
	// DuckDuckGoURL and BraveURL replace the public servers.
	DuckDuckGoURL, BraveURL string
	// BraveKey is the key of the brave backend.
	BraveKey string
}

// Bounds of requests.
const (
	webRedirects   = 10        // tools.md §1.14.7
	webHeaderBytes = 256 << 10 // of a response's headers
	webUserAgent   = "agent-ls"
)

// client returns a client for one call; its connections end with the call.
func (o WebOptions) client() *http.Client {
	transport := o.Transport
	if transport == nil {
		transport = newGuard(o)
	}
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect}
}

// redirectError says why a redirect was not followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= webRedirects {
		return &redirectError{fmt.Sprintf("stopped after %d redirects", webRedirects)}
	}
	if err := checkScheme(req.URL); err != nil {
		return &redirectError{"redirect to " + req.URL.Redacted() + ": " + err.Error()}
	}
	return nil
}

func checkScheme(u *url.URL) error {
	if u.Scheme == "" {
		return fmt.Errorf("%q does not say how to fetch it: begin with https:// or http://", u.Redacted())
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("only http and https URLs can be fetched, not %q", u.Scheme)
	}
	if u.Hostname() == "" {
		return errors.New("the URL has no host")
	}
	return nil
}

// blockedError says that an address is not for the tools (tools.md §1.14.7).
type blockedError struct{ address string }

func (e *blockedError) Error() string {
	return e.address + " is a private, local or reserved address"
}

// guard is a transport that reaches only public addresses and the allowed
// hosts. An address is checked when it is dialled, after names were resolved,
// so that a name that changes its address meanwhile gains nothing.
type guard struct {
	options WebOptions
	direct  *http.Transport
	proxied *http.Transport
}

func newGuard(o WebOptions) *guard {
	g := &guard{options: o}
	g.direct = webTransport(g.dial)
	g.proxied = webTransport((&net.Dialer{Resolver: o.Resolver}).DialContext)
	g.proxied.Proxy = o.Proxy
	return g
}

func webTransport(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext: dial, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: webHeaderBytes, TLSHandshakeTimeout: 10 * time.Second,
	}
}

// RoundTrip sends one request.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	proxy, err := g.proxy(req)
	if err != nil {
		return nil, err
	}
	if proxy == nil {
		return g.direct.RoundTrip(req)
	}
	host := req.URL.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil && !publicAddress(ip) || strings.EqualFold(host, "localhost") {
		if !g.allowed(req.URL.Host, host) {
			return nil, &blockedError{host}
		}
	}
	return g.proxied.RoundTrip(req)
}

func (g *guard) proxy(req *http.Request) (*url.URL, error) {
	if g.options.Proxy == nil {
		return nil, nil
	}
	return g.options.Proxy(req)
}

// dial connects to a host, to a public address unless the host is allowed.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Resolver: g.options.Resolver}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !g.allowed(address, host) {
		d.ControlContext = refusePrivate
	}
	return d.DialContext(ctx, network, address)
}

func (g *guard) allowed(address, host string) bool {
	for _, a := range g.options.AllowHosts {
		if strings.EqualFold(a, host) || strings.EqualFold(a, address) {
			return true
		}
	}
	return false
}

// refusePrivate is called with the address that is about to be connected to.
func refusePrivate(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !publicAddress(ap.Addr()) {
		return &blockedError{address}
	}
	return nil
}

// reservedAddresses are the ranges that are no public unicast addresses besides those
// that netip knows.
var reservedAddresses = addressRanges(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10",
)

// embeddedIPv4 are the ranges of IPv6 that stand for an IPv4 address, and the
// byte at which that begins.
var embeddedIPv4 = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

func addressRanges(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// publicAddress reports whether ip is a public unicast address, also by the IPv4
// address that it stands for.
func publicAddress(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range reservedAddresses {
		if p.Contains(ip) {
			return false
		}
	}
	for _, e := range embeddedIPv4 {
		if e.prefix.Contains(ip) {
			b := ip.As16()
			return publicAddress(netip.AddrFrom4([4]byte(b[e.at : e.at+4])))
		}
	}
	return true
}
