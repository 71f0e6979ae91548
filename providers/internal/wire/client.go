// Package wire holds what the providers' packages share below their formats: an
// HTTP client that bounds every wait and tells every failure as a
// [providers.Error], a reader of server-sent events, and an answer that is put
// together from deltas. It knows no provider.
//
//	client := wire.NewClient(wire.Config{Ref: "openai/gpt-5", Secrets: []string{key}})
//	res, err := client.Do(req)      // err is a *providers.Error
//	events := wire.NewEvents(res)
//	for {
//		event, err := events.Next() // io.EOF at the end
//		…
//	}
//
// Nothing here retries: that is for a wrapper around the whole model.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The waits of a client whose [Limits] are zero. A model that reasons unseen
// may be silent for minutes; four attempts of such waits are still less than
// the 20 minutes that a step has by default.
const (
	defaultConnect   = 30 * time.Second
	defaultFirstByte = 3 * time.Minute
	defaultIdle      = 2 * time.Minute
)

// maxQuiet bounds the wait for one event while bytes come that are none: a
// proxy may keep the connection of a dead service alive for ever.
const maxQuiet = 10 * time.Minute

// maxErrorBody is how much of a refusal's body is read.
const maxErrorBody = 1 << 20

// Limits bound the waits of a request. What is zero has a default.
type Limits struct {
	Connect   time.Duration // until the connection stands; 30 s
	FirstByte time.Duration // from sending to the first byte of the body; 3 min
	Idle      time.Duration // between two bytes of the body; 2 min. Comments alone help for 10 min
}

func (l Limits) withDefaults() Limits {
	if l.Connect <= 0 {
		l.Connect = defaultConnect
	}
	if l.FirstByte <= 0 {
		l.FirstByte = defaultFirstByte
	}
	if l.Idle <= 0 {
		l.Idle = defaultIdle
	}
	return l
}

// Config is what a [Client] is made from.
type Config struct {
	Ref     string   // the model's reference, which errors name
	Secrets []string // texts that no error may hold: keys, values of headers
	Limits  Limits

	// HTTP makes the connections; nil stands for a client of our own, and
	// Limits.Connect counts only there. Its redirects are not followed: a key
	// goes to the host that it was meant for, and to no other.
	HTTP *http.Client

	Token func(context.Context) (string, error) // see [providers.Endpoint]
	Body  json.RawMessage                       // likewise
}

// A Client makes requests whose waits are bounded, and whose failures are all a
// [*providers.Error]. It is safe for concurrent use.
type Client struct {
	ref     string
	secrets []string
	limits  Limits
	http    *http.Client
	token   func(context.Context) (string, error)
	issued  atomic.Pointer[string] // the last token
	body    json.RawMessage
}

// Connect returns a client for what e names. It connects to nothing yet.
func Connect(e providers.Endpoint) *Client {
	return NewClient(Config{
		Ref: e.Ref, Secrets: Secrets(e.APIKey, e.Headers), HTTP: e.HTTPClient, Token: e.Token, Body: e.Body,
		Limits: Limits{Connect: e.ConnectTimeout, FirstByte: e.FirstByteTimeout, Idle: e.IdleTimeout},
	})
}

// NewClient returns a client as config says.
func NewClient(config Config) *Client {
	limits := config.Limits.withDefaults()
	client := http.Client{Transport: newTransport(limits)}
	if config.HTTP != nil {
		client = *config.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		ref: config.Ref, secrets: longSecrets(config.Secrets), limits: limits, http: &client,
		token: config.Token, body: config.Body,
	}
}

func newTransport(limits Limits) *http.Transport {
	dialer := &net.Dialer{Timeout: limits.Connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        100,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: limits.Connect,
	}
}

// Ref returns the reference of the model that the client asks.
func (c *Client) Ref() string { return c.ref }

// Do sends req. A status other than 2xx and a page of HTML are errors; with any
// error the body is closed already. Otherwise the caller closes it.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if err := patchBody(req, c.body); err != nil {
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
	if c.token == nil {
		return c.http.Do(req)
	}
	token, err := c.token(req.Context())
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

func (c *Client) refusal(res *http.Response) *providers.Error {
	// What can't be read of a refusal's body only makes its message poorer.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if res.StatusCode < 400 {
		return &providers.Error{
			Kind: providers.KindProvider, Model: c.ref, Status: res.StatusCode,
			Message: "a redirect, which is not followed; is the base URL right?",
		}
	}
	return c.masked(providers.ErrorFromResponse(c.ref, res.StatusCode, res.Header, body))
}

// Broken tells a request that got no answer, or an answer that broke off, by
// err. When ctx has ended that is the reason, and its cause is told.
func (c *Client) Broken(ctx context.Context, err error) *providers.Error {
	if ctx.Err() != nil {
		return providers.Cancelled(ctx, c.ref)
	}
	if errors.Is(err, errTooMuch) {
		return c.useless(err.Error())
	}
	return c.masked(providers.ErrorFromTransport(c.ref, err))
}

// Cut tells a stream that ended without its sign of the end.
func (c *Client) Cut() *providers.Error {
	return &providers.Error{
		Kind: providers.KindNetwork, Model: c.ref, Retryable: true,
		Message: "the stream broke off before its end", Err: io.ErrUnexpectedEOF,
	}
}

// Failed tells an error that came in data, inside an answer that had begun.
func (c *Client) Failed(data []byte) *providers.Error {
	return c.masked(providers.ErrorFromResponse(c.ref, http.StatusOK, nil, data))
}

// Nonsense tells an answer that can't be understood: garbled on its way, or by a
// model that has stumbled. Another try may bring a better one.
func (c *Client) Nonsense(message string) *providers.Error {
	e := c.useless(message)
	e.Retryable = true
	return e
}

// useless tells an answer that would be the same the next time.
func (c *Client) useless(message string) *providers.Error {
	return c.masked(&providers.Error{Kind: providers.KindProvider, Model: c.ref, Message: message})
}

// Misuse tells a request that can't be made.
func (c *Client) Misuse(message string) *providers.Error {
	return c.masked(&providers.Error{Kind: providers.KindConfiguration, Model: c.ref, Message: message})
}

func isHTML(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "text/html" || media == "application/xhtml+xml"
}

func isJSON(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

func isLines(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "application/x-ndjson" || media == "application/jsonl"
}
