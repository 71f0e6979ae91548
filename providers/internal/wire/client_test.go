package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip answers without a network.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// slow answers after some time, and then writes a byte at a time. It obeys the
// request's context, as a transport does.
func slow(headers, between time.Duration, bytes int) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		if err := sleep(r.Context(), headers); err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(&slowBody{r.Context(), between, bytes})}, nil
	}
}

type slowBody struct {
	ctx     context.Context
	between time.Duration
	left    int
}

// Read waits for the next byte.
func (b *slowBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if err := sleep(b.ctx, b.between); err != nil {
		return 0, err
	}
	b.left--
	p[0] = 'x'
	return 1, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func request(ctx context.Context, t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://user:pass-word@host/path?key=secret-key", strings.NewReader("prompt"))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// fetch makes a request and reads all of its answer.
func fetch(ctx context.Context, t *testing.T, client *Client) (string, error) {
	t.Helper()
	res, err := client.Do(request(ctx, t))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return string(body), client.Broken(ctx, err)
	}
	return string(body), nil
}

func TestWaits(t *testing.T) {
	limits := providers.Endpoint{FirstByteTimeout: time.Minute, IdleTimeout: time.Second}
	none := providers.Endpoint{}
	for _, c := range []struct {
		name             string
		headers, between time.Duration
		at               providers.Endpoint
		body             string
		says             string
	}{
		{"in time", 30 * time.Second, 900 * time.Millisecond, limits, "xxxx", ""},
		{"headers too late", 61 * time.Second, 0, limits, "", "no response in time"},
		{"first byte too late, headers in time", 50 * time.Second, 20 * time.Second, limits, "", "no response in time"},
		{"stalled", 0, 2 * time.Second, limits, "x", "no data for 1s"},
		{"the limits that stand without any", 2 * time.Minute, 50 * time.Second, none, "xxxx", ""},
		{"stalled without any", 0, 121 * time.Second, none, "x", "no data for 2m0s"},
		{"too late for those, too", 181 * time.Second, 0, none, "", "no response in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.at.Ref, c.at.HTTPClient = "p/m", &http.Client{Transport: slow(c.headers, c.between, 4)}
				client := Connect(c.at)
				body, err := fetch(t.Context(), t, client)
				if body != c.body {
					t.Errorf("body %q, want %q", body, c.body)
				}
				if c.says == "" {
					if err != nil {
						t.Errorf("error %v", err)
					}
					return
				}
				var told *providers.Error
				if !errors.As(err, &told) || told.Kind != providers.KindNetwork || !told.Retryable || told.Model != "p/m" || !strings.Contains(told.Error(), c.says) {
					t.Errorf("error %v, want one of the network that says %q", err, c.says)
				}
			})
		})
	}
}

// TestSlowReader shows that only waiting for bytes counts, not what the reader
// does with them.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := Connect(providers.Endpoint{FirstByteTimeout: time.Minute, IdleTimeout: time.Second, HTTPClient: &http.Client{Transport: slow(0, 0, 4)}})
		res, err := client.Do(request(t.Context(), t))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		for range 4 {
			if _, err := res.Body.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("budget is spent")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(cause) })
		client := Connect(providers.Endpoint{HTTPClient: &http.Client{Transport: slow(0, 2*time.Second, 4)}})
		body, err := fetch(ctx, t, client)
		if providers.KindOf(err) != providers.KindCancelled || !errors.Is(err, cause) || body != "x" {
			t.Errorf("body %q, error %v, want the cause", body, err)
		}
	})
}

func TestSecrets(t *testing.T) {
	headers := map[string]string{"Authorization": "Bearer token-1234", "X-Version": "v2"}
	for _, transport := range []roundTrip{
		func(*http.Request) (*http.Response, error) {
			return nil, errors.New("proxy says: token-1234 and secret-key")
		},
		func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 500, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"error":{"code":"secret-key","message":"v2 secret-key token-1234"}}`))}, nil
		},
	} {
		client := Connect(providers.Endpoint{Ref: "p/m", APIKey: "secret-key", Headers: headers, HTTPClient: &http.Client{Transport: transport}})
		_, err := client.Do(request(t.Context(), t))
		if err == nil {
			t.Fatal("no error")
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			for _, secret := range []string{"secret-key", "token-1234", "pass-word", "prompt"} {
				if strings.Contains(e.Error(), secret) {
					t.Errorf("error tells %q: %v", secret, e)
				}
			}
		}
		if !strings.Contains(err.Error(), mask) {
			t.Errorf("error %v has nothing masked", err)
		}
	}
}

func TestShortHeaderIsNoSecret(t *testing.T) {
	client := Connect(providers.Endpoint{Headers: map[string]string{"X-Version": "v2"}})
	if got := client.Nonsense("version v2 is unknown").Message; got != "version v2 is unknown" {
		t.Errorf("message %q", got)
	}
}

// TestToken shows what a client does with a credential that is made for each
// request, and with one that can't be made.
func TestToken(t *testing.T) {
	const token = "eyJ0b2tlbg.secret-token"
	var sent string
	client := Connect(providers.Endpoint{
		Ref:   "p/m",
		Token: func(context.Context) (string, error) { return token, nil },
		HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			sent = r.Header.Get("Authorization")
			return &http.Response{StatusCode: 403, Body: io.NopCloser(strings.NewReader(`{"error":{"message":"not with ` + token + `"}}`))}, nil
		})},
	})
	_, err := client.Do(newRequest(t.Context()))
	if sent != "Bearer "+token {
		t.Errorf("sent %q", sent)
	}
	if providers.KindOf(err) != providers.KindAuth || strings.Contains(err.Error(), token) {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("step limit"))
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		kind providers.Kind
		told string
	}{
		{"no credential", t.Context(), errors.New("sign in first"), providers.KindAuth, "p/m: sign in first"},
		{"one of a known kind", t.Context(), &providers.Error{Kind: providers.KindNetwork, Message: "out of reach"}, providers.KindNetwork, "p/m: out of reach"},
		{"the context ended", ended, context.Canceled, providers.KindCancelled, "step limit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := Connect(providers.Endpoint{Ref: "p/m", Token: func(context.Context) (string, error) { return "", test.err }})
			_, err := client.Do(newRequest(test.ctx))
			if providers.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.told) {
				t.Errorf("error %v of kind %s", err, providers.KindOf(err))
			}
		})
	}
}

func newRequest(ctx context.Context) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://h/", strings.NewReader(`{}`))
	if err != nil {
		panic(err)
	}
	return req
}
