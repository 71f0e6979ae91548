package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/steps"
)

// TestFailedCounts: the reasons add up to what failed, also with elements that never began, and
// with nothing but these.
func TestFailedCounts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts ElementCounts
		want   FailedCounts
	}{
		{"some failed", ElementCounts{Total: 5, Succeeded: 3, Reasons: map[steps.Kind]int{steps.KindTimeout: 2}},
			FailedCounts{Failed: 2, Of: 5, Reasons: map[steps.Kind]int{steps.KindTimeout: 2}}},
		{"some did not start", ElementCounts{Total: 6, Succeeded: 1, NotBegun: 2, Reasons: map[steps.Kind]int{steps.KindTimeout: 2, steps.KindCancelled: 1}},
			FailedCounts{Failed: 5, Of: 6, Reasons: map[steps.Kind]int{steps.KindTimeout: 2, steps.KindCancelled: 3}}},
		{"none began", ElementCounts{Total: 2, NotBegun: 2}, FailedCounts{Failed: 2, Of: 2, Reasons: map[steps.Kind]int{steps.KindCancelled: 2}}},
	} {
		for range 2 { // it changes nothing
			if diff := cmp.Diff(tt.want, tt.counts.failed(steps.KindCancelled)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}
