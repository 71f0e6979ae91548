package examples

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

// TestConversationIsKept has ten turns in each wire format. One of them prints more
// than the model is shown, and the next reads the rest, in the run's folder. The
// second run asks nothing; after a file has changed that the call of turn 6 reads, it
// asks from there on. What a service has signed goes back to it as it came, or the
// service refuses it.
func TestConversationIsKept(t *testing.T) {
	for _, test := range []struct {
		model, env string // with $SERVER for the service
		dialect    providertest.Dialect
	}{
		{"openai-chat/any", "OPENAI_BASE_URL=$SERVER/v1", providertest.Chat{}},
		{"openai/any", "OPENAI_BASE_URL=$SERVER/v1", &providertest.Responses{}},
		{"openrouter/any/model", "OPENROUTER_BASE_URL=$SERVER/api/v1", &providertest.OpenRouter{}},
		{"azure/any", "AZURE_OPENAI_ENDPOINT=$SERVER AZURE_OPENAI_API_KEY=key-0123456789 AZURE_OPENAI_API_VERSION=2024-10-21", providertest.Chat{}},
		{"ollama/any:4b", "OLLAMA_HOST=$SERVER", providertest.Ollama{}},
		{"anthropic/any", "ANTHROPIC_BASE_URL=$SERVER/v1", &providertest.Messages{}},
		{"google/any", "GOOGLE_GEMINI_BASE_URL=$SERVER/v1", &providertest.Google{}},
	} {
		t.Run(test.model, func(t *testing.T) {
			asked := &counted{service: service{t: t, dialect: test.dialect, model: tenTurns()}}
			server := httptest.NewServer(asked)
			defer server.Close()
			dir := t.TempDir()
			for i := 1; i <= 9; i++ {
				write(t, dir, fmt.Sprintf("f%d.txt", i), fmt.Sprintf("This is file %d.\n", i))
			}
			write(t, dir, "flow.yaml", tenTurnsFlow)
			run := func(more ...string) (said string, requests int) {
				t.Helper()
				asked.begin(tenTurns())
				words := append([]string{flowProgram, "run", "flow.yaml", "--model", test.model}, more...)
				f := startWith(t, append(strings.Fields(strings.ReplaceAll(test.env, "$SERVER", server.URL)), "FLOW_CACHE="+dir+"/kept"), dir, words...)
				if f.code != 0 {
					t.Fatalf("exit code %d\n%s%s", f.code, f.stdout, f.stderr)
				}
				return f.stdout, len(asked.begin(nil))
			}
			first, requests := run()
			if requests != 10 || !strings.Contains(first, "05000| 5000\n") {
				t.Fatalf("%d requests, printed %q", requests, first)
			}
			if again, requests := run("--cache-only"); requests != 0 || again != first {
				t.Errorf("the second run asks %d times, and prints %q", requests, again)
			}
			write(t, dir, "f6.txt", "This file has changed.\n")
			changed, requests := run()
			if requests != 4 || changed == first {
				t.Errorf("after the change %d requests, want 4 (6 are kept); printed %q", requests, changed)
			}
			if again, requests := run("--cache-only"); requests != 0 || again != changed {
				t.Errorf("after that the run asks %d times, and prints %q", requests, again)
			}
		})
	}
}

const tenTurnsFlow = `name: ten
cache: true
custom_tools:
  rows:
    description: Print rows
    parameters: {type: object, properties: {}}
    run: [seq, "5000"]
steps:
  - id: talk
    prompt: Read all of it.
    tools: [read, rows]
`

// tenTurns is a model that says what comes next in the conversation that it is
// shown, whoever has said what was before.
func tenTurns() *script.Model {
	turn := func(s script.Scene) (script.Answer, error) {
		said := 0
		for _, m := range s.Messages {
			if m.Role == "assistant" {
				said++
			}
		}
		call := script.Call{Name: "read", Arguments: map[string]any{"filePath": fmt.Sprintf("f%d.txt", said+1)}}
		switch said {
		case 2:
			call = script.Call{Name: "rows", Arguments: map[string]any{}}
		case 3:
			call.Arguments = map[string]any{"filePath": "outputs/3-rows.txt", "offset": 4990}
		case 9:
			var all strings.Builder
			for _, m := range s.Messages {
				all.WriteString(m.Content)
			}
			return script.Answer{Text: fmt.Sprintf("%d characters, among them %s", all.Len(), s.Messages[8].Content)}, nil
		}
		return script.Answer{Thinking: fmt.Sprintf("turn %d", said+1), Calls: []script.Call{call}}, nil
	}
	turns := make([]script.Turn, 12)
	for i := range turns {
		turns[i] = turn
	}
	return script.New("script/ten", script.Script{Steps: map[string][]script.Turn{script.AnyStep: turns}})
}
