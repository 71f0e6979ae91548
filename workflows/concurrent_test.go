package workflows

import (
	"fmt"
	"testing"

	"github.com/sourcegraph/conc/pool"
)

// TestConcurrentUse evaluates one workflow from many goroutines.
func TestConcurrentUse(t *testing.T) {
	w := parseRight(t, `name: x
inputs: {n: {type: integer}, list: {type: array, items: {type: string}, default: [a]}}
steps:
  - if: inputs.n >= 0
    run: 'echo ${{ inputs.n }} "${{ join(map(inputs.list, # + "x"), ",") }}"'
outputs: {o: '${{ inputs.n * 2 }}'}
`)
	workers := pool.New().WithErrors().WithMaxGoroutines(8)
	for n := range 200 {
		workers.Go(func() error {
			values, err := w.CheckInputs(map[string]any{"n": n})
			if err != nil {
				return err
			}
			env := Env{"inputs": values}
			if holds, err := w.Steps[0].If.Holds(env); err != nil || !holds {
				return fmt.Errorf("the condition is %v, %w", holds, err)
			}
			r, err := w.Steps[0].Command.Script.Render(env)
			if err != nil || r.Values[0].Value != fmt.Sprint(n) || r.Values[1].Value != "ax" {
				return fmt.Errorf("rendered %v, %w", r, err)
			}
			if double, err := w.Outputs[0].Value.Eval(env); err != nil || double != 2*n {
				return fmt.Errorf("%d doubled is %v, %w", n, double, err)
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		t.Error(err)
	}
}
