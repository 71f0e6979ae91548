package host

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestBody shows that what a provider has under body, and OpenRouter's own, goes
// with its requests, and its headers do.
func TestBody(t *testing.T) {
	var body, title string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body, title = string(data), r.Header.Get("X-Title")
		d := providertest.Dialect(providertest.Chat{})
		if strings.HasPrefix(r.URL.Path, "/api/chat") {
			d = providertest.Ollama{}
		}
		providertest.Answer(w, d, providertest.Reply{Text: "ok"})
	}))
	defer server.Close()
	w, found := workflows.Parse("flow.yaml", []byte(strings.ReplaceAll(`
name: body
providers:
  router: {api: openai-chat, base_url: SERVER, headers: {X-Title: mine}, body: {provider: {order: [groq], allow_fallbacks: false}, stream_options: null}}
  local: {api: ollama, base_url: SERVER, body: {options: {num_ctx: 32768}}}
steps: [{run: "true"}]
`, "SERVER", server.URL)), workflows.Options{})
	if found.HasErrors() {
		t.Fatal(found)
	}
	for _, tt := range []struct{ ref, title, want, not string }{
		{"router/a", "mine", `"provider":{"order":["groq"],"allow_fallbacks":false}`, "stream_options"},
		{"local/a", "", `"options":{"num_ctx":32768}`, "stream_options"},
		{"openrouter/a/b", "flow", `"usage":{"include":true}`, "provider"},
	} {
		err := askedOnce(t, map[string]string{"OPENROUTER_BASE_URL": server.URL}, w, tt.ref)
		compact := strings.ReplaceAll(body, `"allow_fallbacks":false,"order":["groq"]`, `"order":["groq"],"allow_fallbacks":false`)
		if err != nil || title != tt.title || !strings.Contains(compact, tt.want) || strings.Contains(body, tt.not) {
			t.Errorf("%s: error %v, title %q, asked %s", tt.ref, err, title, body)
		}
	}
}
