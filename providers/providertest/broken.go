package providertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// maxPartial limits the text that is kept of an answer that broke off, in bytes.
const maxPartial = 64 << 10

// short is the timeout for servers that never answer.
const short = 100 * time.Millisecond

// A breakage is a way in which a service fails, with the error that must come of it.
type breakage struct {
	name      string
	serve     service
	kind      providers.Kind
	retryable bool
	after     time.Duration // that the service asks to wait
	partial   bool          // something of the answer had come
}

// A service answers a request, well or not. It is given a complete, valid stream of its
// dialect.
type service func(a attempt)

type attempt struct {
	http.ResponseWriter
	request *http.Request
	dialect Dialect
	stream  []byte
}

// flush sends the headers and what is written so far.
func (a attempt) flush() { http.NewResponseController(a.ResponseWriter).Flush() }

// begin sets the Content-Type of the stream.
func (a attempt) begin() { a.Header().Set("Content-Type", contentTypeOf(a.dialect)) }

// on starts a server that answers all requests with the service.
func (s service) on(t *testing.T, d Dialect) (url string) {
	stream := sample(d)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s(attempt{w, r, d, stream}) }))
	t.Cleanup(server.Close)
	return server.URL
}

// breakages returns the ways in which a service fails. They spoil a valid stream.
func breakages() []breakage {
	return []breakage{
		{name: "401 that quotes the key", serve: refuse(401, nil, "invalid_api_key"), kind: providers.KindAuth},
		{name: "403", serve: refuse(403, nil, ""), kind: providers.KindAuth},
		{name: "404", serve: refuse(404, nil, "model_not_found"), kind: providers.KindConfiguration},
		{name: "400", serve: refuse(400, nil, "invalid_request_error"), kind: providers.KindProvider},
		{name: "400 for what its own model said", serve: refuse(400, nil, "tool_use_failed"), kind: providers.KindProvider, retryable: true},
		{name: "400 for its length", serve: refuse(400, nil, "context_length_exceeded"), kind: providers.KindContextLength},
		{name: "429", serve: refuse(429, http.Header{"Retry-After": {"7"}}, "rate_limit_exceeded"), kind: providers.KindRateLimited, retryable: true, after: 7 * time.Second},
		{name: "429 that no wait cures", serve: refuse(429, nil, "insufficient_quota"), kind: providers.KindRateLimited},
		{name: "500", serve: refuse(500, nil, "server_error"), kind: providers.KindProvider, retryable: true},
		{name: "503", serve: refuse(503, nil, ""), kind: providers.KindOverloaded, retryable: true},
		{name: "529", serve: refuse(529, nil, "overloaded_error"), kind: providers.KindOverloaded, retryable: true},
		{name: "redirect", serve: redirect, kind: providers.KindProvider},
		{name: "huge refusal", serve: refuseHugely, kind: providers.KindProvider, retryable: true},
		{name: "page of HTML", serve: body("text/html; charset=utf-8", "<html>Log in</html>"), kind: providers.KindProvider},
		{name: "empty answer", serve: events(""), kind: providers.KindNetwork, retryable: true},
		{name: "comments only", serve: events(": wait\n\n: wait\n\n"), kind: providers.KindNetwork, retryable: true},
		{name: "empty document", serve: body("application/json", ""), kind: providers.KindNetwork, retryable: true},
		{name: "document of something else", serve: body("application/json", `{"hello":"world"}`), kind: providers.KindProvider},
		{name: "garbage", serve: events("data: \x00\xff{]\n\ndata: [DONE]\n\n"), kind: providers.KindProvider, retryable: true},
		{name: "list", serve: events("data: [1,2]\n\ndata: [DONE]\n\n"), kind: providers.KindProvider, retryable: true},
		{name: "huge line", serve: hugeLine, kind: providers.KindProvider},
		{name: "error first", serve: events(`data: {"error":{"message":"busy","type":"server_error"}}` + "\n\n"), kind: providers.KindProvider, retryable: true},
		{name: "error as a document", serve: body("application/json", `{"error":{"message":"slow down","code":429}}`), kind: providers.KindRateLimited, retryable: true},
		{name: "error as bare JSON", serve: spoil(1, 2, "\n{\n\"error\": {\"message\": \"gone\",\n\"code\": 503}\n}\n"), kind: providers.KindOverloaded, retryable: true, partial: true},
		{name: "error event", serve: spoil(1, 2, "event: error\ndata: {\"error\":{\"message\":\"bad call\",\"type\":\"invalid_request_error\",\"code\":\"tool_use_failed\"}}\n\n"), kind: providers.KindProvider, retryable: true, partial: true},
		{name: "error in a piece", serve: spoil(1, 2, "data: {\"error\":{\"message\":\"limit\",\"code\":429},\"choices\":[]}\n\n"), kind: providers.KindRateLimited, retryable: true, partial: true},
		{name: "end in the middle", serve: spoil(1, 2, ""), kind: providers.KindNetwork, retryable: true, partial: true},
		{name: "end in the middle of an event", serve: spoil(1, 2, `data: {"choices":[{"ind`), kind: providers.KindNetwork, retryable: true, partial: true},
		{name: "connection broken off", serve: breakOff, kind: providers.KindNetwork, retryable: true, partial: true},
		{name: "header that is none, and quotes the key", serve: brokenHeader, kind: providers.KindNetwork, retryable: true},
		{name: "garbage that quotes the key", serve: events("data: " + secretKey + "\n\n"), kind: providers.KindProvider, retryable: true},
		{name: "text without an end", serve: endless, kind: providers.KindProvider, partial: true},
		{name: "silence before the headers", serve: silence, kind: providers.KindNetwork, retryable: true},
		{name: "silence after the headers", serve: silenceAfterHeaders, kind: providers.KindNetwork, retryable: true},
		{name: "silence in the middle", serve: silenceInTheMiddle, kind: providers.KindNetwork, retryable: true, partial: true},
	}
}

