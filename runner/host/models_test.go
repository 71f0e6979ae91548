package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// with is an environment of its own.
func with(env map[string]string) Environment {
	return Environment{Lookup: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
}

// loadedAs is a workflow of a test's own, as if it had been loaded.
func loadedAs(w *workflows.Workflow, env map[string]string) *Loaded {
	return &Loaded{Workflow: w, env: with(env), all: w.Used(), origins: &origins{top: w.File}}
}

func TestModels(t *testing.T) {
	w := &workflows.Workflow{File: "flow.yaml", Providers: map[string]workflows.Endpoint{
		"house":   {API: apiChat, BaseURL: "https://models.example/v1"},
		"locked":  {API: apiResponses, BaseURL: "https://models.example/v1", APIKeyEnv: "LOCKED_KEY"},
		"claude":  {API: apiAnthropic, BaseURL: "https://models.example"},
		"gemini":  {API: apiGoogle, BaseURL: "https://models.example"},
		"cloud":   {API: apiAzure, BaseURL: "https://r.openai.azure.com?api-version=2024-10-21"},
		"local":   {API: apiOllama, Body: []byte(`{"options":{"num_ctx":32768}}`)},
		"foreign": {API: "pigeon", BaseURL: "https://models.example/v1"},
		"wrong":   {API: apiChat, BaseURL: "models.example"},
	}}
	key := map[string]string{"OPENAI_API_KEY": "sk-0123456789"}
	tests := []struct {
		ref   string
		env   map[string]string
		wants string // in the message or the hint; "" for a model
	}{
		{"openai/gpt-5-mini", key, ""},
		{"openai-chat/gpt-5-mini", key, ""},
		{"openai/gpt-5-mini", nil, "OPENAI_API_KEY is not set"},
		{"openai/small", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"}, ""},
		{"openai/small", map[string]string{"OPENAI_BASE_URL": "http://localhost/v1"}, ""},
		{"openai/small", map[string]string{"OPENAI_BASE_URL": "http://[::1]:1/v1"}, ""},
		{"openai/small", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1.example.com/v1"}, "OPENAI_API_KEY is not set"},
		{"openai/small", map[string]string{"OPENAI_BASE_URL": "no url", "OPENAI_API_KEY": "k"}, "OPENAI_BASE_URL is not an http"},
		{"openai/small", map[string]string{"OPENAI_API_KEY": "sk-0123456789\n"}, "the key in OPENAI_API_KEY contains a control character"},
		{"locked/small", map[string]string{"LOCKED_KEY": "k\x7f"}, "the key in LOCKED_KEY contains a control character"},
		{"house/small", nil, ""},
		{"house/vendor/small", nil, ""},
		{"locked/small", nil, "LOCKED_KEY is not set"},
		{"locked/small", map[string]string{"LOCKED_KEY": "k"}, ""},
		{"foreign/small", nil, `api "pigeon" is not in this build`},
		{"wrong/small", nil, "base_url is not an http"},
		{"anthropic/claude", key, "ANTHROPIC_API_KEY is not set"},
		{"anthropic/claude", map[string]string{"ANTHROPIC_API_KEY": "k"}, ""},
		{"anthropic/claude", map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:8080"}, ""},
		{"claude/small", nil, ""},
		{"azure/deployment", key, "AZURE_OPENAI_ENDPOINT is not set"},
		{"azure/deployment", map[string]string{"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}, ""},
		{"azure/deployment", map[string]string{"AZURE_OPENAI_ENDPOINT": "r.openai.azure.com"}, "AZURE_OPENAI_ENDPOINT is not an http"},
		{"cloud/deployment", nil, ""},
		{"google/gemini", key, "neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"},
		{"google/gemini", map[string]string{"GOOGLE_API_KEY": "k"}, ""},
		{"google/gemini", map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "True", "GOOGLE_API_KEY": "k"}, "GOOGLE_CLOUD_PROJECT is not set"},
		{"google/gemini", map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_CLOUD_PROJECT": "p"}, ""},
		{"google/gemini", map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_VERTEX_BASE_URL": "h"}, "GOOGLE_VERTEX_BASE_URL is not an http"},
		{"gemini/small", nil, ""},
		{"openrouter/a/b", key, "OPENROUTER_API_KEY is not set"},
		{"openrouter/a/b", map[string]string{"OPENROUTER_API_KEY": "k"}, ""},
		{"ollama/llama", nil, ""},
		{"ollama/hf.co/user/model:Q4", map[string]string{"OLLAMA_HOST": "0.0.0.0"}, ""},
		{"ollama/llama", map[string]string{"OLLAMA_HOST": "host:port"}, "OLLAMA_HOST is not an http"},
		{"local/llama", nil, ""},
		{"opneai/gpt", key, `did you mean "openai"`},
		{"huose/small", key, `did you mean "house"`},
		{"something-else/x", key, "there are claude, cloud, foreign, gemini, house, local, locked, wrong, script, openai"},
		{"gpt-5-mini", key, ": expected provider/model"},
		{"/x", key, ": expected provider/model"},
		{"openai/", key, ": expected provider/model"},
		{"script/none.yaml", nil, "none.yaml: no such file"},
	}
	for _, tt := range tests {
		m, err := NewModels(with(tt.env)).find(tt.ref, w, true, false)
		if tt.wants == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.ref, err)
			} else if got := m.Info().Ref; got != tt.ref {
				t.Errorf("%s: the model says that it is %s", tt.ref, got)
			}
			continue
		}
		failed, ok := err.(*steps.Error)
		if !ok || failed.Kind != steps.KindConfiguration || !strings.Contains(failed.Message+"\n"+failed.Hint, tt.wants) {
			t.Errorf("%s: %#v, want %q", tt.ref, err, tt.wants)
		}
	}
}

func TestModelsAndLimitsAreShared(t *testing.T) {
	w, other := &workflows.Workflow{}, &workflows.Workflow{}
	r := NewModels(with(map[string]string{"OPENAI_API_KEY": "sk-0123456789"}))
	first, err := r.find("openai/a", w, true, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"openai/a", "openai/b", "openai-chat/a"} {
		m, err := r.find(ref, w, true, false)
		if err != nil {
			t.Fatal(err)
		}
		if same := m == first; same != (ref == "openai/a") {
			t.Errorf("%s: the same model: %v", ref, same)
		}
	}
	if _, err := r.find("openai/a", other, true, false); err != nil {
		t.Fatal(err)
	}
	if len(r.governors) != 1 {
		t.Errorf("%d governors for one service and key", len(r.governors))
	}
}

// TestScriptsStartAtTheirWorkflow: each workflow has its own folder, but the
// script of the options is one for all.
func TestScriptsStartAtTheirWorkflow(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "top.yaml"), "steps: {\"*\": [{text: top}]}")
	write(t, filepath.Join(dir, "part", "part.yaml"), "steps: {\"*\": [{text: part}]}")
	write(t, filepath.Join(dir, "broken.yaml"), "steps: [")
	top, part := &workflows.Workflow{Dir: dir}, &workflows.Workflow{Dir: filepath.Join(dir, "part")}
	r := NewModels(with(nil))
	given := loadedAs(top, nil).finder(Options{Models: r, Model: "script/top.yaml"})
	for _, w := range []*workflows.Workflow{top, part} {
		if _, err := given("script/top.yaml", w); err != nil {
			t.Errorf("the script of the options: %v", err)
		}
	}
	if _, err := r.find("script/part.yaml", part, true, false); err != nil {
		t.Error(err)
	}
	if _, err := r.find("script/part.yaml", top, true, false); err == nil {
		t.Error("another workflow's script was found")
	}
	if _, err := r.find("script/broken.yaml", top, true, false); err == nil || !strings.Contains(err.Error(), "broken.yaml:1:") {
		t.Errorf("a broken script: %v", err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestKeyOfGoogle(t *testing.T) {
	google := services()[4]
	env := with(map[string]string{"GOOGLE_API_KEY": "second"})
	if name := env.keyVar(google); name != "GOOGLE_API_KEY" {
		t.Errorf("the key is in %q", name)
	}
	env = with(map[string]string{"GOOGLE_API_KEY": "second", "GEMINI_API_KEY": "first"})
	if name := env.keyVar(google); name != "GEMINI_API_KEY" {
		t.Errorf("the key is in %q", name)
	}
}

func TestMask(t *testing.T) {
	part := &workflows.Workflow{Secrets: []string{"PART_TOKEN"}}
	w := &workflows.Workflow{
		Secrets:   []string{"TOKEN", "UNSET"},
		Providers: map[string]workflows.Endpoint{"house": {APIKeyEnv: "HOUSE_KEY"}},
		Steps:     []*workflows.Step{{Group: &workflows.Group{Steps: []*workflows.Step{{Use: &workflows.Use{Workflow: part}}}}}},
	}
	env := map[string]string{
		"TOKEN": "token-1", "PART_TOKEN": "part-1", "HOUSE_KEY": "house-1", "ANTHROPIC_API_KEY": "anthropic-1", "OTHER": "other-1",
		"AZURE_CLIENT_SECRET": "azure-1", "AZURE_CLIENT_ID": "who-1",
	}
	got := loadedAs(w, env).Mask().String("token-1 part-1 house-1 anthropic-1 azure-1 who-1 other-1")
	if got != "*** *** *** *** *** who-1 other-1" {
		t.Errorf("masked: %q", got)
	}
	if got := loadedAs(w, nil).Mask().String("token-1"); got != "token-1" {
		t.Errorf("without secrets: masked: %q", got)
	}
}

func TestCheapest(t *testing.T) {
	all, err := with(nil).Providers()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, p := range all {
		name := p.cheapest()
		if known := p.service.api != apiAzure && p.service.api != apiOllama; known != (name != "") {
			t.Errorf("%s: %q", p.Name, name)
		}
	}
}
