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
	of := &tally{around: &tally{}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range parts {
		of.add(steps.Used{Denied: make([]steps.Denial, 3)})
	}
	used := of.around.sum()
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; len(used.Denied) != 3*parts || allocated > most {
		t.Errorf("%d denials, %d MiB allocated", len(used.Denied), allocated>>20)
	}
}
