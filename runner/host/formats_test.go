package host_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// A voice is a model behind one wire format. What it thinks has its name in it.
type voice struct {
	model, variable, url string // the url below that of the server
	path                 string // what the path of a request begins with, or ends with
	dialect              providertest.Dialect
	forgets              bool // thoughts don't go back, only what they are signed with
}

func voices() []*voice {
	return []*voice{
		{model: "openai/gpt-5-mini", variable: "OPENAI_BASE_URL", url: "/openai/v1", path: "/responses", dialect: new(providertest.Responses)},
		{model: "openai-chat/any", variable: "OPENAI_BASE_URL", url: "/openai/v1", path: "/openai/v1/chat/completions", dialect: providertest.Chat{}},
		{model: "azure/any", variable: "AZURE_OPENAI_ENDPOINT", url: "/azure", path: "/azure/", dialect: providertest.Chat{}},
		{model: "anthropic/claude-sonnet-4-5", variable: "ANTHROPIC_BASE_URL", url: "/anthropic", path: "/anthropic/", dialect: new(providertest.Messages)},
		{model: "google/gemini-3-pro-preview", variable: "GOOGLE_GEMINI_BASE_URL", url: "/google", path: "/google/", dialect: new(providertest.Google), forgets: true},
		{model: "ollama/any", variable: "OLLAMA_HOST", url: "/ollama", path: "/ollama/", dialect: providertest.Ollama{}},
		{model: "openrouter/any/model", variable: "OPENROUTER_BASE_URL", url: "/openrouter", path: "/openrouter/", dialect: new(providertest.OpenRouter)},
	}
}

// thought is what begins all that a voice thinks.
func (v *voice) thought() string { return "As " + strings.ReplaceAll(v.model, "/", " ") + " thinks" }

// A choir is all voices at one address. They say the same, each in its own format.
type choir struct {
	t      *testing.T
	voices []*voice

	mu       sync.Mutex
	answers  int
	thoughts map[string]string // by the ids of the calls behind them
	told     []string          // what was said before each turn, whoever is asked
}

func (c *choir) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
		return
	}
	for _, v := range c.voices {
		if !strings.HasPrefix(r.URL.Path, v.path) && !strings.HasSuffix(r.URL.Path, v.path) {
			continue
		}
		reply, err := c.answer(v, body)
		if err != nil {
			c.t.Errorf("%s refuses a request: %v\n%s", v.model, err, body)
			http.Error(w, `{"error": {"message": "refused"}}`, http.StatusBadRequest)
			return
		}
		providertest.Answer(w, v.dialect, reply)
		return
	}
	c.t.Errorf("nobody is asked at %s", r.URL.Path)
}

