package workflows

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestAgents: what a step takes of an agent, key by key: its own goes before the
// agent's, and that before the file's.
func TestAgents(t *testing.T) {
	w, ds := Parse("agents.yaml", []byte(`
name: agents
model: openai/of-file
system: Of the file.
params: {temperature: 1, seed: 1}
stop: {max_turns: 9, max_tokens: 900}
tools: [read]
agents:
  a:
    system: Of the agent.
    params: {temperature: 0.5}
    stop: {max_turns: 8}
    tools: [read, write]
    permissions: {write: {"docs/**": allow}, read: {"secret/**": deny}}
steps:
  - {id: plain, prompt: hi}
  - {id: taken, prompt: hi, agent: a}
  - {id: narrowed, prompt: hi, agent: a, model: openai/of-step, params: {seed: 2}, stop: {max_tokens: 700}, tools: [read], permissions: {write: {"docs/api/**": allow}}}
  - steps: [{id: inner, prompt: hi, agent: a}]
`), Options{})
	if w == nil {
		t.Fatal(ds)
	}
	type settings struct {
		model, system, takes string
		temperature          float64
		seed                 int64
		turns                int
		tokens               int64
		tools                string
		rules, bounds        int
	}
	of := func(s *Step) settings {
		a := s.Agent
		model, _ := a.Model.Static()
		system, _ := a.System.Static()
		return settings{model.(string), system, a.Takes, *a.Params.Temperature, *a.Params.Seed, a.Stop.MaxTurns, a.Stop.MaxTokens, strings.Join(s.ToolNames(), " "), len(s.Permissions), len(a.Bounds)}
	}
	taken := settings{"openai/of-file", "Of the agent.", "a", 0.5, 1, 8, 900, "read write", 2, 0}
	for i, want := range []settings{
		{"openai/of-file", "Of the file.", "", 1, 1, 9, 900, "read", 0, 0},
		taken,
		{"openai/of-step", "Of the agent.", "a", 0.5, 2, 8, 700, "read", 2, 2},
		taken,
	} {
		step := w.Steps[i]
		if step.Group != nil {
			step = step.Group.Steps[0]
		}
		if got := of(step); got != want {
			t.Errorf("%s: got %+v, want %+v", step.ID, got, want)
		}
	}
	own := w.Steps[2].Permissions
	if keys := slices.Sorted(maps.Keys(own)); !slices.Equal(keys, []string{"read", "write"}) || own["write"][0].Pattern != "docs/api/**" {
		t.Errorf("rules of the step that narrows: %v", own)
	}
	if w.Steps[1].Permissions["write"][0].Pattern != "docs/**" {
		t.Error("a step has changed the agent's rules")
	}
}
