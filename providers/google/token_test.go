package google

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc"
	"golang.org/x/oauth2"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

var hello = providers.Request{Messages: []providers.Message{providers.UserText("Hi")}}

// inNoCloud takes away what credentials the machine of the test may have.
func inNoCloud(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("APPDATA", t.TempDir())
	t.Setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
}

// vertexAI is a service that wants a bearer token, and quotes it when it refuses.
func vertexAI(t *testing.T, token string) *httptest.Server {
	t.Helper()
	dialect := new(providertest.Google)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if _, refused := dialect.Read(body); err != nil || refused != nil {
			t.Errorf("error %v, refused for %v", err, refused)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+token || r.Header.Get("X-Goog-Api-Key") != "" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"code":401,"status":"UNAUTHENTICATED","message":"not let in with %s"}}`, got)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		dialect.Write(w, providertest.Reply{Text: r.URL.Path + " " + r.Header.Get("X-Goog-User-Project")})
	}))
	t.Cleanup(s.Close)
	return s
}

// atVertex is a model at a service that stands for Vertex AI. The key must not be
// sent there.
func atVertex(url string) Options {
	return Options{
		Endpoint: providers.Endpoint{Ref: "google/m", Model: "m", BaseURL: url, APIKey: "AIza-not-to-be-sent"},
		Vertex:   &Vertex{Project: "p", Location: "europe-west4"},
	}
}

const answeredAt = "/v1beta1/projects/p/locations/europe-west4/publishers/google/models/m:streamGenerateContent "

// A machine in the cloud has its token from the metadata server.
func TestTokenOfTheMachine(t *testing.T) {
	inNoCloud(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	var fetched atomic.Int32
	metadata := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata-Flavor") != "Google" {
			t.Errorf("headers %v", r.Header)
		}
		if !strings.HasSuffix(r.URL.Path, "/token") {
			io.WriteString(w, "p")
			return
		}
		fetched.Add(1)
		io.WriteString(w, `{"access_token":"ya29.of-the-machine","expires_in":3599,"token_type":"Bearer"}`)
	}))
	defer metadata.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(metadata.URL, "http://"))

	service := vertexAI(t, "ya29.of-the-machine")
	options := atVertex(service.URL)
	options.Vertex.Tokens = new(Tokens)
	var wg conc.WaitGroup
	for range 8 {
		wg.Go(func() {
			message, err := New(options).Stream(context.Background(), hello, nil)
			if err != nil || message.Text() != answeredAt {
				t.Errorf("answer %q, error %v", message.Text(), err)
			}
		})
	}
	wg.Wait()
	// One more, that found no token before the fetch above ended.
	if _, err := options.Vertex.Tokens.fetch(); err != nil {
		t.Error(err)
	}
	if n := fetched.Load(); n != 1 {
		t.Errorf("%d tokens were fetched, want 1", n)
	}
}

// credentialsFile writes the key of a service account whose tokens come from url,
// and names it in the environment.
func credentialsFile(t *testing.T, url string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@p.iam.gserviceaccount.com", "private_key_id": "1", "token_uri": url,
		"private_key":      string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})),
		"quota_project_id": "payer",
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
}

func TestTokenOfAServiceAccount(t *testing.T) {
	inNoCloud(t)
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"ya29.of-the-account","expires_in":3599,"token_type":"Bearer"}`)
	}))
	defer issuer.Close()
	credentialsFile(t, issuer.URL)

	m := New(atVertex(vertexAI(t, "ya29.of-the-account").URL))
	message, err := m.Stream(context.Background(), hello, nil)
	if err != nil || message.Text() != answeredAt+"payer" {
		t.Errorf("answer %q, error %v", message.Text(), err)
	}

	m = New(atVertex(vertexAI(t, "another").URL))
	_, err = m.Stream(context.Background(), hello, nil)
	if providers.KindOf(err) != providers.KindAuth || strings.Contains(err.Error(), "ya29.of") {
		t.Errorf("error %v, want one of the key, which it does not tell", err)
	}
}

