package examples

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// TestLongConversation has a conversation of 300 turns over a window of 32,000
// tokens with each wire format: a server that reads requests as strictly as the
// service, signatures of thoughts included, and refuses those that are too long.
func TestLongConversation(t *testing.T) {
	if testing.Short() {
		t.Skip("300 turns with each of five formats")
	}
	for api, dialect := range map[string]providertest.Dialect{
		"openai-chat": providertest.Chat{}, "openai-responses": &providertest.Responses{},
		"anthropic": &providertest.Messages{}, "google": &providertest.Google{}, "ollama": providertest.Ollama{},
	} {
		t.Run(api, func(t *testing.T) {
			service := &longService{t: t, dialect: dialect}
			server := httptest.NewServer(service)
			defer server.Close()
			dir := t.TempDir()
			write(t, dir, "book.txt", strings.Repeat(strings.Repeat("word ", 19)+"\n", 330))
			write(t, dir, "long.yaml", fmt.Sprintf(`
name: long
model: local/any
providers: {local: {api: %s, base_url: "%s", context: 32_000}}
steps:
  - prompt: Read the book to its end.
    tools: [read]
    stop: {max_turns: 400}
`, api, server.URL))
			f := flow(t, dir, "run", "long.yaml")
			if f.code != 0 || f.stdout != "I have read it.\n" {
				t.Fatalf("exit code %d, printed %q after %d requests\n%s", f.code, f.stdout, service.asked.Load(), f.stderr)
			}
			if service.asked.Load() != 301 || service.refused.Load() > 0 {
				t.Errorf("%d requests, %d of them too long; want 301 and none", service.asked.Load(), service.refused.Load())
			}
			if whole, _ := filepath.Glob(filepath.Join(dir, ".flow/runs/*/outputs/*-read.txt")); len(whole) < 200 {
				t.Errorf("%d results are kept whole", len(whole))
			}
		})
	}
}

// A longService has a page read in each turn, 300 times.
type longService struct {
	t              *testing.T
	dialect        providertest.Dialect
	asked, refused atomic.Int64
}

func (s *longService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	asked, err := s.dialect.Read(body)
	if err != nil {
		s.t.Errorf("the service would not take the request: %v", err)
		http.Error(w, `{"error": {"message": "no"}}`, http.StatusBadRequest)
		return
	}
	bytes := len(asked.System)
	for _, m := range asked.Messages {
		for _, b := range m.Blocks {
			bytes += len(b.Text) + len(b.Name) + len(b.Arguments) + len(b.Content)
		}
	}
	if bytes/4 > 32_000 { // four bytes are about a token
		s.refused.Add(1)
		http.Error(w, `{"error": {"message": "maximum context length is 32000 tokens", "code": "context_length_exceeded"}}`, http.StatusBadRequest)
		return
	}
	if got := asked.Messages[0].Text(); got != "Read the book to its end." {
		s.t.Errorf("the prompt is %q", got)
	}
	n := s.asked.Add(1)
	reply := providertest.Reply{Text: "I have read it."}
	if n <= 300 {
		reply = providertest.Reply{Thinking: fmt.Sprintf("Page %d.", n), Calls: []providertest.Call{{ID: fmt.Sprintf("call_%d", n), Name: "read", Arguments: fmt.Sprintf(`{"filePath":"book.txt","offset":%d,"limit":30}`, n)}}}
	}
	providertest.Answer(w, s.dialect, reply)
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
