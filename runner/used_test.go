package runner

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A used workflow works under all rules around it, outermost first, and in a
// folder of its caller's.
func TestLayersOfAUsedWorkflow(t *testing.T) {
	tr := newTrial(t)
	tr.write("sub/.keep", "")
	tr.write("used.yaml", "name: used\nworkspace: sub\nsteps:\n  - {uses: deep.yaml, permissions: {look: ask}}\n")
	tr.write("deep.yaml", "name: deep\nsteps:\n  - {tool: look, permissions: {look: allow}}\n")
	var layers []string
	tr.change = func(o *Options) {
		found := o.Tools
		o.Tools = func(ctx context.Context, scope ToolScope) (Toolbox, error) {
			for _, l := range scope.Layers {
				rules := ""
				for _, rule := range l.Step["look"] {
					rules += rule.Decision
				}
				layers = append(layers, strings.TrimSpace(l.Workflow.Name+" in "+path.Base(l.Workspace)+" "+rules))
			}
			return found(ctx, scope)
		}
	}
	r := tr.run("name: top\nsteps:\n  - {uses: used.yaml, permissions: {look: deny}}\n")
	want := "top in " + path.Base(tr.dir) + " deny, used in sub ask, deep in sub allow"
	if got := strings.Join(layers, ", "); got != want || r.Status != steps.Succeeded {
		t.Errorf("%s: layers %s, want %s", r.Status, got, want)
	}
}

// A used workflow can't leave its caller's workspace.
func TestWorkspaceOfAUsedWorkflow(t *testing.T) {
	for workspace, want := range map[string]steps.Status{"sub": steps.Succeeded, ".": steps.Succeeded, "..": steps.Failed, "/": steps.Failed} {
		tr := newTrial(t)
		tr.write("sub/.keep", "")
		tr.write("used.yaml", "name: used\nworkspace: "+workspace+"\nsteps:\n  - {run: 'true'}\n")
		r := tr.run("name: top\nsteps:\n  - {uses: used.yaml}\n")
		if r.Status != want || want == steps.Failed && r.Error.Kind != steps.KindDenied {
			t.Errorf("workspace %q: %s, %+v", workspace, r.Status, r.Error)
		}
	}
}

// What an entry of the list of tools says holds for that tool.
func TestToolEntries(t *testing.T) {
	tr := newTrial(t)
	turn := 0
	var answers []string
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		if turn++; turn == 1 {
			return calls("few", "few", "short"), nil
		}
		for _, b := range req.Messages[len(req.Messages)-1].Blocks {
			answers = append(answers, b.Content)
		}
		return says("done"), nil
	}
	tr.run(`
name: t
model: openai/m
steps:
  - {prompt: hi, tools: [{name: few, max_calls: 1, with: {pinned: here}}, {name: short, truncate: {line_chars: 5}}]}
`)
	if len(answers) != 3 {
		t.Fatalf("answers %q", answers)
	}
	if !strings.Contains(answers[0], `"pinned":"here"`) || strings.Contains(answers[1], "echo") || strings.Contains(answers[2], `"n"`) {
		t.Errorf("answers %q: want one call of few with what is pinned, none more, and 5 characters of short", answers)
	}
}

// Models are those that the options name, else of the step, by short names too.
func TestWhoIsAsked(t *testing.T) {
	const source = "name: t\nmodel: quick\nmodels: {quick: [openai/a, openai/b]}\nsteps:\n  - {id: one, prompt: hi}\n  - {id: two, model: openai/c, prompt: hi}\n"
	for option, want := range map[string]string{"": "openai/b openai/c", "openai/d": "openai/d openai/d", "quick": "openai/b openai/b"} {
		tr := newTrial(t)
		var asked []string
		tr.change = func(o *Options) {
			o.Model = option
			o.Models = modelsBy(func(ref string, _ providers.Request) (providers.Message, error) {
				if ref == "openai/a" {
					return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
				}
				asked = append(asked, ref)
				return says("there"), nil
			})
		}
		tr.run(source)
		if got := strings.Join(asked, " "); got != want {
			t.Errorf("--model %q: asked %s, want %s", option, got, want)
		}
	}
}