func runBroken(t *testing.T, p Provider) {
	for _, b := range breakages() {
		t.Run(b.name, func(t *testing.T) { b.run(t, p) })
	}
	t.Run("nobody listens", func(t *testing.T) { nobodyListens(t, p) })
	t.Run("cancelled in the middle", func(t *testing.T) { cancelInTheMiddle(t, p) })
	t.Run("key of two lines", func(t *testing.T) { brokenKey(t, p) })
	t.Run("no such host", func(t *testing.T) { badURL(t, p) })
}

// sample returns a valid stream of the dialect.
func sample(d Dialect) []byte {
	var stream bytes.Buffer
	d.Write(&stream, Reply{Text: strings.Repeat("All is well. ", 20), Calls: []Call{{"call_1", "now", "{}"}}})
	return stream.Bytes()
}

func (b breakage) run(t *testing.T, p Provider) {
	var asked atomic.Int32
	once := service(func(a attempt) {
		asked.Add(1)
		b.serve(a)
	})
	e := endpoint(once.on(t, p.Dialect()))
	e.FirstByteTimeout, e.IdleTimeout = 20*short, 2*time.Minute
	if strings.HasPrefix(b.name, "silence") {
		e.FirstByteTimeout, e.IdleTimeout = short, short
		if b.partial { // the beginning has to come in time, on a busy machine, too
			e.FirstByteTimeout, e.IdleTimeout = 20*short, 5*short
		}
	}
	message, err := p.New(e).Stream(context.Background(), hello(), nil)
	told := checkError(t, err, b.kind)
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests were made", n)
	}
	if told.Retryable != b.retryable || told.RetryAfter != b.after {
		t.Errorf("error %q: retryable %v after %s, want %v after %s", told, told.Retryable, told.RetryAfter, b.retryable, b.after)
	}
	if b.partial && message.Text() == "" {
		t.Error("what had come of the answer is lost")
	}
	if n := len(message.Text()); n > maxPartial {
		t.Errorf("%d bytes are kept of a broken answer", n)
	}
	if b.partial && message.Finish != providers.FinishError {
		t.Errorf("finish %q", message.Finish)
	}
}

func hello() providers.Request {
	return providers.Request{Messages: []providers.Message{providers.UserText("PROMPT-TEXT")}, System: "SYSTEM-TEXT"}
}

// checkError checks the kind of an error, and that it tells no secrets.
func checkError(t *testing.T, err error, kind providers.Kind) *providers.Error {
	t.Helper()
	var told *providers.Error
	if !errors.As(err, &told) {
		t.Fatalf("error %v, want a *providers.Error", err)
	}
	if told.Kind != kind {
		t.Errorf("error %q of kind %s, want %s", told, told.Kind, kind)
	}
	if told.Model != "test/model-1" {
		t.Errorf("error of model %q", told.Model)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		text := fmt.Sprintf("%v %+v %#v", e, e, e)
		for _, secret := range []string{secretKey, secretHeader, "PROMPT-TEXT", "SYSTEM-TEXT"} {
			if strings.Contains(text, secret) {
				t.Errorf("error tells %q: %s", secret, text)
			}
		}
	}
	if len(told.Error()) > 4096 {
		t.Errorf("error of %d bytes", len(told.Error()))
	}
	return told
}

// refuse answers with a status and an error message that quotes the request's headers.
func refuse(status int, header http.Header, code string) service {
	return func(a attempt) {
		maps.Copy(a.Header(), header)
		a.Header().Set("Content-Type", "application/json")
		a.WriteHeader(status)
		sent := a.request.Header
		fmt.Fprintf(a, `{"error":{"code":%q,"message":"refused: %s %s"}}`, code, sent.Get("Authorization")+sent.Get("X-Goog-Api-Key"), sent.Get("X-Secret"))
	}
}

