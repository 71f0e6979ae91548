package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestDocsGenByService runs the same file against a service on loopback, by
// each of OpenAI's formats: the service refuses what the real one would, and
// answers, streamed, what the example's script says.
func TestDocsGenByService(t *testing.T) {
	for _, test := range []struct {
		model   string
		dialect func() providertest.Dialect
	}{
		{"openai-chat/stand-in", func() providertest.Dialect { return providertest.Chat{} }},
		{"openai/stand-in", func() providertest.Dialect { return &providertest.Responses{} }},
	} {
		t.Run(test.model, func(t *testing.T) {
			dir := clone(t)
			service := newService(t, "docs-gen.script.yaml", test.dialect, func(prompt string) string {
				if strings.Contains(prompt, "Write the reference page") {
					return "pages"
				}
				return "index"
			})
			f := start(t, dir, "env", "OPENAI_BASE_URL="+service.URL+"/v1", "OPENAI_API_KEY=sk-nobody", flowProgram,
				"run", "examples/docs-gen.yaml", "--model", test.model, "-i", "root=examples/codebase-analysis")
			if want := "index: docs/reference/index.md\npages: 3\nsymbols: 5\nmissing: []\n"; f.stdout != want || f.code != 0 {
				t.Errorf("exit code %d, printed %q, want %q\n%s", f.code, f.stdout, want, f.stderr)
			}
			if service.parallel.Load() == 0 {
				t.Error("no turn had several calls")
			}
		})
	}
}

// A service answers requests as the script of an example says.
type service struct {
	*httptest.Server
	t        *testing.T
	dialect  func() providertest.Dialect
	script   *workflows.ScriptedModel
	step     func(prompt string) string
	parallel atomic.Int64 // turns with several calls
}

// newService starts a service, which ends with the test. step tells from a
// prompt which step of the script asks.
func newService(t *testing.T, file string, dialect func() providertest.Dialect, step func(prompt string) string) *service {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	played, diagnostics := workflows.ParseScript(file, src)
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	s := &service{t: t, dialect: dialect, script: played, step: step}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	dialect := s.dialect()
	var reply providertest.Reply
	if err == nil {
		reply, err = s.answer(dialect, body)
	}
	if err != nil {
		s.t.Errorf("the service refused a request: %v", err)
		http.Error(w, fmt.Sprintf(`{"error": {"message": %q}}`, err), http.StatusBadRequest)
		return
	}
	var stream bytes.Buffer
	dialect.Write(&stream, reply)
	w.Header().Set("Content-Type", "text/event-stream")
	for event := range bytes.SplitAfterSeq(stream.Bytes(), []byte("\n\n")) {
		w.Write(event)
		w.(http.Flusher).Flush()
	}
}

func (s *service) answer(dialect providertest.Dialect, body []byte) (providertest.Reply, error) {
	asked, err := dialect.Read(body)
	if err != nil {
		return providertest.Reply{}, err
	}
	if err := providertest.CheckPairs(asked.Messages); err != nil {
		return providertest.Reply{}, err
	}
	if !asked.Stream {
		return providertest.Reply{}, fmt.Errorf("the request asks for no stream")
	}
	scene := sceneOf(asked)
	turns := s.script.Steps[s.step(scene.Prompt)]
	if scene.Turn > len(turns) {
		return providertest.Reply{}, fmt.Errorf("turn %d of %d", scene.Turn, len(turns))
	}
	answer, err := turns[scene.Turn-1].Play(scene.Env())
	if err != nil {
		return providertest.Reply{}, err
	}
	return s.reply(scene.Turn, answer)
}

func (s *service) reply(turn int, a workflows.Answer) (providertest.Reply, error) {
	reply := providertest.Reply{Text: a.Text, Usage: providers.Usage{InputTokens: 100, OutputTokens: 10}}
	if a.HasOutput {
		text, err := json.Marshal(a.Output)
		if err != nil {
			return reply, err
		}
		reply.Text = string(text)
	}
	for i, call := range a.Calls {
		arguments, err := json.Marshal(call.Arguments)
		if err != nil {
			return reply, err
		}
		reply.Calls = append(reply.Calls, providertest.Call{ID: fmt.Sprintf("call_%d_%d", turn, i), Name: call.Name, Arguments: string(arguments)})
	}
	if len(reply.Calls) > 1 {
		s.parallel.Add(1)
	}
	return reply, nil
}

// sceneOf is what a script sees of a request.
func sceneOf(asked providertest.Asked) script.Scene {
	scene := script.Scene{System: asked.System, Turn: 1}
	for _, m := range asked.Messages {
		content := m.Text()
		switch m.Role {
		case providers.RoleUser:
			if scene.Prompt == "" {
				scene.Prompt = content
			}
		case providers.RoleAssistant:
			scene.Turn++
		case providers.RoleTool:
			scene.Results = nil
			for _, block := range m.Blocks {
				scene.Results = append(scene.Results, script.Result{Name: block.Name, Content: block.Content})
				content += block.Content + "\n"
			}
		}
		scene.Messages = append(scene.Messages, script.Message{Role: string(m.Role), Content: content})
	}
	return scene
}
