package runner

import (
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// TestAttach tells warnings while the run is told of, and none after it.
func TestAttach(t *testing.T) {
	var told []string
	r := &run{masker: masker{}}
	r.stream = NewStream(discard{}, false, nil)
	var err error
	if r.journal, err = journal.Create(t.TempDir(), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	defer r.journal.Close()
	r.Observe = func(e Event) { told = append(told, string(e.Type)+" "+e.Message) }
	var warn func(string) bool
	r.Attach = func(f func(string) bool) { warn = f }
	end := r.attach()
	if !warn("in time") {
		t.Error("a warning in time was not told")
	}
	end()
	if warn("late") {
		t.Error("a late warning was told")
	}
	if want := []string{string(steps.Warning) + " in time"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	r.Attach = nil
	r.attach()()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
