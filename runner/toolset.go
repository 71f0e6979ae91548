package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// tools are the tools of a step: those that an agent offers its model, or the
// one that the step calls.
func (in *instance) tools(ctx context.Context, at *workEnv, step *workflows.Step, w *Work) (*tools.Set, error) {
	box, err := in.exec.Tools(ctx, in.toolScope(ctx, at, step))
	if err != nil {
		return nil, err
	}
	own := map[string][]tools.Tool{}
	for _, inner := range step.Inside() {
		own[inner.Name] = []tools.Tool{WorkflowTool(inner, at.workspace)}
	}
	var entries []tools.Entry
	for _, entry := range w.Tools {
		found := own[entry.Name]
		if found == nil && box.Find == nil {
			return nil, &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf("the step lists the tool %q, but no tools are available", entry.Name)}
		}
		if found == nil {
			found = box.Find(entry.Name)
		}
		for _, tool := range found {
			offered := tools.Entry{Tool: tool, Pinned: entry.Pinned, MaxCalls: entry.MaxCalls, Parallel: entry.Parallel}
			if entry.Limits != nil {
				offered.Limits = new(limitsOf(*entry.Limits))
			}
			entries = append(entries, offered)
		}
	}
	return tools.NewSet(entries, tools.SetOptions{
		Guard: box.Guard, Ask: in.exec.Ask, Later: in.exec.Later, Limits: limitsOf(w.Limits),
		Mask: in.exec.Mask,
	})
}

// toolEntries are the entries of a step's list of tools, or the one that it calls,
// and how what they answer is truncated.
func toolEntries(step *workflows.Step) ([]workflows.ToolEntry, workflows.Truncate) {
	if step.Call != nil {
		return []workflows.ToolEntry{{Name: step.Call.Tool}}, step.Truncate
	}
	return step.Agent.Tools, step.Truncate
}

// toolScope is where the tools of a step work: under the rules of all workflows
// around this one, its own and the step's.
func (in *instance) toolScope(ctx context.Context, at *workEnv, step *workflows.Step) ToolScope {
	return ToolScope{
		Workflow: in.Workflow, Workspace: at.workspace, Run: in.exec.Dir, Outputs: outputsDir(in.exec.Dir), Tools: step.ToolNames(),
		Layers: in.layersOf(step), Environment: in.exec.commands(at.names, at.given),
		Env: in.namesAt(context.WithoutCancel(ctx), in.at, step), // calls of other steps of these rules evaluate with it
	}
}

// layersOf are the rules of all workflows around this one, its own and the
// step's, where there is one.
func (in *instance) layersOf(step *workflows.Step) []Layer {
	layers := slices.Clone(in.layers)
	if step == nil {
		return append(layers, in.layer(nil))
	}
	for _, rules := range step.RuleSets() {
		layers = append(layers, in.layer(rules))
	}
	return layers
}

// layer is the rules of the workflow with those of one of its steps. What their patterns may
// name is the same for the whole run.
func (in *instance) layer(step workflows.Permissions) Layer {
	return Layer{Workflow: in.Workflow, Step: step, Workspace: in.at.workspace, Env: in.names(context.Background())}
}

func limitsOf(t workflows.Truncate) tools.Limits {
	return tools.Limits{Lines: t.Lines, Bytes: t.Bytes, LineChars: t.LineChars, Keep: tools.Keep(t.Keep)}
}
