package runner

import (
	"context"
	"sync"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Prepared has what all elements, attempts and rounds of a step share. It is made when it is
// first needed.
type prepared struct {
	output func() (steps.Output, error)
	tools  *shared[*tools.Set] // nil: they depend on values that the step sees
}

// prepared returns what one step of the instance shares.
func (in *instance) prepared(step *workflows.Step) *prepared {
	if p, ok := in.steps.Load(step); ok {
		return p.(*prepared)
	}
	p := &prepared{output: sync.OnceValues(func() (steps.Output, error) { return outputOf(step.Output) })}
	if pinnedAlways(step) {
		p.tools = newShared[*tools.Set]()
	}
	kept, _ := in.steps.LoadOrStore(step, p)
	return kept.(*prepared)
}

// pinnedAlways reports whether the arguments that the step pins are the same each time it
// runs.
func pinnedAlways(step *workflows.Step) bool {
	if step.Agent == nil {
		return true
	}
	for _, entry := range step.Agent.Tools {
		for _, value := range entry.With {
			if _, static := value.Static(); !static {
				return false
			}
		}
	}
	return true
}

// tools returns the tools for one attempt of the step, with no calls counted.
func (t *site) tools(ctx context.Context, w *Work) (*tools.Set, error) {
	found := func(ctx context.Context) (*tools.Set, error) { return t.in.tools(ctx, t.at, t.step, w) }
	if shared := t.in.prepared(t.step).tools; shared != nil && t.at == t.in.at {
		own := found
		found = func(ctx context.Context) (*tools.Set, error) { return shared.value(ctx, own) }
	}
	set, err := found(ctx)
	if err != nil {
		return nil, err
	}
	whole := t.wholeOutputs()
	if w.Agent == nil {
		return set.With(tools.Outputs{Spill: whole.direct}), nil
	}
	return set.With(tools.Outputs{Spill: whole.create, Locate: whole.locate, Told: whole.told}), nil
}

func outputOf(spec workflows.OutputSpec) (steps.Output, error) {
	output := steps.Output{Kind: steps.OutputKind(spec.Kind), Source: spec.Schema}
	if spec.Kind != workflows.OutputSchema {
		return output, nil
	}
	schema, err := tools.CompileSchema(spec.Schema)
	output.Schema = schema
	return output, err
}
