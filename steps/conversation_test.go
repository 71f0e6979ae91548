package steps

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

func TestLastText(t *testing.T) {
	said := func(role providers.Role, text string) providers.Message {
		m := providers.UserText(text)
		m.Role = role
		return m
	}
	calling := providers.Message{Role: providers.RoleAssistant, Blocks: blocks(`echo {}`)}
	tests := []struct {
		name     string
		messages []providers.Message
		broken   string
		want     string
	}{
		{name: "nothing was said", messages: []providers.Message{said(providers.RoleUser, "go")}},
		{name: "the last words", messages: []providers.Message{said(providers.RoleAssistant, "a"), said(providers.RoleAssistant, "b")}, want: "b"},
		{name: "before calls", messages: []providers.Message{said(providers.RoleAssistant, "a"), calling, said(providers.RoleUser, "stop")}, want: "a"},
		{name: "broken off", messages: []providers.Message{said(providers.RoleAssistant, "a")}, broken: "half", want: "half"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := conversation{Messages: tt.messages, Broken: tt.broken}
			if got := c.lastText(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnpricedModelsAreNamedOnce(t *testing.T) {
	d := dialogue{agent: &Agent{Hooks: Hooks{Price: func(model string, _ providers.Usage) (float64, bool) { return 0.5, model == "c" }}}}
	for _, model := range []string{"a", "b", "a", "c"} {
		d.countAnswer(&Answer{Used: []Spent{{Model: model, Usage: providers.Usage{InputTokens: 1}}}})
	}
	if diff := cmp.Diff([]string{"a", "b"}, d.c.Unpriced); diff != "" || d.c.Usage.InputTokens != 4 {
		t.Errorf("%d tokens, %s", d.c.Usage.InputTokens, diff)
	}
}

// Arguments are shown as they came; what is no JSON is shown as a string.
func TestInput(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"none", "", `{}`},
		{"an object", `{"b":1, "a":2}`, `{"b":1, "a":2}`},
		{"cut off", `{"path":"<a`, `"{\"path\":\"<a"`},
		{"no text", "\xff", `"\ufffd"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(input(json.RawMessage(tt.arguments))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWarningOfAStreak(t *testing.T) {
	tests := []struct {
		count, limit int
		want         string
	}{
		{2, 5, ""}, {3, 5, "3 times running"}, {4, 5, "at 5 the task is stopped"}, {5, 5, ""}, {3, 3, ""}, {9, 0, ""},
	}
	for _, tt := range tests {
		got := streak{Tool: "read", Count: tt.count}.warning(tt.limit)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%d of %d: %q, want %q", tt.count, tt.limit, got, tt.want)
		}
	}
}

// Every part of a call and its result makes a difference.
func TestFingerprintTellsApart(t *testing.T) {
	base := Called{Tool: "read", Arguments: json.RawMessage(`{"a":1}`), Status: tools.Succeeded}
	seen := map[[32]byte]string{fingerprint(base, tools.Answer{Content: "x"}): "the call itself"}
	others := map[string]struct {
		call   Called
		answer tools.Answer
	}{
		"another tool":      {Called{Tool: "rea", Arguments: json.RawMessage(`d{"a":1}`), Status: tools.Succeeded}, tools.Answer{Content: "x"}},
		"other arguments":   {Called{Tool: "read", Arguments: json.RawMessage(`{"a":2}`), Status: tools.Succeeded}, tools.Answer{Content: "x"}},
		"another status":    {Called{Tool: "read", Arguments: json.RawMessage(`{"a":1}`), Status: tools.Failed}, tools.Answer{Content: "x"}},
		"another result":    {base, tools.Answer{Content: "y"}},
		"an empty result":   {base, tools.Answer{}},
		"content elsewhere": {Called{Tool: "read", Arguments: json.RawMessage(`{"a":1}`), Status: "succeededx"}, tools.Answer{}},
	}
	for name, other := range others {
		print := fingerprint(other.call, other.answer)
		if same, found := seen[print]; found {
			t.Errorf("%s is the same as %s", name, same)
		}
		seen[print] = name
	}
}
