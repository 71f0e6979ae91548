package host

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// layersOf are those of workflows, the outermost first.
func layersOf(t *testing.T, sandboxes ...string) []runner.Layer {
	t.Helper()
	var layers []runner.Layer
	for _, sandbox := range sandboxes {
		w, found := workflows.Parse("flow.yaml", []byte("name: a\n"+sandbox+"\nsteps: [{run: 'true'}]\n"), workflows.Options{})
		if found.HasErrors() {
			t.Fatal(found)
		}
		layers = append(layers, runner.Layer{Workflow: w})
	}
	return layers
}

// TestHoldingNarrows: a command is held as strictly as all workflows around it say,
// and what one of them requires is not done without.
func TestHoldingNarrows(t *testing.T) {
	const plain = "description: plain"
	for _, test := range []struct {
		name      string
		sandboxes []string
		want      func(holding) bool
	}{
		{"nothing is said", []string{plain}, func(h holding) bool { return h.any && !h.required && !h.offline }},
		{"off", []string{"sandbox: off"}, func(h holding) bool { return !h.any }},
		{"off inside", []string{plain, "sandbox: off"}, func(h holding) bool { return h.any }},
		{"required", []string{"sandbox: required"}, func(h holding) bool { return h.required }},
		{"required outside", []string{"sandbox: required", plain}, func(h holding) bool { return h.required }},
		{"required inside", []string{plain, "sandbox: required"}, func(h holding) bool { return h.required }},
		{"less is required", []string{"sandbox: {required: landlock}"}, func(h holding) bool { return !h.required }},
		{"partial", []string{"sandbox: {partial: true}"}, func(h holding) bool { return h.partial }},
		{"partial outside", []string{"sandbox: {partial: true}", plain}, func(h holding) bool { return !h.partial }},
		{"partial inside", []string{plain, "sandbox: {partial: true}"}, func(h holding) bool { return !h.partial }},
		{"offline inside", []string{plain, "sandbox: {network: none}"}, func(h holding) bool { return h.offline }},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newToolboxes(loadedIn(Environment{}))
			scope := runner.ToolScope{Workspace: t.TempDir(), Layers: layersOf(t, test.sandboxes...)}
			h := b.holdingOf(scope)
			if !test.want(h) {
				t.Errorf("%q: %+v", test.sandboxes, h)
			}
		})
	}
}

// loadedIn is a workflow that has nothing, in an environment.
func loadedIn(env Environment) *Loaded {
	return &Loaded{Workflow: &workflows.Workflow{}, env: env, origins: &origins{}}
}
