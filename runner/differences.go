package runner

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// besides has the keys of a workflow that no work of its steps is made from.
var besides = []string{"name", "inputs", "outputs", "findings", "tests"}

// Differences returns what is different in a workflow and its files than when the run began:
// steps by their paths, files, and keys of the workflow. What changes no work does not
// count: comments, layout, budgets and other limits, outputs. files are like [Options].Files.
func (b *Beginning) Differences(w *workflows.Workflow, files map[string]string) (all []string) {
	if maps.Equal(b.Files, files) {
		return nil
	}
	all = b.steps(stepsOf(w.Steps, "", nil))
	for _, key := range keysOf(b.Sums, w.Sums) {
		if b.Sums[key] != w.Sums[key] && !slices.Contains(besides, key) {
			all = append(all, key)
		}
	}
	workflowFiles := map[string]bool{} // they are compared by their steps and keys
	for _, used := range w.Used() {
		workflowFiles[filepath.ToSlash(used.File)] = true
	}
	for _, file := range slices.Sorted(maps.Keys(b.Files)) {
		if !workflowFiles[file] && b.Files[file] != files[file] {
			all = append(all, file)
		}
	}
	return all
}

// steps returns the differences of steps.
func (b *Beginning) steps(now []journal.Step) (all []string) {
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
			all = append(all, fmt.Sprintf("step %q is new", step.Path))
		case sum != step.Sum:
			all = append(all, fmt.Sprintf("step %q has changed", step.Path))
		}
		same = append(same, step.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		all = append(all, fmt.Sprintf("step %q is gone", path))
	}
	if len(all) == 0 && !slices.Equal(order, same) {
		all = append(all, "the order of the steps")
	}
	return all
}

// keysOf returns the keys of both, sorted.
func keysOf(a, b map[string]string) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// differences returns what differs between the work of a unit before the files changed and the one
// in an entry, in words of the file; nil if the unit had not succeeded.
func (u *unit) differences(began *entry) (all []string, err error) {
	if e := u.earlier; e.Ended == 0 || e.Status != steps.Succeeded {
		return nil, nil
	}
	was, now, err := u.parts(began)
	for part, word := range wordsOfWork {
		if !bytes.Equal(was[part], now[part]) {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

// wordsOfWork are the members of a [Work] and of its agent, each with the word of the file for it.
var wordsOfWork = map[string]string{
	"arguments": "with", "checks": "checks", "fail_on_denied": "on_denied", "fixed_context": "context", "folder": "workspace", "given": "env",
	"limits": "truncate", "max_fixes": "max_fixes", "models": "model", "models_of": "model", "output": "output", "params": "params",
	"prompt": "prompt", "question": "ask", "rules": "permissions", "script": "run", "scripts": "model", "stop": "stop", "system": "system",
	"timeout_ms": "timeout", "tools": "tools", "variables": "env",
}
