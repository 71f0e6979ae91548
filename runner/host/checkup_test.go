package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// TestCheckUp asks services that answer, that refuse the key, and that are not there.
// No secret is in what is told of them.
func TestCheckUp(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Authorization"); key != "Bearer right-key-01" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error": {"message": "wrong key: %s, and not other-key-01"}}`, key)
			return
		}
		providertest.Answer(w, providertest.Chat{}, providertest.Reply{Text: "ok"})
	}))
	defer service.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		name  string
		named string // "" for all
		set   map[string]string
		of    string // the provider that is looked at
		want  string // its status, model and kind
		says  string // in its message or its hint
	}{
		{"answers", "openai-chat/small", map[string]string{"OPENAI_API_KEY": "right-key-01", "OPENAI_BASE_URL": service.URL}, "openai-chat", "answered openai-chat/small ", ""},
		{"the cheapest", "openai-chat", map[string]string{"OPENAI_API_KEY": "right-key-01", "OPENAI_BASE_URL": service.URL}, "openai-chat", "answered openai-chat/gpt-5-nano ", ""},
		{"a wrong key", "openai-chat/small", map[string]string{"OPENAI_API_KEY": "wrong-key-01", "OPENAI_BASE_URL": service.URL, "ANTHROPIC_API_KEY": "other-key-01"}, "openai-chat", "failed openai-chat/small auth", "check OPENAI_API_KEY: the service refused that key"},
		{"no key, but a server", "", map[string]string{"OPENAI_BASE_URL": service.URL, "ANTHROPIC_API_KEY": "other-key-01"}, "openai-chat", "failed openai-chat/gpt-5-nano auth", "no key was sent"},
		{"nobody there", "ollama/small", map[string]string{"OLLAMA_HOST": gone.URL}, "ollama", "failed ollama/small network", "OLLAMA_HOST"},
		{"no key", "", nil, "anthropic", "skipped  ", "no key"},
		{"no key, but named", "anthropic/claude-sonnet-4-5", nil, "anthropic", "failed anthropic/claude-sonnet-4-5 configuration", "ANTHROPIC_API_KEY is not set"},
		{"no model is known", "ollama", nil, "ollama", "skipped  ", "name one"},
		{"no address", "azure/own", map[string]string{"AZURE_OPENAI_API_KEY": "k"}, "azure", "failed azure/own configuration", "AZURE_OPENAI_ENDPOINT is not set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := variables(tt.set)
			var named []string
			if tt.named != "" {
				named = []string{tt.named}
			}
			l, err := env.List(named...)
			if err != nil {
				t.Fatal(err)
			}
			env.CheckUp(t.Context(), l)
			for _, p := range l.Providers {
				if p.Name != tt.of {
					continue
				}
				c := p.Check
				if got := fmt.Sprintf("%s %s %s", c.Status, c.Model, c.Kind); got != tt.want || !strings.Contains(c.Message+"\n"+c.Hint, tt.says) {
					t.Errorf("got %s: %s (%s), want %s: %s", got, c.Message, c.Hint, tt.want, tt.says)
				}
				if strings.Contains(c.Message+c.Hint, "-key-01") {
					t.Errorf("the key is told: %s (%s)", c.Message, c.Hint)
				}
			}
		})
	}
}

// TestCheckUpIsInterrupted: why nothing came of it is told, not how the request ended.
func TestCheckUpIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel(errors.New("interrupted by SIGINT"))
		<-r.Context().Done()
	}))
	defer service.Close()
	env := variables(map[string]string{"OLLAMA_HOST": service.URL})
	l, err := env.List("ollama/small")
	if err != nil {
		t.Fatal(err)
	}
	env.CheckUp(ctx, l)
	if c := l.Providers[0].Check; c.Status != host.Failed || c.Message != "interrupted by SIGINT" {
		t.Errorf("%+v", c)
	}
}
