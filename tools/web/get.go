package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

const userAgent = "flow (webfetch)"

// accepted is the Accept header: the media types that can be read, the best first.
const accepted = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1"

// get fetches a page. It follows redirects that are allowed.
func (f fetch) get(ctx context.Context, address string) (*page, error) {
	for hop := 0; ; hop++ {
		target, err := f.judged(ctx, address, hop == 0)
		if err != nil {
			return nil, err
		}
		p, next, err := f.request(ctx, target)
		if err != nil || next == "" {
			return p, err
		}
		if hop == permission.MaxRedirects {
			return nil, fmt.Errorf("%s redirects once more, to %q, after %d redirects", target, next, hop)
		}
		address = next
	}
}

// judged has an address judged, and returns its normal form.
func (f fetch) judged(ctx context.Context, address string, first bool) (*url.URL, error) {
	if f.o.Judge == nil {
		return nil, errors.New("there is no policy")
	}
	normal, d := f.o.Judge(ctx, address, first)
	if d.Verdict != tools.Allow && !(first && d.Verdict == tools.Ask) {
		return nil, f.refuse(address, first, d)
	}
	target, err := url.Parse(normal)
	if err != nil {
		return nil, err
	}
	return target, nil
}

// refuse returns the error for a denied address, and passes it to Refused.
func (f fetch) refuse(address string, first bool, d tools.Decision) error {
	what := "address"
	if !first {
		what = "redirect"
	}
	why := fmt.Sprintf("the %s to %q is denied", what, address)
	if d.Rule != "" && !strings.Contains(d.Reason, "the rule \"") { // else the reason names it
		why += fmt.Sprintf(" by the rule %q", d.Rule)
	}
	if d.Reason != "" {
		why += ": " + d.Reason
	}
	f.tell(why)
	return errors.New(why)
}

func (f fetch) tell(message string) {
	if f.o.Refused != nil {
		f.o.Refused("webfetch: " + message)
	}
}

// request sends one request. It returns the page, or the address of a redirect.
func (f fetch) request(ctx context.Context, target *url.URL) (*page, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", accepted)
	transport := f.transport(target.Hostname())
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, "", f.broken(target, err)
	}
	defer response.Body.Close()
	if next, err := redirect(target, response); next != "" || err != nil {
		return nil, next, err
	}
	p, err := f.read(target, response)
	return p, "", err
}

// broken returns the error of a failed request. An address that may not be dialled is
// passed to Refused.
func (f fetch) broken(target *url.URL, err error) error {
	var forbidden *forbiddenAddress
	if errors.As(err, &forbidden) {
		f.tell(forbidden.Error())
		return forbidden
	}
	return fmt.Errorf("%s: %w", target, err)
}

// redirect returns the address to which a response redirects, or "".
func redirect(from *url.URL, r *http.Response) (string, error) {
	switch r.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return "", nil
	}
	location := r.Header.Get("Location")
	if location == "" {
		return "", fmt.Errorf("%s answers %s and does not say where to", from, r.Status)
	}
	to, err := from.Parse(location)
	if err != nil {
		return "", fmt.Errorf("%s redirects to %q, which is no address", from, location)
	}
	return to.String(), nil
}

// read reads the body up to the limit.
func (f fetch) read(from *url.URL, r *http.Response) (*page, error) {
	p := &page{address: from, status: r.StatusCode, contentType: r.Header.Get("Content-Type"), length: r.ContentLength}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, fmt.Errorf("%s: the page is encoded as %q, which was not asked for", from, coding)
	}
	limit := f.o.MaxBytes
	if p.failed() {
		limit = min(limit, maxOfError)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil && !p.failed() {
		return nil, fmt.Errorf("%s: after %d bytes: %w", from, len(body), err)
	}
	if int64(len(body)) > limit {
		body, p.cutAt = body[:limit], limit
	}
	p.body = body
	return p, nil
}
