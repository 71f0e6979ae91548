package runner

import (
	"context"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// A server of tools that never answers ends with the step that asks for it, and
// another step, element or attempt asks for it anew.
func TestToolsAreMadeWithinTheStepsTime(t *testing.T) {
	for kind, step := range map[string]string{
		"a call":   "tool: one",
		"an agent": "prompt: Look.\n    tools: [one]",
	} {
		t.Run(kind, func(t *testing.T) {
			tr, asked := newTrial(t), 0
			tr.change = func(o *Options) {
				found := o.Tools
				o.Tools = func(ctx context.Context, scope ToolScope) (Toolbox, error) {
					if asked++; asked == 1 {
						<-ctx.Done()
						return Toolbox{}, ctx.Err()
					}
					return found(ctx, scope)
				}
			}
			r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - id: a\n    foreach: [1, 2]\n    max_parallel: 1\n    timeout: 50ms\n    on_error: continue\n    " + step + "\n")
			elements := elementsOf(t, r.Steps[0])
			first, second := elements[0], elements[1]
			if first.Status != steps.Stopped || first.StopReason != steps.ReasonTimeout || first.Error.Kind != steps.KindTimeout {
				t.Errorf("the first: %s, %s, %+v", first.Status, first.StopReason, first.Error)
			}
			if second.Status != steps.Succeeded || asked != 2 {
				t.Errorf("the second: %s, %+v; asked %d times", second.Status, second.Error, asked)
			}
		})
	}
}