func refuseHugely(a attempt) {
	a.WriteHeader(http.StatusInternalServerError)
	a.repeat(bytes.Repeat([]byte("x"), 1<<20), 8)
}

// repeat writes a piece n times, or until the client has gone.
func (a attempt) repeat(piece []byte, times int) {
	for range times {
		if _, err := a.Write(piece); err != nil {
			return
		}
	}
}

// redirect redirects the client to a host that must not get its key.
func redirect(a attempt) {
	http.Redirect(a, a.request, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
}

func body(contentType, text string) service {
	return func(a attempt) {
		a.Header().Set("Content-Type", contentType)
		io.WriteString(a, text)
	}
}

// events answers with these events only.
func events(text string) service { return spoil(0, 1, text) }

func hugeLine(a attempt) {
	a.begin()
	io.WriteString(a, framed(a.dialect, "data: "))
	a.repeat(bytes.Repeat([]byte("x"), 1<<20), 64)
}

// endless sends pieces of text until the client has gone.
func endless(a attempt) {
	a.part(1, 2)
	for _, event := range eventsOf(a.stream) {
		if bytes.Contains(event, []byte("All is")) {
			a.repeat(bytes.ReplaceAll(event, []byte("All is"), bytes.Repeat([]byte("y"), 8<<10)), math.MaxInt)
			return
		}
	}
}

// part writes the first n/d of the events of a valid stream.
func (a attempt) part(n, d int) {
	a.begin()
	events := eventsOf(a.stream)
	for _, event := range events[:len(events)*n/d] {
		a.Write(event)
	}
	a.flush()
}

func spoil(n, d int, rest string) service {
	return func(a attempt) {
		a.part(n, d)
		io.WriteString(a, framed(a.dialect, rest))
	}
}

func breakOff(a attempt) {
	a.part(1, 2)
	panic(http.ErrAbortHandler)
}

// brokenHeader answers with a malformed header, which the client's error quotes.
func brokenHeader(a attempt) {
	connection, _, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\n%s %s\r\n\r\n", secretKey, a.request.Header.Get("X-Secret"))
}

// untilGone waits until the client has gone.
func untilGone(r *http.Request) {
	io.Copy(io.Discard, r.Body) // the server notices the client's end only then
	select {
	case <-r.Context().Done():
	case <-time.After(20 * time.Second):
	}
}

func silence(a attempt) { untilGone(a.request) }

func silenceAfterHeaders(a attempt) {
	a.begin()
	a.flush()
	untilGone(a.request)
}

func silenceInTheMiddle(a attempt) {
	a.part(1, 2)
	untilGone(a.request)
}

func nobodyListens(t *testing.T, p Provider) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	_, err := p.New(endpoint(url)).Stream(context.Background(), hello(), nil)
	if told := checkError(t, err, providers.KindNetwork); !told.Retryable {
		t.Errorf("error %q is not to be retried", told)
	}
}

// brokenKey uses a key that no header can hold. The request is not retried.
func brokenKey(t *testing.T, p Provider) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	e := endpoint(s.URL)
	e.APIKey += "\n"
	_, err := p.New(e).Stream(context.Background(), hello(), nil)
	if told := checkError(t, err, providers.KindConfiguration); !strings.Contains(told.Error(), "check the key for a line break") {
		t.Errorf("error %q does not say what is wrong", told)
	}
}

func badURL(t *testing.T, p Provider) {
	for _, url := range []string{"ht!tp://" + secretKey + "@:x", "/no/host", "gopher://host/" + secretKey} {
		_, err := p.New(endpoint(url)).Stream(context.Background(), hello(), nil)
		checkError(t, err, providers.KindConfiguration)
	}
}

// cancelInTheMiddle cancels the context after the first text: the call returns at once,
// with the cause, and emits nothing more.
func cancelInTheMiddle(t *testing.T, p Provider) {
	url := service(silenceInTheMiddle).on(t, p.Dialect())
	cause := errors.New("step limit 20")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	returned := false
	message, err := p.New(endpoint(url)).Stream(ctx, hello(), func(e providers.Event) {
		if returned {
			t.Error("an event after the call has returned")
		}
		if e.Type == providers.BlockDelta {
			cancel(cause)
		}
	})
	returned = true
	told := checkError(t, err, providers.KindCancelled)
	if !errors.Is(err, cause) || told.Retryable {
		t.Errorf("error %v, want the cause %v, not to be retried", err, cause)
	}
	if message.Text() == "" {
		t.Error("what had come of the answer is lost")
	}
}
