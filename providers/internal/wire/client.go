// Package wire holds what the providers' packages share below their formats: an
// HTTP client that bounds every wait and returns every failure as a
// [providers.Error], a reader of server-sent events, and an answer that is put
// together from deltas. It knows no provider.
//
//	client := wire.Connect(endpoint)
//	message, err := client.Ask(ctx, url, body, header, answer, reader) // err is a *providers.Error
//
// A format brings a [Reader], which puts an [Answer] together from the events of
// its stream. Nothing here retries: that is for a wrapper around the whole model.
package wire

import (
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Client makes requests whose waits are bounded, and whose failures are all a
// [*providers.Error]. It is safe for concurrent use.
type Client struct {
	at      providers.Endpoint
	secrets []string
	limits  limits
	http    *http.Client
	issued  atomic.Pointer[string] // the last token
}

// Connect returns a client for an endpoint. It connects to nothing yet. Redirects
// are not followed, whoever makes the connections: a key goes to the host that it
// was meant for, and to no other.
func Connect(at providers.Endpoint) *Client {
	limits := limitsOf(at)
	client := http.Client{Transport: providers.NewTransport(limits.connect)}
	if at.HTTPClient != nil {
		client = *at.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{at: at, secrets: secretsOf(at), limits: limits, http: &client}
}

// Ref returns the reference of the model that the client asks.
func (c *Client) Ref() string { return c.at.Ref }

// Do sends req, with the endpoint's own headers in place of those of the same name.
// A status other than 2xx and a page of HTML are errors; with any error, which is a
// [*providers.Error], the body is closed already. Otherwise the caller closes it.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("User-Agent", "flow")
	for name, value := range c.at.Headers {
		req.Header.Set(name, value)
	}
	if err := patchBody(req, c.at.Body); err != nil {
		return nil, c.Misuse(err.Error())
	}
	watch := newWatch(req.Context(), c.limits)
	watch.start()
	res, err := c.send(req.WithContext(watch.ctx))
	watch.pause()
	if err != nil {
		err = watch.explain(err)
		watch.end()
		return nil, c.Broken(req.Context(), err)
	}
	providers.ReportHeaders(req.Context(), res.Header)
	res.Body = &watchedBody{body: res.Body, watch: watch}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		return nil, c.refusal(res)
	}
	if isHTML(res.Header) {
		res.Body.Close()
		return nil, c.useless("a page of HTML in place of an answer; is the base URL right?")
	}
	return res, nil
}

// send makes the request with a token, where the service takes one.
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
