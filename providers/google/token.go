package google

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	oauth "golang.org/x/oauth2/google"
	"golang.org/x/sync/singleflight"

	"github.com/a-seed-11b9befa/flow/providers"
)

const scope = "https://www.googleapis.com/auth/cloud-platform"

// maxTokenWait bounds the wait for a token.
const maxTokenWait = time.Minute

// A token authorises requests.
type token struct {
	*oauth2.Token
	quotaProject string // the project that is charged, if a person's credentials name it
}

// Tokens gets tokens with application default credentials: a file that
// GOOGLE_APPLICATION_CREDENTIALS names, those of a person who has signed in with gcloud, or
// those of the machine. Each token is cached until shortly before it expires, and
// concurrent requests share one fetch. The zero Tokens is ready to use, and looks for
// credentials only at the first request. It is safe for concurrent use.
type Tokens struct {
	flight singleflight.Group
	found  *oauth.Credentials // nil until they are; read and set in flight
}

// bearer returns the token itself.
func (t *Tokens) bearer(ctx context.Context) (string, error) {
	good, err := t.get(ctx)
	if err != nil {
		return "", err
	}
	return good.AccessToken, nil
}

// get returns a valid token. When ctx ends it returns, while a running fetch continues,
// because the library's metadata client has no context; the next call uses its token.
func (t *Tokens) get(ctx context.Context) (token, error) {
	select {
	case fetched := <-t.flight.DoChan("", t.fetch):
		if fetched.Err != nil {
			return token{}, refused(fetched.Err)
		}
		good, _ := fetched.Val.(token)
		return good, nil
	case <-ctx.Done():
		return token{}, context.Cause(ctx)
	}
}

// refused returns the error for a missing token. It does not wrap a refusal of the token
// service, which contains the request and its credentials.
func refused(err error) error {
	told := &providers.Error{Kind: providers.KindAuth, Message: "can't get a token for Vertex AI: " + strings.TrimPrefix(err.Error(), "google: ")}
	if answered := new(oauth2.RetrieveError); !errors.As(err, &answered) {
		told.Err = err
	}
	return told
}

// fetch returns a token of the credentials, which cache it while it is valid.
func (t *Tokens) fetch() (any, error) {
	if t.found == nil {
		// Not of one request: the credentials keep it for later tokens.
		ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Timeout: maxTokenWait})
		credentials, err := oauth.FindDefaultCredentials(ctx, scope)
		if err != nil {
			return nil, err
		}
		t.found = credentials
	}
	fetched, err := t.found.TokenSource.Token()
	if err != nil {
		return nil, err
	}
	return token{Token: fetched, quotaProject: quotaProject(t.found.JSON)}, nil
}

// quotaProject returns the project in a person's credentials, without which Vertex AI
// refuses them.
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
