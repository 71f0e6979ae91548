package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killedFlow is what is killed at random times: it has everything that a run can come
// to, and waits for a person. Its model notes with a tool that may have any effect, so
// that none of its calls may be made twice.
const killedFlow = `
name: killed
model: script/a.script.yaml
custom_tools:
  note:
    description: Note
    parameters: {type: object, properties: {what: {type: string}}, required: [what]}
    run: 'echo ${{ args.what }} >> notes; sleep 0.02'
outputs:
  pages: "${{ steps.pages.output }}"
  loop: "${{ steps.loop.output }}"
  checked: "${{ steps.checked.text }}"
  used: "${{ steps.used.output }}"
  sure: "${{ steps.sure.text }}"
steps:
  - {id: list, run: "echo a b c d"}
  - {id: pages, foreach: "${{ split(trim(steps.list.text), ' ') }}", max_parallel: 2, prompt: "page ${{ item }}", tools: [note]}
  - id: loop
    until: "round > 1"
    steps: [{id: look, prompt: "look ${{ round }}", tools: [note]}]
  - {id: checked, needs: [list], prompt: "checked", tools: [note], checks: [{expr: "text == 'good'"}, {run: "test -s notes"}], max_fixes: 2}
  - {id: flaky, needs: [list], retry: {max_attempts: 3, backoff: 10ms}, run: "echo x >> flaky; test $(wc -l < flaky) -ge 2"}
  - id: again
    needs: [list]
    foreach: [1, 2]
    max_parallel: 2
    retry: {max_attempts: 2, backoff: 10ms}
    steps:
      - {id: first, run: "echo x >> again${{ item }}"}
      - {id: second, run: "test $(wc -l < again${{ item }}) -ge 2"}
      - {id: used, uses: used.yaml, with: {what: "again ${{ item }}"}}
  - {id: used, needs: [list], uses: used.yaml, with: {what: "${{ steps.list.text }}"}}
  - {id: sure, needs: [list], ask: "Go on?", choices: ["yes", "no"]}
  - {id: last, needs: [loop, checked, flaky, again, used, sure], prompt: "last", tools: [note]}
`

const killedUsed = `
name: used
model: script/a.script.yaml
inputs: {what: {type: string}}
outputs: {said: "${{ steps.inner.text }}"}
custom_tools:
  note:
    description: Note
    parameters: {type: object, properties: {what: {type: string}}, required: [what]}
    run: 'echo ${{ args.what }} >> notes; sleep 0.02'
steps:
  - {id: inner, prompt: "inner ${{ inputs.what }}", tools: [note]}
`

const killedScript = `
steps:
  pages:
    - calls: [{name: note, arguments: {what: "page-${{ prompt }}-1"}}, {name: note, arguments: {what: "page-${{ prompt }}-2"}}]
    - calls: [{name: note, arguments: {what: "page-${{ prompt }}-3"}}]
    - text: "did ${{ prompt }}"
  loop/look:
    - calls: [{name: note, arguments: {what: "${{ prompt }}"}}]
    - text: "did ${{ prompt }}"
  checked:
    - calls: [{name: note, arguments: {what: "${{ prompt }}"}}]
    - text: bad
    - text: good
  inner:
    - calls: [{name: note, arguments: {what: "${{ prompt }}"}}]
    - text: "did ${{ prompt }}"
  last:
    - calls: [{name: note, arguments: {what: "last"}}]
    - text: "did all"
`

// The program, killed at random times until it comes to its end, comes to the same
// result: no answer is asked for twice and no call is made twice. FLOW_KILLS says how
// many runs are killed so.
func TestKilledAtRandomTimes(t *testing.T) {
	runs := 2
	if n, err := strconv.Atoi(os.Getenv("FLOW_KILLS")); err == nil {
		runs = n
	}
	dir := killedDir(t)
	began := time.Now()
	if said, err := flowIn(dir, 0, "run", "flow.yaml", "--run-dir", "run"); !waits(err) {
		t.Fatalf("it does not wait: %v: %s", err, said)
	}
	want, err := flowIn(dir, 0, "resume", "run", "--answer", "sure=yes")
	if err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	took, kills := time.Since(began), 0
	for n := range runs {
		dir := killedDir(t)
		got, err := flowIn(dir, rand.N(took), "run", "flow.yaml", "--run-dir", "run")
		for times := 0; err != nil; times++ {
			if times > 200 {
				t.Fatalf("run %d does not come to an end: %v: %s", n, err, got)
			}
			if info, missing := os.Stat(filepath.Join(dir, "run", "journal.jsonl")); missing != nil || info.Size() == 0 {
				if err := os.RemoveAll(filepath.Join(dir, "run")); err != nil { // it had not begun
					t.Fatal(err)
				}
				got, err = flowIn(dir, rand.N(took), "run", "flow.yaml", "--run-dir", "run")
				continue
			}
			kills++
			limit := rand.N(took)
			if times > 20 {
				limit = 0
			}
			args := []string{"resume", "run"}
			if waits(err) {
				args = append(args, "--answer", "sure=yes")
			}
			got, err = flowIn(dir, limit, args...)
		}
		if got != want {
			t.Errorf("run %d: %s, want %s", n, got, want)
		}
		checkKilled(t, filepath.Join(dir, "run", "journal.jsonl"), filepath.Join(dir, "notes"))
	}
	t.Logf("%d runs were killed %d times", runs, kills)
}

// waits reports whether the program ended since the run waits for a person.
func waits(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == exitWaiting
}

func killedDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"flow.yaml": killedFlow, "used.yaml": killedUsed, "a.script.yaml": killedScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// flowIn runs the program, and kills it after a time; 0 lets it end.
func flowIn(dir string, limit time.Duration, args ...string) (string, error) {
	run := exec.Command("flow", append(args, "--output", "text", "--quiet")...)
	run.Dir = dir
	run.Env = append(os.Environ(), "CI=true")
	var out, told strings.Builder
	run.Stdout, run.Stderr = &out, &told
	if err := run.Start(); err != nil {
		return "", err
	}
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { _ = run.Process.Kill() })
		defer timer.Stop()
	}
	err := run.Wait()
	if err != nil {
		return told.String(), err
	}
	return out.String(), nil
}

// checkKilled looks through a journal for answers that came twice, and through the
// notes for calls that were made twice.
func checkKilled(t *testing.T, journal, notes string) {
	t.Helper()
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for line := range strings.Lines(string(data)) {
		var r struct {
			Kind, Unit string
			Data       struct{ Turn int }
		}
		if json.Unmarshal([]byte(line), &r) == nil && r.Kind == "said" {
			said[r.Unit+" "+strconv.Itoa(r.Data.Turn)]++
		}
	}
	for what, times := range said {
		if times > 1 {
			t.Errorf("%s was answered %d times", what, times)
		}
	}
	data, err = os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for line := range strings.Lines(string(data)) {
		if made[line]++; made[line] > 1 {
			t.Errorf("the call that notes %q was made %d times", line, made[line])
		}
	}
}
