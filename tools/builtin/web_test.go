package builtin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// localWeb are options with which the servers of the tests can be reached.
func localWeb() Options { return Options{Web: WebOptions{AllowHosts: []string{"127.0.0.1"}}} }

// serve starts a server for one test.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestPublicAddresses(t *testing.T) {
	private := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1",
		"172.31.255.255", "192.168.1.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
		"240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001::1", "2001:db8::1",
		"fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "ff02::1", "100::1",
	}
	public := []string{"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"}
	for _, s := range private {
		if publicAddress(netip.MustParseAddr(s)) {
			t.Errorf("%s counts as public", s)
		}
	}
	for _, s := range public {
		if !publicAddress(netip.MustParseAddr(s)) {
			t.Errorf("%s counts as private", s)
		}
	}
	if publicAddress(netip.Addr{}) {
		t.Error("no address counts as public")
	}
}

// Nothing listens for a refused address: not even a connection is made.
func TestGuardRefusesWhereItDials(t *testing.T) {
	var hits atomic.Int64
	server := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, Options{})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::1]", "[::]", "127.1.2.3"} {
		got := s.fails("WEB_NETWORK_ERROR", "webfetch", args{"url": "http://" + host + ":" + port + "/"})
		if !strings.Contains(got, "BLOCKED_ADDRESS") || !strings.Contains(got, "web.allow_hosts") {
			t.Errorf("%s: %s", host, got)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server was reached %d times", n)
	}
}

func TestGuardAllowsHosts(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	address := server.Listener.Addr().String()
	for _, allowed := range []string{"127.0.0.1", address} {
		s := newSession(t, Options{Web: WebOptions{AllowHosts: []string{"other.example", allowed}}})
		if got := s.ok("webfetch", args{"url": server.URL}); !strings.Contains(got, `"content":"here"`) {
			t.Errorf("allowed %s: %s", allowed, got)
		}
	}
	s := newSession(t, Options{Web: WebOptions{AllowHosts: []string{"127.0.0.1:1"}}})
	s.fails("WEB_NETWORK_ERROR", "webfetch", args{"url": server.URL})
}

// A public server that sends the client to a private one gains nothing.
func TestRedirectsAreChecked(t *testing.T) {
	var hits atomic.Int64
	inner := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	outer := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/private":
			http.Redirect(w, r, inner.URL, http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/nine":
			n := len(r.URL.RawQuery)
			if n == 9 {
				fmt.Fprint(w, "arrived")
				return
			}
			http.Redirect(w, r, "/nine?"+strings.Repeat("x", n+1), http.StatusFound)
		}
	})
	s := newSession(t, Options{Web: WebOptions{AllowHosts: []string{outer.Listener.Addr().String()}}})
	for path, want := range map[string]string{"/private": "BLOCKED_ADDRESS", "/file": "only http and https", "/loop": "stopped after 10 redirects"} {
		if got := s.fails("WEB_NETWORK_ERROR", "webfetch", args{"url": outer.URL + path}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if hits.Load() != 0 {
		t.Error("the private server was reached")
	}
	got := s.ok("webfetch", args{"url": outer.URL + "/nine"})
	if !strings.Contains(got, "arrived") || !strings.Contains(got, `"final_url":"`+outer.URL+"/nine?xxxxxxxxx") {
		t.Errorf("nine redirects: %s", got)
	}
}

// fakeResolver answers every look-up by failing to reach a name server.
func fakeResolver(err error) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
}