func TestNoToken(t *testing.T) {
	inNoCloud(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`, http.StatusBadRequest)
	}))
	defer refusing.Close()
	for _, c := range []struct {
		name, wants string
		prepare     func()
	}{
		{"no file", "none.json", func() {}},
		{"no JSON", "invalid character", func() {
			path := filepath.Join(t.TempDir(), "broken.json")
			if err := os.WriteFile(path, []byte("secret-in-the-file"), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
		}},
		{"refused", "Invalid JWT Signature", func() { credentialsFile(t, refusing.URL) }},
	} {
		c.prepare()
		_, err := New(atVertex("http://127.0.0.1:1")).Stream(context.Background(), hello, nil)
		var told *providers.Error
		if !errors.As(err, &told) || told.Kind != providers.KindAuth || told.Model != "google/m" {
			t.Errorf("%s: error %#v, want one of the key", c.name, err)
			continue
		}
		if text := told.Error(); !strings.Contains(text, c.wants) || strings.Contains(text, "secret-in-the-file") {
			t.Errorf("%s: error %q, which should say %q, and nothing of a file", c.name, told, c.wants)
		}
		if answered := new(oauth2.RetrieveError); errors.As(err, &answered) {
			t.Errorf("%s: the cause holds the request for a token, which is signed", c.name)
		}
		if (told.Err == nil) != (c.name == "refused") {
			t.Errorf("%s: cause %v", c.name, told.Err)
		}
	}
}

// A source of tokens that keeps silent is not waited for once the step has ended.
func TestTokenWatchesItsContext(t *testing.T) {
	inNoCloud(t)
	asked, release := make(chan struct{}), make(chan struct{})
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"ya29.late","expires_in":3599,"token_type":"Bearer"}`)
	}))
	defer issuer.Close()
	credentialsFile(t, issuer.URL)

	options := atVertex(vertexAI(t, "ya29.late").URL)
	options.Vertex.Tokens = new(Tokens)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("step limit 20")
	var wg conc.WaitGroup
	wg.Go(func() {
		<-asked
		cancel(cause)
	})
	_, err := New(options).Stream(ctx, hello, nil)
	wg.Wait()
	if providers.KindOf(err) != providers.KindCancelled || !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	close(release) // the next one who asks gets what was under way
	if _, err := New(options).Stream(context.Background(), hello, nil); err != nil {
		t.Error(err)
	}
}

// TestForeignIDsAtVertex holds that Vertex AI, which knows ids for some models
// only, sees none but its own.
func TestForeignIDsAtVertex(t *testing.T) {
	options := atVertex("")
	options.Token = func(context.Context) (string, error) { return "t", nil }
	const own = `{"functionCall":{"id":"own","name":"f"},"thoughtSignature":"S"}`
	got, _ := sent(t, options, providers.Request{Messages: []providers.Message{
		providers.UserText("Hi"), by("anthropic", call("toolu_1", "f", "")), results(result("toolu_1", "f", "r")),
		by("google", call("own", "f", own)), results(result("own", "f", "r")),
	}})
	wiretest.WantFields(t, got, `{"contents":[`+hi+`,
		{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":12345678901234567890}},"thoughtSignature":"skip_thought_signature_validator"}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}}]},
		{"role":"model","parts":[`+own+`]},
		{"role":"user","parts":[{"functionResponse":{"id":"own","name":"f","response":{"output":"r"}}}]}]}`)
}

// TestTokenSourceOfOnesOwn shows that an endpoint's own source goes before the
// credentials of the machine.
func TestTokenSourceOfOnesOwn(t *testing.T) {
	inNoCloud(t)
	options := atVertex(vertexAI(t, "of-ones-own").URL)
	options.Token = func(context.Context) (string, error) { return "of-ones-own", nil }
	message, err := New(options).Stream(context.Background(), hello, nil)
	if err != nil || message.Text() != answeredAt {
		t.Errorf("answer %q, error %v", message.Text(), err)
	}
}

// TestNothingAtStart holds that a model which is never asked looks for nothing.
func TestNothingAtStart(t *testing.T) {
	inNoCloud(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	metadata := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the machine's credentials were looked for: %s", r.URL)
	}))
	defer metadata.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(metadata.URL, "http://"))
	New(atVertex(""))
}
