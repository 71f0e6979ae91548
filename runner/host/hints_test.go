package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// askedOnce is what one request to a model of the registry comes to, without
// retries.
func askedOnce(t *testing.T, env map[string]string, w *workflows.Workflow, ref string) error {
	t.Helper()
	r := NewModels(with(env))
	provider, name, _ := strings.Cut(ref, "/")
	e, err := r.endpoint(provider, w)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.hinted(r.connect(e, ref, provider, name), name).
		Stream(t.Context(), providers.Request{Messages: []providers.Message{providers.UserText("Hi")}}, func(providers.Event) {})
	return err
}

func TestHints(t *testing.T) {
	answer := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	const gone = "http://127.0.0.1:1" // nobody listens there; the port of a server that was closed may be taken by the next one
	missing := answer(404, `{"error":"model 'qwen3:4b' not found"}`)
	tooLong := answer(400, `{"error":"the input length exceeds the context length"}`)
	refused := answer(401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key"}}`)
	noDeployment := answer(404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`)
	own := &workflows.Workflow{Providers: map[string]workflows.Endpoint{
		"bare": {API: apiChat, BaseURL: refused}, "far": {API: apiOllama, BaseURL: gone},
	}}
	for _, tt := range []struct {
		name string
		ref  string
		env  map[string]string
		kind steps.Kind
		told string // in the message or the hint
	}{
		{"no model", "ollama/qwen3:4b", map[string]string{"OLLAMA_HOST": missing}, steps.KindConfiguration, "to get it: ollama pull qwen3:4b"},
		{"no server", "ollama/qwen3:4b", map[string]string{"OLLAMA_HOST": gone}, steps.KindNetwork, "to start the server: ollama serve; OLLAMA_HOST sets"},
		{"no server of one's own", "far/qwen3:4b", nil, steps.KindNetwork, "base_url sets"},
		{"no server of a kind", "openai-chat/m", map[string]string{"OPENAI_BASE_URL": gone + "/v1"}, steps.KindNetwork, "check the address in OPENAI_BASE_URL"},
		{"no such host", "openai/m", map[string]string{"OPENAI_BASE_URL": "http://gone.invalid/v1", "OPENAI_API_KEY": "key-0123456789"}, steps.KindNetwork, "check the address in OPENAI_BASE_URL"},
		{"https of a server without", "openai-chat/m", map[string]string{"OPENAI_BASE_URL": strings.Replace(missing, "http", "https", 1)}, steps.KindConfiguration, "begin OPENAI_BASE_URL with http:"},
		{"a short context", "ollama/qwen3:4b", map[string]string{"OLLAMA_HOST": tooLong}, steps.KindContextLength, "num_ctx"},
		{"a wrong key", "azure/d", map[string]string{"AZURE_OPENAI_ENDPOINT": refused, "AZURE_OPENAI_API_KEY": "key-0123456789"}, steps.KindAuth, "check AZURE_OPENAI_API_KEY: the service refused that key"},
		{"a wrong key, a wrong deployment", "azure/d", map[string]string{"AZURE_OPENAI_ENDPOINT": noDeployment, "AZURE_OPENAI_API_KEY": "key-0123456789"}, steps.KindConfiguration, `that "d" is a model`},
		{"no key", "bare/m", nil, steps.KindAuth, "api_key_env"},
		{"a token for somebody else", "azure/d", map[string]string{"AZURE_OPENAI_ENDPOINT": "https://gateway.example"}, steps.KindConfiguration, "Microsoft Entra ID tokens are sent only to Azure hosts over https; use a key for other hosts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := askedOnce(t, tt.env, own, tt.ref)
			text := fmt.Sprint(err)
			var hinted *steps.Error
			if errors.As(err, &hinted) {
				text += "\n" + hinted.Hint
			}
			if steps.KindOf(err) != tt.kind || !strings.Contains(text, tt.told) {
				t.Errorf("%s of kind %s, want %s and %q", text, steps.KindOf(err), tt.kind, tt.told)
			}
		})
	}
}

// TestNoCredential shows what somebody sees who has neither a key nor signed in.
func TestNoCredential(t *testing.T) {
	identity := httptest.NewServer(http.NotFoundHandler())
	defer identity.Close()
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
	t.Setenv("IDENTITY_ENDPOINT", identity.URL)
	t.Setenv("IDENTITY_HEADER", "secret")
	err := askedOnce(t, map[string]string{"AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:1"}, &workflows.Workflow{}, "azure/d")
	var told *steps.Error
	if !errors.As(err, &told) || told.Kind != steps.KindAuth || !strings.Contains(told.Hint, "az login") {
		t.Errorf("error %v", err)
	}
	if errors.Is(err, context.Canceled) || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("error %q", err)
	}
}
