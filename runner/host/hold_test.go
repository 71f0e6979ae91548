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

// TestLimitsNarrow: a command is held as strictly as all workflows around it say,
// and what one of them requires is not done without.
func TestLimitsNarrow(t *testing.T) {
	const plain = "description: plain"
	for _, test := range []struct {
		name      string
		sandboxes []string
		want      func(limits) bool
	}{
		{"nothing is said", []string{plain}, func(l limits) bool { return l.on && !l.required && !l.offline }},
		{"off", []string{"sandbox: off"}, func(l limits) bool { return !l.on }},
		{"off inside", []string{plain, "sandbox: off"}, func(l limits) bool { return l.on }},
		{"required", []string{"sandbox: required"}, func(l limits) bool { return l.required }},
		{"required outside", []string{"sandbox: required", plain}, func(l limits) bool { return l.required }},
		{"required inside", []string{plain, "sandbox: required"}, func(l limits) bool { return l.required }},
		{"less is required", []string{"sandbox: {required: landlock}"}, func(l limits) bool { return !l.required }},
		{"partial", []string{"sandbox: {partial: true}"}, func(l limits) bool { return l.partial }},
		{"partial outside", []string{"sandbox: {partial: true}", plain}, func(l limits) bool { return !l.partial }},
		{"partial inside", []string{plain, "sandbox: {partial: true}"}, func(l limits) bool { return !l.partial }},
		{"offline inside", []string{plain, "sandbox: {network: none}"}, func(l limits) bool { return l.offline }},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newToolboxes(loadedIn(Environment{}), Options{})
			scope := runner.ToolScope{Workspace: t.TempDir(), Layers: layersOf(t, test.sandboxes...)}
			l := b.limitsOf(scope)
			if !test.want(l) {
				t.Errorf("%q: %+v", test.sandboxes, l)
			}
		})
	}
}

// loadedIn is a workflow that has nothing, in an environment.
func loadedIn(env Environment) *Loaded {
	return &Loaded{Workflow: &workflows.Workflow{}, env: env, origins: &origins{}}
}
