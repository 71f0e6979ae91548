package runner

import (
	"runtime"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// The sums of many parts with denied calls hold their denials once: what they
// allocate grows with the parts, and not with their square.
func TestDenialsAreCopiedOnce(t *testing.T) {
	const parts, most = 5_000, 32 << 20
	part := &StepResult{Result: steps.Result{Status: steps.Succeeded, Used: steps.Used{Denied: make([]steps.Denial, 3)}}}
	inner := make([]*StepResult, parts)
	for i := range inner {
		inner[i] = part
	}
	for name, sum := range map[string]func() steps.Used{
		"of elements": func() steps.Used {
			var s elementSum
			for i, r := range inner {
				s.add(i, r)
			}
			return s.used
		},
		"of a group": func() steps.Used {
			var r StepResult
			r.gather(inner)
			return r.Used
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		used := sum()
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; len(used.Denied) != 3*parts || allocated > most {
			t.Errorf("the sum %s: %d denials, %d MiB allocated", name, len(used.Denied), allocated>>20)
		}
	}
}
