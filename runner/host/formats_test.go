package host_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// A voice is a model behind one wire format. What it thinks has its name in it.
type voice struct {
	name            string
	model, variable string
	url             string // that variable's value, below the address of the server
	path            string // what the path of a request begins with, or ends with
	dialect         providertest.Dialect
	signs           string // what its signatures begin with
	forgets         bool   // thoughts don't go back, only their signatures
	vertex          bool
}

// voices are all wire formats. Gemini is one service at two addresses.
func voices() []*voice {
	gemini := new(providertest.Google)
	return []*voice{
		{name: "responses", model: "openai/gpt-5-mini", variable: "OPENAI_BASE_URL", url: "/openai/v1", path: "/responses", dialect: new(providertest.Responses), signs: "gAAA<&>"},
		{name: "chat", model: "openai-chat/any", variable: "OPENAI_BASE_URL", url: "/openai/v1", path: "/openai/v1/chat/completions", dialect: providertest.Chat{}},
		{name: "reasoning chat", model: "deep/any", variable: "DEEP_URL", url: "/deep", path: "/deep/", dialect: providertest.Chat{Reasons: true}},
		{name: "azure", model: "azure/any", variable: "AZURE_OPENAI_ENDPOINT", url: "/azure", path: "/azure/", dialect: providertest.Chat{}},
		{name: "anthropic", model: "anthropic/claude-sonnet-4-5", variable: "ANTHROPIC_BASE_URL", url: "/anthropic", path: "/anthropic/", dialect: new(providertest.Messages), signs: "Eq<&>/+"},
		{name: "google", model: "google/gemini-3-pro-preview", variable: "GOOGLE_GEMINI_BASE_URL", url: "/google", path: "/google/", dialect: gemini, signs: "c2ln+/", forgets: true},
		{name: "vertex", model: "google/gemini-3-pro-preview", variable: "GOOGLE_VERTEX_BASE_URL", url: "/vertex", path: "/vertex/", dialect: gemini, signs: "c2ln+/", forgets: true, vertex: true},
		{name: "ollama", model: "ollama/any", variable: "OLLAMA_HOST", url: "/ollama", path: "/ollama/", dialect: providertest.Ollama{}},
		{name: "openrouter", model: "openrouter/any/model", variable: "OPENROUTER_BASE_URL", url: "/openrouter", path: "/openrouter/", dialect: new(providertest.OpenRouter), signs: "sig<&>/"},
	}
}

// thought is what begins all that a voice thinks.
func (v *voice) thought() string { return "As " + v.name + " thinks" }

// A choir is all voices at one address. They say the same, each in its own format.
type choir struct {
	t      *testing.T
	voices []*voice

	mu      sync.Mutex
	answers int
	made    map[int]made // the calls, by their limit, which no two have in common
	told    []string     // what was said before each turn, whoever is asked
}

// A made call is one that a voice has made.
type made struct {
	by          *voice
	id, thought string
}

// arguments are those of all calls.
type arguments struct {
	FilePath string `json:"filePath"`
	Limit    int    `json:"limit"`
}

