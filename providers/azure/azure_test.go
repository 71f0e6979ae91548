package azure

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestDeployment(t *testing.T) {
	tests := []struct{ base, version, want string }{
		{"https://r.openai.azure.com", "", "https://r.openai.azure.com/openai/v1"},
		{"https://r.openai.azure.com/", "v1", "https://r.openai.azure.com/openai/v1"},
		{"https://r.openai.azure.com/openai", "latest", "https://r.openai.azure.com/openai/v1"},
		{"https://r.openai.azure.com/openai/v1/", "", "https://r.openai.azure.com/openai/v1"},
		{"https://r.openai.azure.com", "preview", "https://r.openai.azure.com/openai/v1?api-version=preview"},
		{"https://r.openai.azure.com", "2024-10-21", "https://r.openai.azure.com/openai/deployments/my%20own?api-version=2024-10-21"},
		{"https://r.openai.azure.com/openai/", "2024-10-21", "https://r.openai.azure.com/openai/deployments/my%20own?api-version=2024-10-21"},
		{"https://r.openai.azure.com?api-version=2024-10-21", "", "https://r.openai.azure.com/openai/deployments/my%20own?api-version=2024-10-21"},
		{"https://r.openai.azure.com/openai/deployments/other/chat/completions?api-version=2025-01-01-preview", "", "https://r.openai.azure.com/openai/deployments/my%20own?api-version=2025-01-01-preview"},
		{"https://r.openai.azure.com?api-version=2024-10-21", "2025-04-01-preview", "https://r.openai.azure.com/openai/deployments/my%20own?api-version=2025-04-01-preview"},
		{"https://r.services.ai.azure.com/models", "2024-05-01-preview", "https://r.services.ai.azure.com/models?api-version=2024-05-01-preview"},
		{"https://r.services.ai.azure.com/models", "", "https://r.services.ai.azure.com/models"},
		{"https://gateway.example/team", "", "https://gateway.example/team/openai/v1"},
		{"https://gateway.example/team/openai", "2024-10-21", "https://gateway.example/team/openai/deployments/my%20own?api-version=2024-10-21"},
	}
	for _, test := range tests {
		got := Deployment(providers.Endpoint{BaseURL: test.base, Model: "my own", APIKey: "k"}, test.version, new(Tokens))
		if got.BaseURL != test.want {
			t.Errorf("%s of version %q: %s, want %s", test.base, test.version, got.BaseURL, test.want)
		}
	}
}

func TestKey(t *testing.T) {
	given := map[string]string{"X-Team": "docs"}
	got := Deployment(providers.Endpoint{BaseURL: "https://r.openai.azure.com", APIKey: "key-1", Headers: given}, "", new(Tokens))
	if got.Headers["Api-Key"] != "key-1" || got.Headers["X-Team"] != "docs" || got.APIKey != "" || got.Token != nil {
		t.Errorf("endpoint %+v", got)
	}
	if len(given) != 1 {
		t.Error("the headers that were given are changed")
	}
}

// TestWhereTokensGo shows that a token leaves for Azure's services alone.
func TestWhereTokensGo(t *testing.T) {
	for base, scope := range map[string]string{
		"https://r.openai.azure.com":                    "https://cognitiveservices.azure.com/.default",
		"https://R.OpenAI.Azure.com/":                   "https://cognitiveservices.azure.com/.default",
		"https://r.cognitiveservices.azure.com/openai":  "https://cognitiveservices.azure.com/.default",
		"https://r.services.ai.azure.com/models":        "https://cognitiveservices.azure.com/.default",
		"https://r.openai.azure.us":                     "https://cognitiveservices.azure.us/.default",
		"https://r.openai.azure.cn":                     "https://cognitiveservices.azure.cn/.default",
		"http://127.0.0.1:8080":                         "https://cognitiveservices.azure.com/.default",
		"http://r.openai.azure.com":                     "",
		"https://evil.example":                          "",
		"https://evil.example/r.openai.azure.com":       "",
		"https://r.openai.azure.com.evil.example":       "",
		"https://r.openai.azure.com@evil.example":       "",
		"https://evilopenai.azure.com":                  "",
		"https://evil.eastus.cloudapp.azure.com/openai": "",
		"https://evil.azurewebsites.net":                "",
		"https://evil.azure-api.net":                    "",
		"https://127.0.0.1.evil.example":                "",
	} {
		credential := &fixed{token: "t"}
		tokens := &Tokens{credential: credential}
		_, err := Deployment(providers.Endpoint{BaseURL: base}, "", tokens).Token(t.Context())
		if scope == "" {
			if providers.KindOf(err) != providers.KindConfiguration || credential.asked != nil {
				t.Errorf("%s: error %v, asked for %q", base, err, credential.asked)
			}
			continue
		}
		if err != nil || len(credential.asked) != 1 || credential.asked[0] != scope {
			t.Errorf("%s: asked for %q, error %v, want %q", base, credential.asked, err, scope)
		}
	}
}

func TestTokenOfOnesOwn(t *testing.T) {
	own := func(context.Context) (string, error) { return "own", nil }
	got := Deployment(providers.Endpoint{BaseURL: "https://evil.example", Token: own}, "", new(Tokens))
	if token, err := got.Token(t.Context()); token != "own" || err != nil {
		t.Errorf("token %q, error %v", token, err)
	}
}

// TestManagedIdentity goes through the real library to an endpoint such as a
// hosted job has.
func TestManagedIdentity(t *testing.T) {
	identity := newIdentity(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Identity-Header") != "identity-secret" || !strings.HasPrefix(r.URL.Query().Get("resource"), "https://cognitiveservices.azure.com") {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		w.Write([]byte(`{"access_token":"token-1","expires_on":"4102444800","resource":"r","token_type":"Bearer"}`))
	})
	tokens := new(Tokens)
	scope := "https://cognitiveservices.azure.com/" + rand.Text() + "/.default" // the library keeps tokens for the whole process
	for range 3 {
		token, err := tokens.get(t.Context(), scope)
		if err != nil || token != "token-1" {
			t.Fatalf("token %q, error %v", token, err)
		}
	}
	if n := identity.Load(); n != 1 {
		t.Errorf("asked %d times for one token", n)
	}
}

func TestNoCredential(t *testing.T) {
	newIdentity(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error":"invalid_request","error_description":"no identity here\nand more"}`))
	})
	_, err := new(Tokens).get(t.Context(), "https://refused.example/.default") // the library keeps tokens for the whole process
	if providers.KindOf(err) != providers.KindAuth || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
		t.Errorf("error %v", err)
	}
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "nonsense")
	_, err = new(Tokens).get(t.Context(), "s")
	if providers.KindOf(err) != providers.KindAuth || !strings.Contains(err.Error(), "AZURE_TOKEN_CREDENTIALS") {
		t.Errorf("error %v", err)
	}
}
