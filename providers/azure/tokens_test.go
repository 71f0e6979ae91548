package azure

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A fixed credential gives the same token after some time, and counts.
type fixed struct {
	token string
	lasts time.Duration
	takes time.Duration

	mu    sync.Mutex
	asked []string
}

// GetToken waits as a call over a network would.
func (f *fixed) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	f.mu.Lock()
	f.asked = append(f.asked, o.Scopes...)
	f.mu.Unlock()
	select {
	case <-ctx.Done():
		return azcore.AccessToken{}, ctx.Err()
	case <-time.After(f.takes):
		return azcore.AccessToken{Token: f.token, ExpiresOn: time.Now().Add(f.lasts)}, nil
	}
}

func (f *fixed) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// newIdentity is the identity endpoint of a hosted job, in the environment of
// the test. It counts the requests.
func newIdentity(t *testing.T, serve http.HandlerFunc) *atomic.Int64 {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		serve(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
	t.Setenv("IDENTITY_ENDPOINT", server.URL)
	t.Setenv("IDENTITY_HEADER", "identity-secret")
	return &asked
}

func TestTokenIsKeptUntilShortlyBeforeItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		credential := &fixed{token: "t", lasts: time.Hour}
		tokens := &Tokens{credential: credential}
		for _, step := range []struct {
			wait  time.Duration
			scope string
			asked int
		}{{0, "a", 1}, {54 * time.Minute, "a", 1}, {2 * time.Minute, "a", 2}, {0, "b", 3}, {0, "a", 3}} {
			time.Sleep(step.wait)
			if _, err := tokens.get(t.Context(), step.scope); err != nil {
				t.Fatal(err)
			}
			if n := credential.count(); n != step.asked {
				t.Errorf("after %v, scope %s: asked %d times, want %d", step.wait, step.scope, n, step.asked)
			}
		}
	})
}

// TestOneAsksForAll shows that many agents that begin together ask once.
func TestOneRequestForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		credential := &fixed{token: "t", lasts: time.Hour, takes: time.Second}
		tokens := &Tokens{credential: credential}
		errs := make([]error, 50)
		var wg conc.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = tokens.get(t.Context(), "a") })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil || credential.count() != 1 {
			t.Errorf("asked %d times, error %v", credential.count(), err)
		}
	})
}

// TestTokensWatchTheirContext ends the one that asks, and one that waits for it.
func TestTokensWatchTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens := &Tokens{credential: &fixed{token: "t", takes: time.Hour}}
		cause := errors.New("step limit")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make([]error, 2)
		var wg conc.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = tokens.get(ctx, "a") })
		}
		synctest.Wait()
		cancel(cause)
		wg.Wait()
		if slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, cause) }) {
			t.Errorf("errors %v", errs)
		}
	})
}

// broken is a credential of one's own that gives no tokens.
type broken struct{ err error }

func (b broken) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{}, b.err
}

// TestCauseOfNoToken keeps why there is no token, but for a refusal that holds
// the request, with the secret that it was made with.
func TestCauseOfNoToken(t *testing.T) {
	lost := errors.New("no way to the service")
	if _, err := (&Tokens{credential: broken{lost}}).get(t.Context(), "s"); !errors.Is(err, lost) || providers.KindOf(err) != providers.KindAuth {
		t.Errorf("error %v, want one of the key, for %q", err, lost)
	}
	_, err := (&Tokens{credential: broken{&azidentity.AuthenticationFailedError{}}}).get(t.Context(), "s")
	if answered := new(azidentity.AuthenticationFailedError); errors.As(err, &answered) || providers.KindOf(err) != providers.KindAuth {
		t.Errorf("error %v with cause %v", err, answered)
	}
}
