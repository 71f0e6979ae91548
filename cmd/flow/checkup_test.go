package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// answers is a service that answers every request which its dialect accepts.
func answers(t *testing.T, d providertest.Dialect) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = d.Read(body)
		}
		if err != nil {
			t.Errorf("%s: %v", r.URL, err)
		}
		providertest.Answer(w, d, providertest.Reply{Text: "ok"})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// refuses is a service that refuses every request.
func refuses(t *testing.T, status int, body string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, body, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// checkedUp runs a check, and returns what it prints and its exit code.
func checkedUp(t *testing.T, env map[string]string, args ...string) (string, int) {
	t.Helper()
	p := with(env)
	code := p.run(append([]string{"models", "--check"}, args...))
	return p.Stdout.(*bytes.Buffer).String(), code
}

func TestCheckup(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	good := map[string]string{
		"OPENAI_API_KEY": "sk-0123456789abcdef", "OPENAI_BASE_URL": answers(t, new(providertest.Responses)),
		"ANTHROPIC_API_KEY": "key-0123456789", "ANTHROPIC_BASE_URL": answers(t, new(providertest.Messages)),
		"OLLAMA_HOST": answers(t, providertest.Ollama{}),
	}
	tests := []struct {
		name string
		env  map[string]string
		args []string
		code int
		want map[string]string // what each provider's line says, in part
	}{
		{"nothing is set", nil, nil, exitSuccess, map[string]string{"openai": "skipped no key", "ollama": "skipped no key", "azure": "skipped no key"}},
		{"those with a key", good, []string{"openai", "anthropic"}, exitSuccess, map[string]string{"openai": "answered openai/gpt-5-nano", "anthropic": "answered anthropic/claude-"}},
		{"a model that is named", good, []string{"openai/small", "ollama/qwen3:4b"}, exitSuccess, map[string]string{"openai": "answered openai/small", "ollama": "answered ollama/qwen3:4b"}},
		{"a model that nobody knows", good, []string{"ollama"}, exitSuccess, map[string]string{"ollama": "skipped name one of its models name one: flow models --check ollama/<model>"}},
		{"no key", nil, []string{"openai"}, exitConfiguration, map[string]string{"openai": "failed openai/gpt-5-nano configuration OPENAI_API_KEY is not set"}},
		{"a refused key", map[string]string{"OPENAI_API_KEY": "sk-0123456789abcdef", "OPENAI_BASE_URL": refuses(t, 401, `{"error":{"message":"wrong: %s"}}`)},
			[]string{"openai"}, exitConfiguration, map[string]string{"openai": "failed auth check OPENAI_API_KEY: the service refused that key"}},
		{"no model", map[string]string{"OLLAMA_HOST": refuses(t, 404, `{"error":"model not found%.0s"}`)},
			[]string{"ollama/qwen3:4b"}, exitConfiguration, map[string]string{"ollama": "failed configuration to get it: ollama pull qwen3:4b"}},
		{"out of reach", map[string]string{"OLLAMA_HOST": gone.URL}, []string{"ollama/qwen3:4b"}, exitProvider, map[string]string{"ollama": "failed network connection refused to start the server: ollama serve"}},
		{"too much", map[string]string{"AZURE_OPENAI_API_KEY": "key-0123456789", "AZURE_OPENAI_ENDPOINT": refuses(t, 429, `{"error":{"code":"RateLimitReached","message":"slow down%.0s"}}`)},
			[]string{"azure/mine"}, exitRateLimited, map[string]string{"azure": "failed azure/mine rate_limited slow down"}},
		{"the first that fails decides", map[string]string{
			"OPENROUTER_API_KEY": "key-0123456789", "OPENROUTER_BASE_URL": refuses(t, 500, `{"error":{"message":"broken%.0s"}}`), "OLLAMA_HOST": gone.URL,
			"OPENAI_API_KEY": "sk-0123456789abcdef", "OPENAI_BASE_URL": answers(t, new(providertest.Responses)),
		}, []string{"openai", "openrouter/a/b", "azure/mine"}, exitProvider, map[string]string{"openai": "answered", "openrouter": "failed provider broken", "azure": "failed configuration AZURE_OPENAI_ENDPOINT"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			printed, code := checkedUp(t, tt.env, append(tt.args, "--output", "json")...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			var list host.Listing
			if err := json.Unmarshal([]byte(printed), &list); err != nil {
				t.Fatalf("%v in %s", err, printed)
			}
			for _, l := range list.Providers {
				text := fmt.Sprintf("%s %s %s %s %s", l.Check.Status, l.Check.Model, l.Check.Kind, l.Check.Message, l.Check.Hint)
				for _, word := range strings.Fields(tt.want[l.Name]) {
					if !strings.Contains(text, word) {
						t.Errorf("%s: %s, want %q", l.Name, text, tt.want[l.Name])
					}
				}
			}
			text, _ := checkedUp(t, tt.env, tt.args...)
			for _, secret := range []string{"sk-0123456789abcdef", "key-0123456789"} {
				if strings.Contains(printed+text, secret) {
					t.Errorf("a key is told:\n%s\n%s", printed, text)
				}
			}
			if !strings.HasPrefix(text, "PROVIDER") {
				t.Errorf("printed for people:\n%s", text)
			}
		})
	}
}