// The classes of tools.md §1.14.5, by real connections where that is possible.
func TestFailureClasses(t *testing.T) {
	broken := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		switch r.URL.Path {
		case "/reset":
			if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
				t.Error(err)
			}
		case "/short":
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nshort")
		case "/garbage":
			_, _ = io.WriteString(conn, "no http at all\r\n\r\n")
		}
		_ = conn.Close()
	})
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	goneURL := gone.URL
	gone.Close()
	s := newSession(t, localWeb())
	cases := []struct{ url, code, text string }{
		{broken.URL + "/reset", "WEB_CONNECTION_RESET", "[connection_reset]"},
		{broken.URL + "/empty", "WEB_CONNECTION_RESET", "[connection_reset]"},
		{broken.URL + "/short", "WEB_CONNECTION_RESET", "[connection_reset]"},
		{broken.URL + "/garbage", "WEB_NETWORK_ERROR", "[network_error]"},
		{secure.URL, "WEB_TLS_ERROR", "CERT_INVALID"},
		{strings.Replace(broken.URL, "http:", "https:", 1), "WEB_TLS_ERROR", "[tls_error]"},
		{goneURL, "WEB_CONNECTION_REFUSED", "ECONNREFUSED"},
	}
	for _, c := range cases {
		got := s.fails(c.code, "webfetch", args{"url": c.url})
		if !strings.HasPrefix(got, "Error fetching URL [") || !strings.Contains(got, c.text) || !strings.Contains(got, "(code=") {
			t.Errorf("%s: %s", c.url, got)
		}
	}
	o := localWeb()
	o.Web.Resolver = fakeResolver(errors.New("no name server"))
	named := newSession(t, o)
	if got := named.fails("WEB_DNS_ERROR", "webfetch", args{"url": "http://name.invalid/"}); !strings.Contains(got, "[dns_error]") {
		t.Error(got)
	}
}

func TestClassify(t *testing.T) {
	cases := []struct {
		err  error
		want webFailure
	}{
		{&net.DNSError{IsNotFound: true}, webNoHost},
		{&net.DNSError{IsTemporary: true}, webNoLookup},
		{&net.DNSError{IsTimeout: true}, webTimeout},
		{context.DeadlineExceeded, webTimeout},
		{&blockedError{"127.0.0.1:1"}, webBlocked},
		{&redirectError{"x"}, webRedirect},
		{tls.AlertError(40), webNoTLS},
		{tls.RecordHeaderError{}, webNoTLS},
		{&tls.CertificateVerificationError{Err: errors.New("x")}, webBadCert},
		{io.ErrUnexpectedEOF, webReset},
		{errors.New("odd"), webUndefined},
	}
	for _, c := range cases {
		if got := classifyWeb(fmt.Errorf("get: %w", c.err)); got != c.want {
			t.Errorf("%T: %+v, want %+v", c.err, got, c.want)
		}
	}
	classes := map[string]bool{"timeout": true, "dns_error": true, "tls_error": true, "connection_refused": true, "connection_reset": true, "network_error": true}
	for _, f := range []webFailure{webTimeout, webNoHost, webNoLookup, webBadCert, webNoTLS, webRefused, webReset, webBlocked, webRedirect, webUndefined} {
		if !classes[f.class] || f.code == "" || f.hint == "" {
			t.Errorf("%+v", f)
		}
	}
}

// Behind a proxy names cannot be checked, addresses are.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		fmt.Fprint(w, "by proxy")
	})
	proxyURL, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Web: WebOptions{Proxy: http.ProxyURL(proxyURL)}}
	s := newSession(t, o)
	if got := s.ok("webfetch", args{"url": "http://site.example/x"}); !strings.Contains(got, "by proxy") {
		t.Error(got)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "169.254.169.254"} {
		s.fails("WEB_NETWORK_ERROR", "webfetch", args{"url": "http://" + host + "/"})
	}
	if len(asked) != 1 || asked[0] != "http://site.example/x" {
		t.Errorf("the proxy was asked for %v", asked)
	}
	o.Web.AllowHosts = []string{"localhost"}
	newSession(t, o).ok("webfetch", args{"url": "http://localhost/"})
	o.Web.Proxy = func(*http.Request) (*url.URL, error) { return nil, errors.New("bad proxy setting") }
	if got := newSession(t, o).fails("WEB_NETWORK_ERROR", "webfetch", args{"url": "http://site.example/"}); !strings.Contains(got, "bad proxy setting") {
		t.Error(got)
	}
}
