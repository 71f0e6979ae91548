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
	"syscall"
	"testing"
	"time"
)

// killedFlow is what is killed at random times: it has everything that a run can come
// to, and waits for a person. Its model notes with a tool that may have any effect, so
// that none of its calls may be made twice. A step with once, too, takes effect once.
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
  deployed: "${{ trim(steps.deploy.text) }}"
budget: {tokens: 100000}
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
  - {id: deploy, needs: [pages, loop, checked, flaky, again, used, sure], once: true, run: "echo x >> deployed; sleep 0.1; echo done"}
  - {id: last, needs: [deploy], prompt: "last", tools: [note]}
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
    - {delay: DELAY, usage: {input_tokens: 10, output_tokens: 1}, calls: [{name: note, arguments: {what: "page-${{ prompt }}-1"}}, {name: note, arguments: {what: "page-${{ prompt }}-2"}}]}
    - {delay: DELAY, usage: {input_tokens: 20, output_tokens: 2}, calls: [{name: note, arguments: {what: "page-${{ prompt }}-3"}}]}
    - {usage: {input_tokens: 30, output_tokens: 3}, text: "did ${{ prompt }}"}
  loop/look:
    - {delay: DELAY, usage: {input_tokens: 100}, calls: [{name: note, arguments: {what: "${{ prompt }}"}}]}
    - {text: "did ${{ prompt }}"}
  checked:
    - {delay: DELAY, calls: [{name: note, arguments: {what: "${{ prompt }}"}}]}
    - {delay: DELAY, usage: {output_tokens: 200}, text: bad}
    - {usage: {output_tokens: 300}, text: good}
  inner:
    - {delay: DELAY, usage: {input_tokens: 1000}, calls: [{name: note, arguments: {what: "${{ prompt }}"}}]}
    - {delay: DELAY, text: "did ${{ prompt }}"}
  last:
    - {delay: DELAY, usage: {input_tokens: 10000}, calls: [{name: note, arguments: {what: "last"}}]}
    - {text: "did all"}
