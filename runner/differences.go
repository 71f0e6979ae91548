package runner

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// besides are what a workflow says beside its steps that no work of theirs is made of.
var besides = []string{"name", "inputs", "outputs", "findings", "tests"}

// Differences are what of a workflow, and of the files that it is made of, is not as
// the run has it: steps by their paths, files, and what the workflow says beside its
// steps. What changes no work is none: comments, layout, a budget, what the workflow
// returns. files are as [Options].Files.
func (b *Beginning) Differences(w *workflows.Workflow, files map[string]string) (all []string) {
	if maps.Equal(b.Files, files) {
		return nil
	}
	sums := map[string]string{} // of what is no workflow, or was one of an older flow
	for file, sum := range b.Files {
		sums[file] = sum
	}
	if len(b.sums) > 0 {
		for _, used := range w.Used() {
			delete(sums, filepath.ToSlash(used.File))
		}
		all = b.steps(stepsOf(w.Steps, "", nil))
		for _, key := range keysOf(b.sums, w.Sums) {
			if b.sums[key] != w.Sums[key] && !slices.Contains(besides, key) {
				all = append(all, key)
			}
		}
	}
	for _, file := range keysOf(sums, files) {
		was, known := sums[file]
		if known && files[file] != was || !known && len(b.sums) == 0 {
			all = append(all, file)
		}
	}
	return all
}

// steps are the differences of steps.
func (b *Beginning) steps(now []record.Step) (all []string) {
	before, order := map[string]string{}, []string{}
	for _, step := range b.Steps {
		before[step.Path] = step.Sum
		order = append(order, step.Path)
	}
	same := []string{}
	for _, step := range now {
		sum, known := before[step.Path]
		switch delete(before, step.Path); {
		case !known:
			all = append(all, "step "+step.Path+" (new)")
		case sum != step.Sum:
			all = append(all, "step "+step.Path)
		}
		same = append(same, step.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		all = append(all, "step "+path+" (gone)")
	}
	if len(all) == 0 && !slices.Equal(order, same) {
		all = append(all, "the order of the steps")
	}
	return all
}

// keysOf are the keys of both, sorted.
func keysOf(a, b map[string]string) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