// A workflow from elsewhere can't make a model cheaper than it is to who runs it either, and
// gives none a price that has none without it.
func TestPricesElsewhere(t *testing.T) {
	refused := Cost{USD: -1}
	for _, tt := range []struct {
		own    string
		usd    float64 // without it
		known  bool
		budget string
		want   Cost
	}{
		{"input: 0, output: 0", 2, true, "", Cost{USD: 2, Known: true}},
		{"input: 4, output: 0", 2, true, "", Cost{USD: 4, Known: true}},
		{"input: 0, output: 0", 0, false, "", Cost{}},
		{"input: 0, output: 0", 0, false, "budget: {cost_usd: 5}\n", refused},
	} {
		tr := newTrial(t)
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			m := says("there")
			m.Usage.InputTokens = 1_000_000
			return m, nil
		}
		tr.write("used.yaml", "name: used\nprices: {own/model: {"+tt.own+"}}\nsteps:\n  - {prompt: hi}\n")
		tr.change = func(o *Options) {
			o.Foreign = func(w *workflows.Workflow) bool { return w.Name == "used" }
			o.Price = func(string, providers.Usage) (float64, bool) { return tt.usd, tt.known }
		}
		r, err := tr.try("name: t\nmodel: own/model\n" + tt.budget + "steps:\n  - {uses: used.yaml}\n")
		if isRefused := err != nil && strings.Contains(err.Error(), "the price of own/model is unknown"); isRefused != (tt.want == refused) || !isRefused && r.Cost != tt.want {
			t.Errorf("%+v: %+v, %v", tt, r, err)
		}
	}
}

// A used workflow that asks the model of its caller has the price that the caller gives,
// and can't make it cheaper: that would end the caller's budget.
func TestPricesOfTheCaller(t *testing.T) {
	for own, want := range map[string]float64{"": 2, "prices: {own/model: {input: 0, output: 0}}\n": 2, "prices: {own/model: {input: 4, output: 0}}\n": 4} {
		tr := newTrial(t)
		tr.write("deep.yaml", "name: deep\n"+own+"steps:\n  - {prompt: hi}\n")
		tr.write("used.yaml", "name: used\nsteps:\n  - {uses: deep.yaml}\n")
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			m := says("there")
			m.Usage.InputTokens = 1_000_000
			return m, nil
		}
		tr.change = func(o *Options) { o.Price = func(string, providers.Usage) (float64, bool) { return 0, false } }
		r := tr.run("name: top\nmodel: own/model\nprices: {own/model: {input: 2, output: 3}}\nbudget: {cost_usd: 5}\nsteps:\n  - {uses: used.yaml}\n")
		if r.Status != steps.Succeeded || !r.Cost.Known || r.Cost.USD != want {
			t.Errorf("%q: %s, %+v: %+v", own, r.Status, r.Cost, r.Error)
		}
	}
}

// TestHoldOfUsedWorkflows: an author's held: false is enough in the first workflow; in a used
// one it is for the host to decide, which knows the sandboxes around it.
func TestHoldOfUsedWorkflows(t *testing.T) {
	tr := newTrial(t)
	tr.write("used.yaml", "name: used\nsteps:\n  - {id: not, run: 'true', held: false}\n  - {id: held, run: 'true', held: true}\n")
	var asked []string
	tr.change = func(o *Options) {
		o.MaxParallel = 1
		o.Hold = func(scope ToolScope, wish Wish) (*steps.Sandbox, error) {
			asked = append(asked, fmt.Sprintf("%s %v", scope.Workflow.Name, map[Wish]string{HoldNot: "not", HoldAsked: "held"}[wish]))
			return nil, nil
		}
	}
	if r := tr.run("name: top\nsteps:\n  - {id: not, run: 'true', held: false}\n  - {id: use, uses: used.yaml}\n"); r.Status != steps.Succeeded {
		t.Fatal(r.Error)
	}
	if got, want := strings.Join(asked, ", "), "used not, used held"; got != want {
		t.Errorf("asked about %s, want %s", got, want)
	}
}
