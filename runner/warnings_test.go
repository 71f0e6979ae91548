package runner

import (
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// TestAttach tells warnings while the run is told of, and none after it.
func TestAttach(t *testing.T) {
	tr := newTrial(t)
	var warn func(string) bool
	tr.change = func(o *Options) {
		observe := o.Observe
		o.Observe = func(e Event) {
			if observe(e); e.Type == StepStarted && !warn("while it is told of") {
				t.Error("a warning of who is told was not told")
			}
		}
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
	if want := []string{"in time", "while it is told of"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// What a resume warns of is told of a run that has started.
func TestWarningsFollowTheStart(t *testing.T) {
	const source = `{name: t, steps: [{run: "true"}]}`
	tr := newTrial(t)
	commit := "a"
	tr.change = func(o *Options) { o.Commit = func(string) string { return commit } }
	tr.run(source)
	change := tr.change
	tr.change = func(o *Options) { change(o); o.Resume = &Resumption{} }
	commit, tr.events = "b", nil
	tr.run(source)
	if len(tr.events) < 2 || tr.events[0].Type != RunStarted || !strings.Contains(tr.events[1].Message, "commit") {
		t.Errorf("the first events are %v", tr.events)
	}
}