// answer checks a request as strictly as the service does, and says what comes next.
func (c *choir) answer(v *voice, body []byte) (reply providertest.Reply, err error) {
	asked, err := v.dialect.Read(body)
	if err != nil {
		return reply, err
	}
	if err := providertest.CheckPairs(asked.Messages); err != nil {
		return reply, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	turn, told := 0, ""
	for _, m := range asked.Messages {
		if m.Role == providers.RoleAssistant {
			turn++
		}
		for _, b := range m.Blocks {
			switch b.Type {
			case providers.BlockToolCall:
				told += fmt.Sprintf("call %s %s\n", b.Name, asText(b.Arguments))
			case providers.BlockText, providers.BlockToolResult:
				told += fmt.Sprintf("%s: %s%s\n", m.Role, b.Text, b.Content)
			}
		}
	}
	if len(c.told) == turn {
		c.told = append(c.told, told)
	}
	if diff := cmp.Diff(c.told[turn], told); diff != "" {
		return reply, fmt.Errorf("the conversation before turn %d is another (-want +got):\n%s", turn, diff)
	}
	if err := c.checkThoughts(v, asked, body); err != nil {
		return reply, err
	}
	return c.say(v, turn), nil
}

// asText is JSON in the one way to write it.
func asText(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// checkThoughts refuses the thoughts of others, and calls without those behind them.
func (c *choir) checkThoughts(v *voice, asked providertest.Asked, body []byte) error {
	for _, other := range c.voices {
		if other != v && bytes.Contains(body, []byte(other.thought())) {
			return fmt.Errorf("thoughts of %s", other.model)
		}
	}
	for _, m := range asked.Messages {
		for _, call := range m.Calls() {
			if thought := c.thoughts[call.ID]; !v.forgets && strings.HasPrefix(thought, v.thought()) && !bytes.Contains(body, []byte(thought)) {
				return fmt.Errorf("call %s is there, and not what was thought before it: %s", call.ID, thought)
			}
		}
	}
	return nil
}

// say is what comes next: several calls at once, one with a text, one alone, an end.
func (c *choir) say(v *voice, turn int) providertest.Reply {
	c.answers++
	reply := providertest.Reply{Thinking: fmt.Sprintf("%s in answer %d.", v.thought(), c.answers)}
	files := [][]string{{"a.txt", "b.txt", "none.txt"}, {"b.txt"}, {"ä.txt"}, nil}[turn]
	for i, file := range files {
		id := fmt.Sprintf("call_%d_%d", c.answers, i)
		c.thoughts[id] = reply.Thinking
		reply.Calls = append(reply.Calls, providertest.Call{ID: id, Name: "read", Arguments: fmt.Sprintf(`{"filePath":%q,"limit":%d}`, file, turn+1)})
	}
	reply.Text = []string{"", "Let me look.", "", "All is read by " + v.model}[turn]
	return reply
}

const choirFlow = `name: talk
tools: [read]
params: {reasoning: {effort: low}}
steps:
  - id: talk
    system: Be kind.
    prompt: Read all of it.
outputs:
  said: ${{ steps.talk.text }}
  turns: ${{ steps.talk.turns }}
`

// TestAConversationGoesOnInEachFormat cuts a run after each record of its journal, as
// if flow had been killed there, and goes on with it: with the provider that began it,
// and with each other one. Every request is one that the service takes, and holds what
// was said before. What a service has thought and signed goes back to it as it came,
// and to no other.
func TestAConversationGoesOnInEachFormat(t *testing.T) {
	all := &choir{t: t, voices: voices(), thoughts: map[string]string{}}
	server := httptest.NewServer(all)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	for name, text := range map[string]string{"flow.yaml": choirFlow, "w/a.txt": "This is a.\nMore.\n", "w/b.txt": "<b> & \"b\"\nMore.\nMore.\n", "w/ä.txt": "This is ä: 你好 🙂\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	variables := map[string]string{"AZURE_OPENAI_API_KEY": "key-0123456789", "AZURE_OPENAI_API_VERSION": "2024-10-21"}
	for _, v := range all.voices {
		variables[v.variable] = server.URL + v.url
	}
	w, found := host.Load(filepath.Join(dir, "flow.yaml"), host.LoadOptions{Environment: host.Environment{
		Lookup: func(name string) (string, bool) { value, set := variables[name]; return value, set },
	}})
	if w == nil {
		t.Fatal(found)
	}
	models := host.NewModels(host.Environment{Lookup: func(name string) (string, bool) { value, set := variables[name]; return value, set }})
	run := func(t *testing.T, run string, v *voice, resume *runner.Resumption) string {
		t.Helper()
		h, err := host.Open(t.Context(), host.Options{Loaded: w, Models: models, Model: v.model, Workspace: filepath.Join(dir, "w"), Dir: run, ID: "run", Resume: resume})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		result, err := h.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(result.Status, result.Outputs, result.Steps[0].ToolCalls, result.Error)
	}
	want := func(by *voice) string {
		return fmt.Sprintf("succeeded[{said All is read by %s} {turns 4}] 5 <nil>", by.model)
	}
	for i, begins := range all.voices {
		if got := run(t, filepath.Join(dir, fmt.Sprint("run", i)), begins, nil); got != want(begins) {
			t.Fatalf("%s: %s", begins.model, got)
		}
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for i, begins := range all.voices {
		journal, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("run", i), "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(journal, []byte("\n"))
		for _, ends := range all.voices {
			t.Run(begins.model+" then "+ends.model, func(t *testing.T) {
				t.Parallel()
				for n := 1; n < len(lines)-1; n += step {
					cut, had, by := t.TempDir(), bytes.Join(lines[:n], nil), ends
					if bytes.Contains(had, []byte("All is read")) {
						by = begins // nobody is asked any more
					}
					if err := os.WriteFile(filepath.Join(cut, "journal.jsonl"), had, 0o600); err != nil {
						t.Fatal(err)
					}
					if got := run(t, cut, ends, &runner.Resumption{}); got != want(by) {
						t.Fatalf("after record %d of %d, %s: %s", n, len(lines)-2, lines[n-1], got)
					}
				}
			})
		}
	}
}
