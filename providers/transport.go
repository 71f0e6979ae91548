package providers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// ErrorFromTransport returns the error for a request that got no answer, or whose answer
// broke off, because of a name, a connection, a certificate or a timeout. It is of
// [KindNetwork] where a retry may help, and of [KindConfiguration] for a wrong URL or an
// invalid certificate. An [Error] in err's chain is returned as it is. The message has the
// host, but not the rest of the URL, which may contain a key. If the caller's own context
// has ended, use [Cancelled] instead, which knows the cause.
func ErrorFromTransport(model string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	host, cause := target(err)
	e := &Error{Kind: KindNetwork, Model: model, Retryable: true, Err: cause}
	switch {
	case errors.Is(err, context.Canceled):
		e.Kind, e.Retryable = KindCancelled, false
	case misconfigured(cause):
		e.Kind, e.Retryable = KindConfiguration, false
	}
	e.Message = redact(joined(host, reason(cause)))
	return e
}

// target splits an error into the host of its URL, and the cause without the URL.
func target(err error) (host string, cause error) {
	var failed *url.Error
	if !errors.As(err, &failed) {
		return "", err
	}
	if failed.Op == "parse" { // the cause quotes the URL, which may be a key
		return "", errBadURL
	}
	if u, parseErr := url.Parse(failed.URL); parseErr == nil {
		host = u.Host
	}
	return host, failed.Err
}

var errBadURL = errors.New("the base URL is invalid")

// misconfigured reports whether no retry can help, because the URL or the server's
// certificate is wrong.
func misconfigured(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
	)
	return errors.Is(err, errBadURL) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &verification) || errors.As(err, &record) ||
		// net/http has no type for these.
		badHeader(err) || strings.Contains(err.Error(), "unsupported protocol scheme") || strings.Contains(err.Error(), "no Host in request URL")
}

// badHeader reports whether a header can't be sent. The error does not quote it.
func badHeader(err error) bool { return strings.Contains(err.Error(), "invalid header field") }

// reason returns a short message for an error.
func reason(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case badHeader(err):
		return "a header is invalid; check the key for a line break: " + strings.TrimPrefix(err.Error(), "net/http: ")
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection was closed in the middle of the response"
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("no such host %q", dns.Name)
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "no response in time"
	}
	return err.Error()
}

func joined(host, reason string) string {
	if host == "" || strings.Contains(reason, host) {
		return reason
	}
	return host + ": " + reason
}
