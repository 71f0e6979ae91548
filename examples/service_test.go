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

// TestDocsGenByService runs docs-gen with a model behind each of OpenAI's two
// APIs: a server on this machine, which reads requests as strictly as the
// service and says what the script says. What comes out is the same.
func TestDocsGenByService(t *testing.T) {
	for _, test := range []struct {
		model   string
		dialect providertest.Dialect
	}{
		{"openai-chat/any", providertest.Chat{}},
		{"openai/any", &providertest.Responses{}},
	} {
		t.Run(test.model, func(t *testing.T) {
			service := &service{t: t, dialect: test.dialect, model: played(t, "docs-gen.script.yaml")}
			server := httptest.NewServer(service)
			defer server.Close()
			dir := clone(t)
			f := startWith(t, []string{"OPENAI_BASE_URL=" + server.URL + "/v1"}, dir,
				flowProgram, "run", "examples/docs-gen.yaml", "-i", "root=examples/codebase-analysis", "--model", test.model)
			if want := "index: docs/reference/index.md\npages: 3\nsymbols: 5\nmissing: []\n"; f.code != 0 || f.stdout != want {
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
	t       *testing.T
	dialect providertest.Dialect
	model   *script.Model
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply, err := s.answer(r)
	if err != nil {
		s.t.Errorf("%s: %v", r.URL.Path, err)
		http.Error(w, fmt.Sprintf(`{"error": {"message": %q}}`, err), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s.dialect.Write(w, reply)
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
		Step: step, Place: step, Conversation: prompt, Prompt: prompt, System: asked.System, Messages: asked.Messages,
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
func played(t *testing.T, file string) *script.Model {
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
