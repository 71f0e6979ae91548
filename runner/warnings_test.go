package runner

import (
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// TestAttach tells warnings while the run is told of, and none after it.
func TestAttach(t *testing.T) {
	tr := newTrial(t)
	var warn func(string) bool
	tr.change = func(o *Options) {
		o.Attach = func(f func(string) bool) {
			if warn = f; !warn("in time") {
				t.Error("a warning in time was not told")
			}
		}
	}
	tr.run(`{name: t, steps: [{run: "true"}]}`)
	if warn("late") {
		t.Error("a late warning was told")
	}
	var told []string
	for _, e := range tr.events {
		if e.Type == steps.Warning {
			told = append(told, e.Message)
		}
	}
	if want := []string{"in time"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