func (c *choir) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
		return
	}
	if r.Header.Get("Metadata-Flavor") != "" { // what a machine in the cloud asks for its token
		io.WriteString(w, `{"access_token":"ya29.token","expires_in":3599,"token_type":"Bearer"}`)
		return
	}
	for _, v := range c.voices {
		if !strings.HasPrefix(r.URL.Path, v.path) && !strings.HasSuffix(r.URL.Path, v.path) {
			continue
		}
		reply, err := c.answer(v, body)
		if err != nil {
			c.t.Errorf("%s refuses a request: %v\n%s", v.name, err, body)
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
				var given arguments
				if err := json.Unmarshal(b.Arguments, &given); err != nil {
					return reply, err
				}
				told += fmt.Sprintf("call %s %s\n", b.Name, given.FilePath)
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
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return string(raw)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// checkThoughts refuses thoughts and signatures of others, and calls of the voice itself
// that don't come back as they were: with their ids, and with what was thought and signed
// before them.
func (c *choir) checkThoughts(v *voice, asked providertest.Asked, body []byte) error {
	text := asText(body)
	for _, other := range c.voices {
		switch {
		case other.model == v.model:
		case strings.Contains(text, other.thought()):
			return fmt.Errorf("thoughts of %s", other.name)
		case other.signs != "" && strings.Contains(text, other.signs):
			return fmt.Errorf("signatures of %s", other.name)
		}
	}
	thoughts := map[string]bool{}
	for _, m := range asked.Messages {
		for _, call := range m.Calls() {
			var given arguments
			if err := json.Unmarshal(call.Arguments, &given); err != nil {
				return err
			}
			was, known := c.made[given.Limit]
			switch {
			case !known:
				return fmt.Errorf("nobody has made the call %s %s", call.ID, call.Arguments)
			case was.by.model != v.model:
				continue
			case call.ID != was.id:
				return fmt.Errorf("its own call %s comes back as %s", was.id, call.ID)
			case !v.forgets && !strings.Contains(text, was.thought):
				return fmt.Errorf("call %s is there, and not what was thought before it: %s", call.ID, was.thought)
			}
			thoughts[was.thought] = true
		}
	}
	if n := strings.Count(text, v.signs); v.signs != "" && n != len(thoughts) {
		return fmt.Errorf("%d of %d signatures are there", n, len(thoughts))
	}
	return nil
}

// say is what comes next: several calls at once, one with a text, one alone, an end.
func (c *choir) say(v *voice, turn int) providertest.Reply {
	c.answers++
	reply := providertest.Reply{Thinking: fmt.Sprintf("%s in answer %d.", v.thought(), c.answers)}
	files := [][]string{{"a.txt", "b.txt", "none.txt"}, {"b.txt"}, {"ä.txt"}, nil}[turn]
	for i, file := range files {
		id, limit := fmt.Sprintf("call_%d_%d", c.answers, i), 10*c.answers+i
		c.made[limit] = made{v, id, reply.Thinking}
		reply.Calls = append(reply.Calls, providertest.Call{ID: id, Name: "read", Arguments: fmt.Sprintf(`{"filePath":%q,"limit":%d}`, file, limit)})
	}
	reply.Text = []string{"", "Let me look.", "", "All is read by " + v.model}[turn]
	return reply
}

const choirFlow = `name: talk
tools: [read]
params: {reasoning: {effort: low}}
providers:
  deep: {api: openai-chat, base_url: "SERVER/deep", reasoning_content: true}
steps:
  - id: talk
    system: Be kind.
    prompt: Read all of it.
outputs:
  said: ${{ steps.talk.text }}
  turns: ${{ steps.talk.turns }}
`

// A stage is where the voices are run: a workflow and its workspace.
type stage struct {
	dir    string
	loaded *host.Loaded
	models map[bool]*host.Models // true: for Vertex AI
}

func newStage(t *testing.T, voices []*voice, server string) *stage {
	t.Helper()
	s := &stage{dir: t.TempDir(), models: map[bool]*host.Models{}}
	files := map[string]string{
		"flow.yaml": strings.ReplaceAll(choirFlow, "SERVER", server),
		"w/a.txt":   "This is a.\nMore.\n", "w/b.txt": "<b> & \"b\"\nMore.\nMore.\n", "w/ä.txt": "This is ä: 你好 🙂\n",
	}
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(s.dir, name)), 0o700), os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", s.dir)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server, "http://"))
	for _, vertex := range []bool{false, true} {
		variables := map[string]string{
			"AZURE_OPENAI_API_KEY": "key-0123456789", "AZURE_OPENAI_API_VERSION": "2024-10-21",
			"GOOGLE_GENAI_USE_VERTEXAI": fmt.Sprint(vertex), "GOOGLE_CLOUD_PROJECT": "p",
		}
		for _, v := range voices {
			variables[v.variable] = server + v.url
		}
		env := host.Environment{Lookup: func(name string) (string, bool) { value, set := variables[name]; return value, set }}
		s.models[vertex] = host.NewModels(env)
		loaded, found := host.Load(filepath.Join(s.dir, "flow.yaml"), host.LoadOptions{Environment: env})
		if loaded == nil {
			t.Fatal(found)
		}
		s.loaded = loaded
	}
	return s
}

// run runs the workflow with a voice, in a folder, and returns what it came to.
func (s *stage) run(t *testing.T, dir string, v *voice, resume *runner.Resumption) string {
	t.Helper()
	o := host.Options{Loaded: s.loaded, Models: s.models[v.vertex], Model: v.model, Dir: dir, ID: "run", Resume: resume}
	if resume == nil {
		o.Workspace = filepath.Join(s.dir, "w")
	}
	h, err := host.Open(t.Context(), o)
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

// wanted is what every run comes to where a voice speaks last.
func wanted(v *voice) string {
	return fmt.Sprintf("succeeded[{said All is read by %s} {turns 4}] 5 <nil>", v.model)
}

// cut goes on with the first records of a run, with another voice.
func (s *stage) cut(t *testing.T, records [][]byte, begins, ends *voice) {
	t.Helper()
	dir, had, by := t.TempDir(), bytes.Join(records, nil), ends
	if bytes.Contains(had, []byte("All is read")) {
		by = begins // nobody is asked any more
	}
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), had, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.run(t, dir, ends, &runner.Resumption{}); got != wanted(by) {
		t.Fatalf("after record %d, %s: %s", len(records), records[len(records)-1], got)
	}
}

// TestAConversationGoesOnInEachFormat cuts a run after each record of its journal, as
// if flow had been killed there, and goes on with it: with the provider that began it,
// and with each other one. Every request is one that the service takes, and holds what
// was said before. What a service has thought and signed goes back to it as it came,
// and to no other.
func TestAConversationGoesOnInEachFormat(t *testing.T) {
	all := &choir{t: t, voices: voices(), made: map[int]made{}}
	server := httptest.NewServer(all)
	t.Cleanup(server.Close)
	s := newStage(t, all.voices, server.URL)
	step := 1
	if testing.Short() {
		step = 5
	}
	var pairs, cuts atomic.Int64
	t.Cleanup(func() { t.Logf("%d pairs of providers, %d cuts in all", pairs.Load(), cuts.Load()) })
	for _, begins := range all.voices {
		dir := filepath.Join(t.TempDir(), "run")
		if got := s.run(t, dir, begins, nil); got != wanted(begins) {
			t.Fatalf("%s: %s", begins.name, got)
		}
		journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(journal, []byte("\n"))
		for _, ends := range all.voices {
			pairs.Add(1)
			t.Run(begins.name+" then "+ends.name, func(t *testing.T) {
				t.Parallel()
				for n := 1; n < len(lines)-1; n += step {
					s.cut(t, lines[:n], begins, ends)
					cuts.Add(1)
				}
			})
		}
	}
}
