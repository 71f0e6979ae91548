package runner

import (
	"context"
	"fmt"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A mistake in a model of the program's own is told with the model's name, and costs no more
// than the step: the journal takes what it said.
func TestMistakesOfOwnModels(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		kind       steps.Kind
		answer     func() (providers.Message, error)
	}{
		{"a block without a type", `own/model: block 1 of the answer has the type "", which is none of text, thinking, tool_call`, steps.KindProvider, func() (providers.Message, error) {
			m := says("half a")
			m.Blocks = append(m.Blocks, providers.Block{Text: " sentence"})
			return m, nil
		}},
		{"no finish", `own/model: the answer has the finish "", which is none of stop, tool_calls, length, content_filter, error`, steps.KindProvider, func() (providers.Message, error) {
			return providers.UserText("half a"), nil
		}},
		{"a deadline of its own", "own/model: dial: context deadline exceeded", steps.KindNetwork, func() (providers.Message, error) {
			return says("half a"), fmt.Errorf("dial: %w", context.DeadlineExceeded)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.answer = func(context.Context, providers.Request) (providers.Message, error) { return tt.answer() }
			r := tr.run("name: t\nmodel: own/model\nsteps:\n  - {id: a, prompt: hi, on_error: continue}\n  - {id: b, needs: [a], run: echo done}\n")
			a := r.Steps[0]
			if r.Status != steps.Succeeded || a.Status != steps.Failed || a.Text != "half a" || !a.Partial {
				t.Errorf("%s: %s, %q, partial %t", r.Status, a.Status, a.Text, a.Partial)
			}
			if a.Error == nil || a.Error.Kind != tt.kind || a.Error.Message != tt.want {
				t.Errorf("%+v, want %s: %s", a.Error, tt.kind, tt.want)
			}
		})
	}
}
