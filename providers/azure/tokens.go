package azure

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"golang.org/x/sync/semaphore"

	"github.com/a-seed-11b9befa/flow/providers"
)

// early is how long before it expires a token is replaced, because clocks differ.
const early = 5 * time.Minute

// Tokens gets tokens of Microsoft Entra ID, and caches each until shortly before it expires.
// The zero Tokens is ready to use. At the first request it looks for a credential in the
// environment, a workload identity, a managed identity, and developer tools that are
// signed in, as AZURE_TOKEN_CREDENTIALS allows. It is safe for concurrent use.
type Tokens struct {
	once       sync.Once
	turn       *semaphore.Weighted // for one request at a time
	credential azcore.TokenCredential
	failed     error

	mu   sync.Mutex
	kept map[string]azcore.AccessToken // by scope
}

func (t *Tokens) open() {
	t.turn = semaphore.NewWeighted(1)
	t.kept = map[string]azcore.AccessToken{}
	if t.credential != nil {
		return
	}
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	t.failed = err
	if err == nil {
		t.credential = credential
	}
}

// get returns a token for a scope.
func (t *Tokens) get(ctx context.Context, scope string) (string, error) {
	t.once.Do(t.open)
	if t.failed != nil {
		return "", refused(t.failed)
	}
	if token, ok := t.known(scope); ok {
		return token, nil
	}
	if err := t.turn.Acquire(ctx, 1); err != nil {
		return "", context.Cause(ctx)
	}
	defer t.turn.Release(1)
	if token, ok := t.known(scope); ok { // another call got it meanwhile
		return token, nil
	}
	token, err := t.credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{scope}})
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", refused(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept[scope] = token
	return token.Token, nil
}

// known returns the cached token for a scope, if it is still valid.
func (t *Tokens) known(scope string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	token, ok := t.kept[scope]
	return token.Token, ok && time.Until(token.ExpiresOn) > early
}

// refused returns the error for a missing token in one line: the library's has a paragraph
// for each credential that it tried. It does not wrap a refusal of the token service, which
// contains the request and its credentials.
func refused(err error) error {
	message := "can't get a token from Microsoft Entra ID"
	line, _, _ := strings.Cut(err.Error(), "\n")
	if !strings.HasPrefix(line, "DefaultAzureCredential") { // whose first line has no reason
		message += ": " + strings.TrimRight(line, " .:")
	}
	told := &providers.Error{Kind: providers.KindAuth, Message: message}
	if answered := new(azidentity.AuthenticationFailedError); !errors.As(err, &answered) {
		told.Err = err
	}
	return told
}
