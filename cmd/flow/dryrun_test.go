package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

const dryScript = `
steps:
  "*": [{calls: [{name: read, arguments: {filePath: flow.yaml}}]}, {text: done}]
`

const dryUsed = `
name: used
inputs: {what: {type: string}}
outputs: {said: "${{ steps.inner.text }}"}
steps:
  - {id: inner, run: 'echo ${{ inputs.what }}'}
  - {id: both, foreach: [1, 2], on_error: continue, run: 'test -e ok || test ${{ item }} = 1'}
  - {id: many, foreach: "${{ split(inputs.what, ' ') }}", run: echo}
`

// What flow resume --dry-run names is what begins in the resume after it, whatever the workflow is
// made of. Nothing that it is unsure of is missing in that, and the run's folder stays as it was.
func TestDryRunNamesWhatBegins(t *testing.T) {
	for name, tt := range map[string]struct {
		steps  string
		change string // that replaces "old" in the file
		flags  []string
	}{
		"a step that failed, and steps after it": {steps: `
  - {id: a, run: echo a}
  - {id: b, run: test -e ok}
  - {id: c, prompt: c, tools: [read]}
  - {id: d, if: failure(), run: echo d}
  - {id: e, if: always(), run: echo e}
  - {id: f, if: "steps.b.status == 'succeeded'", run: echo f}
  - {id: g, if: "steps.a.text == ''", run: echo g}
`},
		"steps beside each other": {steps: `
  - {id: a, needs: [], run: test -e ok}
  - {id: b, needs: [], on_error: continue, run: test -e ok}
  - {id: c, needs: [b], run: echo c}
  - {id: d, needs: [], run: echo d}
  - {id: e, needs: [d], run: echo e}
`},
		"elements that failed": {flags: []string{"--failed"}, steps: `
  - {id: list, run: echo 1 2 3 4 5}
  - {id: each, foreach: "${{ split(trim(steps.list.text), ' ') }}", on_error: continue, run: "test -e ok || echo 1 4 | grep -q ${{ item }}"}
  - {id: next, foreach: "${{ steps.each.results }}", run: echo}
  - {id: fixed, foreach: [1, 2], run: 'echo ${{ steps.each.status }}'}
  - {id: apart, needs: [list], foreach: [1, 2], run: echo apart}
`},
		"elements of which the first failure ends the others": {steps: `
  - {id: each, foreach: [1, 2, 3, 4, 5, 6], max_parallel: 2, run: 'test -e ok || test ${{ item }} != 3'}
  - {id: after, prompt: after, tools: [read]}
`},
		"steps inside of elements": {flags: []string{"--failed"}, steps: `
  - id: each
    foreach: [1, 2, 3]
    on_error: continue
    steps:
      - {id: make, run: 'echo ${{ item }}'}
      - {id: check, on_error: continue, run: 'test -e ok || test ${{ item }} != 2'}
      - {id: tell, prompt: 'tell ${{ steps.check.status }}', tools: [read]}
      - {id: deep, foreach: [1, 2], run: 'test -e ok || test ${{ steps.make.text }} != 3'}
`},
		"rounds": {steps: `
  - id: loop
    until: steps.try.text contains "yes"
    max_rounds: 2
    steps:
      - {id: begin, run: 'echo ${{ round }}'}
      - {id: try, run: 'test -e ok && echo yes; true'}
  - id: count
    needs: []
    until: round > 2
    steps:
      - {id: failing, run: 'test -e ok || test ${{ round }} != 2'}
      - {id: other, run: echo}
`},
		"a used workflow": {flags: []string{"--failed"}, steps: `
  - {id: used, uses: used.yaml, with: {what: a b}}
  - {id: flaky, needs: [], on_error: continue, run: test -e ok}
  - {id: again, uses: used.yaml, with: {what: "${{ steps.flaky.status }}"}}
  - {id: each, foreach: [1, 2], needs: [flaky], uses: used.yaml, with: {what: "${{ item }} ${{ steps.flaky.status }}"}}
`},
		"a group with a folder that is not known": {flags: []string{"--failed"}, steps: `
  - {id: where, on_error: continue, run: 'mkdir -p sub; test -e ok'}
  - id: group
    env: {WHERE: "${{ steps.where.status }}"}
    steps: [{id: in, run: echo in}, {id: nested, steps: [{id: deep, run: echo deep}]}]
`},
		"a named element": {flags: []string{"--from", "each[1]"}, steps: `
  - {id: each, foreach: [1, 2, 3], run: 'echo ${{ item }}'}
  - {id: sum, run: 'echo ${{ steps.each.status }}'}
  - {id: cond, if: "steps.sum.text != ''", foreach: "${{ split(steps.sum.text, ' ') }}", run: echo}
  - {id: apart, run: echo apart}
`},
		"a named step inside of an element": {flags: []string{"--from", "each[1]/a"}, steps: `
  - {id: each, foreach: [1, 2, 3], steps: [{id: a, run: echo}, {id: b, run: 'echo ${{ steps.a.text }}'}, {id: c, run: echo}]}
  - {id: sum, run: 'echo ${{ steps.each.status }}'}
`},
		"a step with once": {flags: []string{"--from", "a"}, steps: `
  - {id: a, run: echo a}
  - {id: once, once: true, run: 'echo ${{ steps.a.text }}'}
  - {id: each, foreach: [1, 2], once: true, run: 'echo ${{ steps.a.text }}'}
  - {id: last, needs: [once], run: 'echo ${{ steps.once.text }}'}
`},
		"changed files": {change: "new", flags: []string{"--changed"}, steps: `
  - {id: a, prompt: "old", tools: [read]}
  - {id: b, run: 'echo ${{ steps.a.text }}'}
  - {id: each, needs: [], foreach: [1, 2, 3], prompt: "${{ item == 2 ? 'old' : 'same' }}", tools: [read]}
  - {id: sum, needs: [each], run: 'echo ${{ len(steps.each.results) }}'}
  - {id: flaky, needs: [], on_error: continue, run: test -e ok}
  - {id: group, needs: [], until: round > 1, steps: [{id: in, run: 'echo ${{ round }} "old"'}, {id: out, run: echo}]}
  - {id: used, needs: [flaky], uses: used.yaml, with: {what: old}}
  - {id: like, needs: [], if: "'old' == 'new'", run: echo}
`},
		"changed files of which only what failed is to run again": {change: "new", flags: []string{"--failed", "--changed"}, steps: `
  - {id: each, needs: [], foreach: [1, 2, 3], on_error: continue, run: 'echo old; test -e ok || test ${{ item }} != 2'}
  - {id: sum, needs: [each], run: 'echo ${{ len(steps.each.results) }}'}
  - {id: apart, needs: [], run: echo old}
  - {id: group, needs: [], until: round > 1, steps: [{id: in, run: 'echo old'}]}
`},
		"files that a step writes again": {steps: `
  - {id: write, run: 'test -e ok && touch 1.md 2.md'}
  - {id: each, foreach: "${{ glob('*.md') }}", run: echo}
`},
		"an answered question": {flags: []string{"--answer", "sure=yes"}, steps: `
  - {id: sure, ask: "Sure?", choices: ["yes", "no"]}
  - {id: deploy, if: "steps.sure.output == 'yes'", run: echo deploy}
  - {id: other, if: "steps.sure.output == 'no'", run: echo other}
  - {id: more, ask: "More?", choices: ["yes", "no"]}
  - {id: last, run: 'echo ${{ steps.more.output }}'}
`},
		"nothing to do": {steps: `
  - {id: a, run: echo a}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dryDir(t.TempDir())
			file := "name: dry\nmodel: script/a.script.yaml\noutputs: {}\nsteps:" + tt.steps
			for name, content := range map[string]string{"flow.yaml": file, "used.yaml": dryUsed, "a.script.yaml": dryScript} {
				d.write(t, name, content)
			}
			if _, told, err := d.flow("run", "flow.yaml", "--run-dir", "run"); strings.HasPrefix(told, "flow.yaml:") {
				t.Fatal(told, err)
			}
			d.write(t, "ok", "")
			if tt.change != "" {
				d.write(t, "flow.yaml", strings.ReplaceAll(file, "old", tt.change))
			}
			d.compare(t, tt.flags...)
		})
	}
}

// The same of a run that was cut off after any of its records, in the middle of the next one.
func TestDryRunOfRunsThatWereCutOff(t *testing.T) {
	k := newKilled(t)
	k.flow(0, "run", "flow.yaml", "--run-dir", "run")
	k.flow(0, "resume", "run", "--answer", "sure=yes")
	d := dryDir(k.dir)
	lines := strings.SplitAfter(d.read(t, "run/journal.jsonl"), "\n")
	for n := 1; n < len(lines)-1; n += max(len(lines)/12, 1) {
		next := lines[n]
		d.write(t, "run/journal.jsonl", strings.Join(lines[:n], "")+next[:len(next)/2])
		if d.compare(t); t.Failed() {
			t.Fatalf("it was cut off after record %d: %s%s", n, lines[n-1], next)
		}
	}
}

// A dryDir is a folder with a workflow and its run.
type dryDir string

func (d dryDir) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(d), name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d dryDir) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(string(d), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// flow runs the program. It returns what that prints, and what it tells.
func (d dryDir) flow(args ...string) (out, told string, err error) {
	run := exec.Command("flow", args...)
	run.Dir, run.Env = string(d), append(os.Environ(), "CI=true")
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	err = run.Run()
	return stdout.String(), stderr.String(), err
}

// snapshot is all that is in the folder, and when it was changed.
func (d dryDir) snapshot(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(string(d), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String() + info.ModTime().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] += string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// compare compares a dry run with the resume after it.
func (d dryDir) compare(t *testing.T, flags ...string) {
	t.Helper()
	before := d.snapshot(t)
	out, told, err := d.flow(append([]string{"resume", "run", "--dry-run", "--output", "json"}, flags...)...)
	if err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	if diff := cmp.Diff(before, d.snapshot(t)); diff != "" {
		t.Errorf("the dry run has changed something (-before +after):\n%s", diff)
	}
	var dry struct {
		Units []struct {
			Unit journal.Address
			Why  string
		}
	}
	if err := json.Unmarshal([]byte(out), &dry); err != nil {
		t.Fatal(err)
	}
	named, unsure := map[string]bool{}, []journal.Address{}
	for _, u := range dry.Units {
		if u.Why == "unknown" {
			unsure = append(unsure, u.Unit)
		} else {
			named[u.Unit.String()] = true
		}
	}
	old := strings.LastIndexByte(d.read(t, "run/journal.jsonl"), '\n') + 1
	_, told, _ = d.flow(append([]string{"resume", "run"}, flags...)...)
	began := d.began(t, old)
	for unit := range named {
		if !slices.Contains(began, unit) {
			t.Errorf("the dry run named %s, which did not begin", unit)
		}
	}
	for _, unit := range began {
		u, err := journal.ParseAddress(unit)
		if err != nil {
			t.Fatal(err)
		}
		if !named[unit] && !slices.ContainsFunc(unsure, func(around journal.Address) bool { return around.Contains(u) }) {
			t.Errorf("the dry run did not name %s, which began", unit)
		}
	}
	if t.Failed() {
		t.Logf("it said: %s\nand the resume: %s", out, told)
	}
}

// began are the units, without attempts, that began to work since the journal had so many bytes. A
// unit with others inside it does not work itself.
func (d dryDir) began(t *testing.T, since int) (all []string) {
	t.Helper()
	var began, heard []journal.Address
	size := 0
	for line := range strings.Lines(d.read(t, "run/journal.jsonl")) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		u := r.Unit.WithoutAttempts()
		if size += len(line); size > since && r.Kind == journal.Began && !slices.Contains(began, u) {
			began = append(began, u)
		}
		heard = append(heard, u)
	}
	for _, u := range began {
		if !slices.ContainsFunc(heard, func(other journal.Address) bool { return other != u && u.Contains(other) }) {
			all = append(all, u.String())
		}
	}
	return all
}
