package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/plan"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// TestPlansOfExamples: with a real model each example has a plan, with a figure.
func TestPlansOfExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, ".script.yaml") || strings.HasSuffix(file, ".test.yaml") {
			continue
		}
		w, found := host.Load(file, host.LoadOptions{})
		if w == nil {
			t.Fatal(found)
		}
		inputs := map[string]any{}
		for _, in := range w.Inputs {
			if in.Required {
				if inputs[in.Name], err = w.ParseInput(in.Name, "1"); err != nil {
					t.Fatal(err)
				}
			}
		}
		h, err := host.Open(t.Context(), host.Options{Loaded: w, Inputs: inputs, Workspace: t.TempDir(), Model: "anthropic/claude-haiku-4-5", PlanOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Of(h, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if p.Cost.MaxUSD == nil || p.Cost.IsNothing() {
			t.Errorf("%s: the cost is %v", file, p.Cost)
		}
		p.Workspace = "WORKSPACE"
		text := Plan(p)
		if slices.Contains([]string{"code-review", "docs-gen", "fix-until-green", "outline"}, p.Workflow.Name) {
			all.WriteString(text + "\n")
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		write(t, "testdata/plans.txt", all.String())
	}
	want, err := os.ReadFile("testdata/plans.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}
