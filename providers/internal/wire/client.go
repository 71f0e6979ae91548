// Package wire is what the providers' packages share below their formats: an HTTP client
// that bounds every wait and returns every failure as a [providers.Error], a parser of
// server-sent events, and an answer that is assembled from deltas. It knows no provider.
//
//	client := wire.Connect(endpoint)
//	message, err := client.Exchange(ctx, url, body, header, answer, reader) // err is a *providers.Error
//
// A format provides a [Reader], which assembles an [Answer] from the events of its stream.
// Nothing is retried here; see [providers.Retry].
package wire

import (
	"cmp"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Client makes requests. It bounds their waits, and all its errors are of type
// [*providers.Error]. It is safe for concurrent use.
type Client struct {
	at      providers.Endpoint
	secrets []string
	http    *http.Client
	issued  atomic.Pointer[string] // the last token
}

// Connect returns a client for an endpoint, without connecting yet. It never follows
// redirects, so that a key is sent only to the host that it is for.
func Connect(at providers.Endpoint) *Client {
	at.FirstByteTimeout = cmp.Or(at.FirstByteTimeout, defaultFirstByte)
	at.IdleTimeout = cmp.Or(at.IdleTimeout, defaultIdle)
	if at.HTTPClient == nil {
		at.HTTPClient = &http.Client{Transport: providers.NewTransport()}
	}
	client := *at.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{at: at, secrets: secretsOf(at), http: &client}
}

// Ref returns the reference of the client's model.
func (c *Client) Ref() string { return c.at.Ref }

// Do sends req, with the endpoint's headers, which override those of req. A status other
// than 2xx and a page of HTML are errors. With an error, which is a [*providers.Error], the
// body is closed already; otherwise the caller closes it.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("User-Agent", "flow")
	for name, value := range c.at.Headers {
		req.Header.Set(name, value)
	}
	if err := patchBody(req, c.at.Body); err != nil {
		return nil, c.Misuse(err.Error())
	}
	watch := newWatch(req.Context(), c.at)
	watch.start()
	res, err := c.send(req.WithContext(watch.ctx))
	watch.pause()
	if err != nil {
		err = watch.explain(err)
		watch.end()
		return nil, c.Broken(req.Context(), err)
	}
	res.Body = &watchedBody{body: res.Body, watch: watch}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		return nil, c.refusal(res)
	}
	if media := mediaOf(res.Header); media == "text/html" || media == "application/xhtml+xml" {
		res.Body.Close()
		return nil, c.useless("the response is an HTML page; check the base URL")
	}
	return res, nil
}

// send sends the request, with a token where the endpoint has a source of them.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if c.at.Token == nil {
		return c.http.Do(req)
	}
	token, err := c.at.Token(req.Context())
	var told *providers.Error
	switch {
	case err == nil:
		c.issued.Store(&token)
		req.Header.Set("Authorization", "Bearer "+token)
		return c.http.Do(req)
	case req.Context().Err() != nil, errors.As(err, &told):
		return nil, err
	}
	return nil, &providers.Error{Kind: providers.KindAuth, Message: err.Error(), Err: err}
}
