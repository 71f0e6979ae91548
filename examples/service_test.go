package examples

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestDocsGenByService runs docs-gen with a model behind each of the wire
// formats: a server on this machine, which reads requests as strictly as the
// service and says what the script says. What comes out is the same.
func TestDocsGenByService(t *testing.T) {
	const token = "token-of-entra-id"
	for _, test := range []struct {
		model   string
		env     string // with $SERVER for the service
		asked   string // the address; any where it is empty
		dialect providertest.Dialect
	}{
		{"openai-chat/any", "OPENAI_BASE_URL=$SERVER/v1", "/v1/chat/completions", providertest.Chat{}},
		{"openai/any", "OPENAI_BASE_URL=$SERVER/v1", "/v1/responses", &providertest.Responses{}},
		{"openrouter/any/model", "OPENROUTER_BASE_URL=$SERVER/api/v1", "/api/v1/chat/completions", &providertest.OpenRouter{}},
		{"azure/any", "AZURE_OPENAI_ENDPOINT=$SERVER AZURE_OPENAI_API_KEY=key-0123456789 AZURE_OPENAI_API_VERSION=2024-10-21",
			"/openai/deployments/any/chat/completions?api-version=2024-10-21", providertest.Chat{}},
		{"azure/entra", "AZURE_OPENAI_ENDPOINT=$SERVER AZURE_TOKEN_CREDENTIALS=ManagedIdentityCredential IDENTITY_ENDPOINT=$SERVER/identity IDENTITY_HEADER=x",
			"/openai/v1/chat/completions", providertest.Chat{}},
		{"ollama/any:4b", "OLLAMA_HOST=$SERVER", "/api/chat", providertest.Ollama{}},
		{"ollama/older", "OLLAMA_HOST=$SERVER/", "/api/chat", providertest.Ollama{Older: true}},
		{"anthropic/any", "ANTHROPIC_BASE_URL=$SERVER/v1", "", &providertest.Messages{}},
		{"google/any", "GOOGLE_GEMINI_BASE_URL=$SERVER/v1", "", &providertest.Google{}},
	} {
		t.Run(test.model, func(t *testing.T) {
			service := &service{t: t, dialect: test.dialect, asked: test.asked, token: token, model: played(t, "docs-gen.script.yaml")}
			server := httptest.NewServer(service)
			defer server.Close()
			dir := clone(t, "examples")
			f := startWith(t, strings.Fields(strings.ReplaceAll(test.env, "$SERVER", server.URL)), dir,
				flowProgram, "run", "examples/docs-gen.yaml", "-i", "root=examples/codebase-analysis", "--model", test.model)
			if want := "index: docs/reference/index.md\npages: 3\nsymbols: 5\nmissing: []\nleft_out: []\nstale: []\n"; f.code != 0 || f.stdout != want {
				t.Fatalf("exit code %d, printed %q, want %q\n%s", f.code, f.stdout, want, f.stderr)
			}
			page := read(t, dir, "examples", "codebase-analysis", "docs", "reference", "store", "README.md")
			if !strings.Contains(page, "Take takes n of an article out of the stock.") {
				t.Errorf("the page of the package store is\n%s", page)
			}
		})
	}
}

// A service answers requests of one wire format with what a script says.
type service struct {
	t       testing.TB
	dialect providertest.Dialect
	asked   string // where it has to be asked, unless it is empty
	token   string // what it gives to those who ask for one
	model   *script.Model
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/identity" {
		fmt.Fprintf(w, `{"access_token": %q, "expires_on": "4102444800", "token_type": "Bearer"}`, s.token)
		return
	}
	if address := r.URL.RequestURI(); s.asked != "" && address != s.asked {
		s.t.Errorf("asked at %s, want %s", address, s.asked)
	}
	s.checkCredential(r)
	reply, err := s.answer(r)
	if err != nil {
		s.t.Errorf("%s: %v", r.URL.Path, err)
		http.Error(w, fmt.Sprintf(`{"error": {"message": %q}}`, err), http.StatusBadRequest)
		return
	}
	providertest.Answer(w, s.dialect, reply)
}

// checkCredential looks for what Azure is asked with.
func (s *service) checkCredential(r *http.Request) {
	key, authorization := r.Header.Get("Api-Key"), r.Header.Get("Authorization")
	if strings.HasPrefix(s.asked, "/openai/") && key != "key-0123456789" && authorization != "Bearer "+s.token {
		s.t.Errorf("%s: key %q, authorization %q", r.URL.Path, key, authorization)
	}
}

func (s *service) answer(r *http.Request) (providertest.Reply, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return providertest.Reply{}, err
	}
	asked, err := s.dialect.Read(body)
	if err != nil {
		return providertest.Reply{}, err
	}
	prompt := asked.Messages[0].Text()
	step := "index"
	if strings.HasPrefix(prompt, "Write the reference page") {
		step = "pages"
	}
	message, err := s.model.Stream(r.Context(), providers.Request{
		Step: step, Conversation: prompt, Prompt: prompt, System: asked.System, Messages: asked.Messages,
	}, func(providers.Event) {})
	if err != nil {
		return providertest.Reply{}, err
	}
	reply := providertest.Reply{Text: message.Text()}
	for _, call := range message.Calls() {
		reply.Calls = append(reply.Calls, providertest.Call{ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)})
	}
	return reply, nil
}

// played returns the model that plays a script of this folder.
func played(t testing.TB, file string) *script.Model {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, found := workflows.ParseScript(file, source)
	if parsed == nil {
		t.Fatal(found)
	}
	steps := map[string][]script.Turn{}
	for step, turns := range parsed.Steps {
		for _, turn := range turns {
			steps[step] = append(steps[step], playedTurn(turn))
		}
	}
	return script.New("script/"+file, script.Script{Steps: steps})
}

func playedTurn(turn *workflows.ScriptedTurn) script.Turn {
	return func(scene script.Scene) (script.Answer, error) {
		a, err := turn.Play(scene.Env())
		if err != nil {
			return script.Answer{}, err
		}
		answer := script.Answer{Text: a.Text, Output: a.Output, HasOutput: a.HasOutput}
		for _, call := range a.Calls {
			answer.Calls = append(answer.Calls, script.Call(call))
		}
		return answer, nil
	}
}
