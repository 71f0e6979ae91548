package page

import (
	"path"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/plan"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// graph draws the steps of a workflow. Each leads to its unit, by whose state the page colours it.
func graph(steps []journal.Step) string {
	const maxDrawn = 300 // of more, nobody sees anything
	if len(steps) < 2 || len(steps) > maxDrawn {
		return ""
	}
	return string(inside("", steps).Inline())
}

// inside returns the graph of the steps directly inside a step; "" is the workflow.
func inside(around string, steps []journal.Step) (g plan.Graph) {
	for i, step := range steps {
		if parent, _ := path.Split(step.Path); strings.TrimSuffix(parent, "/") != around {
			continue
		}
		g.Nodes = append(g.Nodes, plan.Node{ID: step.Path, Lines: []string{path.Base(step.Path), step.Kind}, Address: step.Path, Inside: inside(step.Path, steps[i+1:])})
		for _, need := range step.Needs {
			g.Edges = append(g.Edges, plan.Edge{From: path.Join(around, need), To: step.Path})
		}
	}
	return g
}
