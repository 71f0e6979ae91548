package runner

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// A when may leave out any number of elements.
func TestWhenLeavesOutManyElements(t *testing.T) {
	tr := newTrial(t)
	r := tr.run("name: t\nsteps: [{id: each, foreach: '${{ 1..60000 }}', when: item == 60000, run: 'echo ${{ item }}'}]\n")
	if step := r.Steps[0]; r.Status != steps.Succeeded || step.Counts.LeftOut != 59_999 || step.Counts.Succeeded != 1 {
		t.Fatalf("%s: %v, %+v", r.Status, r.Error, step.Counts)
	}
	read, err := ReadResult(tr.dir + "/run")
	if err != nil || read.Steps[0].Counts.LeftOut != 59_999 {
		t.Fatalf("read from its journal: %v, %+v", err, read.Steps[0].Counts)
	}
}
