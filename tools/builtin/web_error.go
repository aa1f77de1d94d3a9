package builtin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// webFailure is a failed request: the closed set of classes of tools.md
// §1.14.5, a code and what to do next.
type webFailure struct{ class, code, hint string }

// The failures that can be told apart.
var (
	webTimeout   = webFailure{"timeout", "ETIMEDOUT", "Try again with a larger timeout_ms, or another address"}
	webNoHost    = webFailure{"dns_error", "ENOTFOUND", "Check the spelling of the host"}
	webNoLookup  = webFailure{"dns_error", "EAI_AGAIN", "Try again later, or another address"}
	webBadCert   = webFailure{"tls_error", "CERT_INVALID", "The server's certificate is not trusted; use another address or ask the user"}
	webNoTLS     = webFailure{"tls_error", "TLS_HANDSHAKE", "The server does not speak TLS as expected; check scheme and port"}
	webRefused   = webFailure{"connection_refused", "ECONNREFUSED", "Nothing listens there; check host and port"}
	webReset     = webFailure{"connection_reset", "ECONNRESET", "The server broke off; try again later"}
	webBlocked   = webFailure{"network_error", "BLOCKED_ADDRESS", "Only public addresses can be fetched; the user can allow a host with web.allow_hosts"}
	webRedirect  = webFailure{"network_error", "REDIRECT", "Fetch the final address directly"}
	webUndefined = webFailure{"network_error", "NETWORK", "Check the URL, or try again later"}
)

// classifyWeb tells what kind of failure err is.
func classifyWeb(err error) webFailure {
	var (
		blocked  *blockedError
		redirect *redirectError
		dns      *net.DNSError
		timeout  net.Error
	)
	switch {
	case errors.As(err, &blocked):
		return webBlocked
	case errors.As(err, &redirect):
		return webRedirect
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return webTimeout
	case errors.As(err, &dns) && dns.IsNotFound:
		return webNoHost
	case errors.As(err, &dns):
		return webNoLookup
	case isCertError(err):
		return webBadCert
	case isTLSError(err):
		return webNoTLS
	case isAny(err, connectionRefused):
		return webRefused
	case isAny(err, connectionReset):
		return webReset
	}
	return webUndefined
}

func isCertError(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

func isTLSError(err error) bool {
	var (
		record tls.RecordHeaderError
		alert  tls.AlertError
	)
	return errors.As(err, &record) || errors.As(err, &alert) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func isAny(err error, list []error) bool {
	for _, e := range list {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// cutOff are the ends of a stream that came too early.
var cutOff = []error{io.EOF, io.ErrUnexpectedEOF}

// webFailed is the result of a failed request; what is "fetching URL" or
// "searching the web". The end of the whole call stays an error of its own.
func webFailed(ctx context.Context, what string, err error) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	f := classifyWeb(err)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return failedText("WebError", "WEB_"+strings.ToUpper(f.class),
		fmt.Sprintf("Error %s [%s]: %v (code=%s). %s", what, f.class, err, f.code, f.hint)), nil
}

// failedText is a failed call with exactly this text (tools.md §1.13.4,
// §1.14.3).
func failedText(name, code, text string) tools.Result {
	return tools.Result{
		Content: []presentation.Block{presentation.Text(strings.ToValidUTF8(text, "\uFFFD"))},
		IsError: true, Error: &tools.ErrorInfo{Name: name, Code: code},
	}
}