`

// The program, killed at random times until it comes to its end, comes to the same
// result: no answer is asked for twice, no call is made twice, and what was used is the
// same. Each time another number of steps may run at once, and in each run models take
// another time to answer. FLOW_KILLS says how many runs are killed so.
func TestKilledAtRandomTimes(t *testing.T) {
	runs := 2
	if n, err := strconv.Atoi(os.Getenv("FLOW_KILLS")); err == nil {
		runs = n
	}
	first := newKilled(t)
	began := time.Now()
	first.flow(0, "run", "flow.yaml", "--run-dir", "run")
	if !first.waits() {
		t.Fatalf("it does not wait: %v: %s", first.err, first.said)
	}
	first.flow(0, "resume", "run", "--answer", "sure=yes")
	if first.err != nil {
		t.Fatalf("%v: %s", first.err, first.said)
	}
	took, total := time.Since(began), killed{}
	for n := range runs {
		k := newKilled(t)
		for times := 0; times == 0 || k.err != nil; times++ {
			if times > 200 {
				t.Fatalf("run %d does not come to an end: %v: %s", n, k.err, k.said)
			}
			limit := rand.N(took)
			if times > 20 {
				limit = 0
			}
			k.goOn(limit)
		}
		if k.said != first.said {
			t.Errorf("run %d: %s, want %s", n, k.said, first.said)
		}
		if got, want := k.usage(), first.usage(); got != want {
			t.Errorf("run %d used %s, want %s", n, got, want)
		}
		k.check()
		total.kills, total.resumed, total.unknown = total.kills+k.kills, total.resumed+k.resumed, total.unknown+k.unknown
	}
	t.Logf("%d runs were killed %d times, %d of these in a resume; %d times nobody knew whether it was deployed", runs, total.kills, total.resumed, total.unknown)
}

// A killed run is one in a folder of its own, with the end of the last process that
// worked in it.
type killed struct {
	t    *testing.T
	dir  string
	said string
	err  error

	kills, resumed, unknown int
}

func newKilled(t *testing.T) *killed {
	t.Helper()
	k := &killed{t: t, dir: t.TempDir()}
	script := strings.ReplaceAll(killedScript, "DELAY", (time.Millisecond + rand.N(40*time.Millisecond)).String())
	for name, content := range map[string]string{"flow.yaml": killedFlow, "used.yaml": killedUsed, "a.script.yaml": script} {
		if err := os.WriteFile(filepath.Join(k.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// goOn begins the run, or goes on with it as a person does, and kills it after a time.
func (k *killed) goOn(limit time.Duration) {
	parallel := []string{"--max-parallel", strconv.Itoa(1 + rand.N(6))}
	if info, err := os.Stat(filepath.Join(k.dir, "run", "journal.jsonl")); err != nil || info.Size() == 0 {
		if err := os.RemoveAll(filepath.Join(k.dir, "run")); err != nil { // it had not begun
			k.t.Fatal(err)
		}
		k.kills += k.flow(limit, append(parallel, "run", "flow.yaml", "--run-dir", "run")...)
		return
	}
	args := append(parallel, "resume", "run")
	if k.waits() {
		args = append(args, "--answer", "sure=yes")
	}
	if strings.Contains(k.said, "--from deploy") {
		k.unknown++
		k.undeploy()
		args = append(args, "--from", "deploy")
	}
	n := k.flow(limit, args...)
	k.kills, k.resumed = k.kills+n, k.resumed+n
}

// undeploy takes back what the step with once may have done, as a person does before it runs again.
func (k *killed) undeploy() {
	if err := os.Remove(filepath.Join(k.dir, "deployed")); err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
}

// waits reports whether the program ended since the run waits for a person.
func (k *killed) waits() bool {
	var exit *exec.ExitError
	return errors.As(k.err, &exit) && exit.ExitCode() == exitWaiting
}

// flow runs the program, and kills it after a time; 0 lets it end. It returns how often
// the program was killed.
func (k *killed) flow(limit time.Duration, args ...string) (kills int) {
	run := exec.Command("flow", append(args, "--output", "text", "--quiet")...)
	run.Dir = k.dir
	run.Env = append(os.Environ(), "CI=true")
	var out, told strings.Builder
	run.Stdout, run.Stderr = &out, &told
	if k.err = run.Start(); k.err != nil {
		k.t.Fatal(k.err)
	}
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { _ = run.Process.Kill() })
		defer timer.Stop()
	}
	k.err = run.Wait()
	k.said = out.String()
	if k.err != nil {
		k.said = told.String()
	}
	if status, is := run.ProcessState.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 1
	}
	return 0
}

// usage is what the run has used, as its result says.
func (k *killed) usage() string {
	k.t.Helper()
	data, err := os.ReadFile(filepath.Join(k.dir, "run", "run.json"))
	if err != nil {
		k.t.Fatal(err)
	}
	var result struct {
		Usage   json.RawMessage `json:"usage"`
		CostUSD json.RawMessage `json:"cost_usd"`
	}
	if err := json.Unmarshal(data, &result); err != nil {
		k.t.Fatal(err)
	}
	return string(result.Usage) + string(result.CostUSD)
}

// check looks through the journal for answers that came twice, and through the notes for
// calls that were made twice.
func (k *killed) check() {
	k.t.Helper()
	data, err := os.ReadFile(filepath.Join(k.dir, "run", "journal.jsonl"))
	if err != nil {
		k.t.Fatal(err)
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
			k.t.Errorf("%s was answered %d times", what, times)
		}
	}
	for _, name := range []string{"notes", "deployed"} {
		data, err := os.ReadFile(filepath.Join(k.dir, name))
		if err != nil {
			k.t.Fatal(err)
		}
		made := map[string]int{}
		for line := range strings.Lines(string(data)) {
			if made[line]++; made[line] > 1 {
				k.t.Errorf("%s has %q %d times", name, line, made[line])
			}
		}
	}
}
