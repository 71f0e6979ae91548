package google

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	oauth "golang.org/x/oauth2/google"
	"golang.org/x/sync/singleflight"

	"github.com/a-seed-11b9befa/flow/providers"
)

// scope is what a token is asked for.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// maxTokenWait bounds how long a token is waited for.
const maxTokenWait = time.Minute

// A token lets a request in.
type token struct {
	*oauth2.Token
	quotaProject string // who is charged, where the credentials of a person say so
}

// Tokens gets tokens by application default credentials: a file that
// GOOGLE_APPLICATION_CREDENTIALS names, those of a person who has signed in with
// gcloud, or those of the machine. Each is kept until shortly before its end, and
// one fetch serves all who wait. The zero Tokens is ready to use, and looks for
// nothing until the first token is asked for. It is safe for concurrent use.
type Tokens struct {
	flight singleflight.Group

	mu   sync.Mutex
	last token
}

// bearer returns the token itself.
func (t *Tokens) bearer(ctx context.Context) (string, error) {
	good, err := t.get(ctx)
	if err != nil {
		return "", err
	}
	return good.AccessToken, nil
}

// get returns a token that is good, or says why there is none. It returns when
// ctx ends; a fetch that is under way then comes to its own end, since the
// library's metadata client knows no context, and serves the next who asks.
func (t *Tokens) get(ctx context.Context) (token, error) {
	if kept := t.kept(); kept.Valid() {
		return kept, nil
	}
	select {
	case fetched := <-t.flight.DoChan("", t.fetch):
		if fetched.Err != nil {
			return token{}, refused(fetched.Err)
		}
		return t.kept(), nil
	case <-ctx.Done():
		return token{}, context.Cause(ctx)
	}
}

// refused returns the error for a token that is not there. A refusal of the service that gives them
// is told by its text alone: it holds the request for the token, and what that
// was asked with.
func refused(err error) error {
	told := &providers.Error{Kind: providers.KindAuth, Message: "no token for Vertex AI: " + strings.TrimPrefix(err.Error(), "google: ")}
	if answered := new(oauth2.RetrieveError); !errors.As(err, &answered) {
		told.Err = err
	}
	return told
}

func (t *Tokens) kept() token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// fetch looks for credentials anew: between two fetches, which are about an hour
// apart, a person may have logged in as another. A caller that found no token, and
// came here only after another's fetch had ended, is served by that one.
func (t *Tokens) fetch() (any, error) {
	if t.kept().Valid() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxTokenWait)
	defer cancel()
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: maxTokenWait})
	credentials, err := oauth.FindDefaultCredentials(ctx, scope)
	if err != nil {
		return nil, err
	}
	fetched, err := credentials.TokenSource.Token()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = token{Token: fetched, quotaProject: quotaProject(credentials.JSON)}
	return nil, nil
}

// quotaProject is the project that a person's own credentials name: without it
// Vertex AI refuses them.
func quotaProject(file []byte) string {
	if project := os.Getenv("GOOGLE_CLOUD_QUOTA_PROJECT"); project != "" {
		return project
	}
	var named struct {
		Project string `json:"quota_project_id"`
	}
	if json.Unmarshal(file, &named) != nil { // credentials of a machine have no file
		return ""
	}
	return named.Project
}
