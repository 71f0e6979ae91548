package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// tools are the tools of a step: those that an agent offers its model, or the
// one that the step calls.
func (in *instance) tools(ctx context.Context, step *workflows.Step, names workflows.Env) (*tools.Set, error) {
	if step.Call != nil {
		return in.toolSet(ctx, step.Call.Permissions, step.Call.Limits, []workflows.ToolEntry{{Name: step.Call.Tool}}, names)
	}
	return in.toolSet(ctx, step.Agent.Permissions, step.Agent.Truncate, step.Agent.Tools, names)
}

func (in *instance) toolSet(ctx context.Context, own workflows.Permissions, limits workflows.Truncate, named []workflows.ToolEntry, names workflows.Env) (*tools.Set, error) {
	box, err := in.toolbox(ctx, own, named)
	if err != nil {
		return nil, err
	}
	var entries []tools.Entry
	for _, entry := range named {
		pinned, err := evalAll(entry.With, names)
		if err != nil {
			return nil, err
		}
		for _, tool := range box.Find(entry.Name) {
			offered := tools.Entry{Tool: tool, Pinned: pinned, MaxCalls: entry.MaxCalls, Parallel: tools.Parallel(entry.Parallel)}
			if entry.Truncate != nil {
				limits := limitsOf(*entry.Truncate)
				offered.Limits = &limits
			}
			entries = append(entries, offered)
		}
	}
	return tools.NewSet(entries, tools.SetOptions{
		Guard: box.Guard, Ask: in.run.Ask, Limits: limitsOf(limits),
		Spill: in.run.folder.spill, Mask: in.run.Mask,
	})
}

// toolbox holds the tools that entries name, under the rules of all workflows
// around this one, its own and the step's.
func (in *instance) toolbox(ctx context.Context, own workflows.Permissions, named []workflows.ToolEntry) (Toolbox, error) {
	var listed []string
	for _, entry := range named {
		listed = append(listed, entry.Name)
	}
	layers := append(in.layers[:len(in.layers):len(in.layers)], Layer{Workflow: in.Workflow, Step: own, Workspace: in.workspace})
	return in.run.Tools(ctx, ToolScope{
		Workflow: in.Workflow, Workspace: in.workspace, Run: in.run.folder.dir, Outputs: in.run.folder.outputsDir(),
		Tools: listed, Layers: layers, Env: in.names(context.WithoutCancel(ctx)), // calls of other steps evaluate with it
	})
}

func limitsOf(t workflows.Truncate) tools.Limits {
	return tools.Limits{Lines: t.Lines, Bytes: t.Bytes, LineChars: t.LineChars, Keep: tools.Keep(t.Keep)}
}
