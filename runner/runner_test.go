package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func TestOrderAndConditions(t *testing.T) {
	tests := []struct {
		name, steps, want string
		status            steps.Status
	}{
		{"in sequence", `
- {id: a, run: "true"}
- {id: b, run: "true"}`, "a=succeeded b=succeeded", steps.Succeeded},
		{"what needs a failed step is skipped", `
- {id: a, run: "false"}
- {id: b, run: "true"}`, "a=failed b=skipped", steps.Failed},
		{"a step skipped by its own condition holds nothing up", `
- {id: a, if: "1 > 2", run: "true"}
- {id: b, run: "true"}`, "a=skipped b=succeeded", steps.Succeeded},
		{"status functions", `
- {id: a, run: "false"}
- {id: b, if: success(), run: "true"}
- {id: c, if: failure(), run: "true"}
- {id: d, if: always(), run: "true"}
- {id: e, if: "always() and 1 > 2", run: "true"}`, "a=failed b=skipped c=succeeded d=succeeded e=skipped", steps.Failed},
		{"on_error: continue", `
- {id: a, run: "false", on_error: continue}
- {id: b, run: "true"}
- {id: c, if: failure(), run: "true"}`, "a=failed b=succeeded c=skipped", steps.Succeeded},
		{"running siblings of a failure are cancelled", `
- {id: slow, run: "sleep 60"}
- {id: bad, needs: [], run: "false"}`, "slow=cancelled bad=failed", steps.Failed},
		{"a group fails as its steps do", `
- id: g
  steps:
    - {id: x, run: "true"}
    - {id: y, run: "exit 4"}
- {id: after, run: "true"}`, "g=failed g/x=succeeded g/y=failed after=skipped", steps.Failed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newTrial(t).run("name: t\nsteps:" + strings.ReplaceAll(test.steps, "\n", "\n  "))
			if got := statuses(r); got != test.want || r.Status != test.status {
				t.Errorf("got %s (%s), want %s (%s)", got, r.Status, test.want, test.status)
			}
		})
	}
}

func TestFirstFailureInTheFilesOrderIsTold(t *testing.T) {
	r := newTrial(t).run(`
name: t
steps:
  - {id: slow, run: "sleep 60"}
  - id: g
    needs: []
    steps: [{id: bad, run: "exit 7"}]
`)
	if r.Error == nil || r.Error.Step != "g/bad" || r.Error.Kind != steps.KindCommand {
		t.Errorf("got %+v, want the command of g/bad", r.Error)
	}
}

func TestForeachKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t)
		var ended []string
		tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
			first := req.Prompt == "0:3"
			if time.Sleep(time.Second); first {
				time.Sleep(time.Minute)
			}
			tr.mu.Lock()
			defer tr.mu.Unlock()
			ended = append(ended, req.Prompt)
			return says(req.Prompt), nil
		}
		tr.change = func(o *Options) { o.MaxParallel = 2 }
		r := tr.run(`
name: t
model: openai/m
steps:
  - id: race
    foreach: ${{ [3, 2, 1] }}
    prompt: ${{ index }}:${{ item }}
  - id: pairs
    foreach: "${{ {\"b\": 2, \"a\": 1} }}"
    as: pair
    prompt: ${{ pair.key }}${{ pair.value }}
outputs:
  all: ${{ join(map(steps.race.results, .output), " ") }}
  pairs: ${{ join(map(steps.pairs.results, .text), " ") }}
`)
		if got, want := r.Text(), "all: 0:3 1:2 2:1\npairs: a1 b2"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := strings.Join(ended[:3], " "); got != "1:2 2:1 0:3" {
			t.Errorf("they ended in the order %s", got)
		}
	})
}

func TestForeachFailures(t *testing.T) {
	const source = `
name: t
steps:
  - id: each
    foreach: ${{ [1, 2, 3] }}
    max_parallel: 1
    on_error: %s
    run: test ${{ item }} != 2
  - {id: after, run: "true"}
`
	for mode, want := range map[string]string{
		"fail":     "each=failed after=skipped: succeeded failed cancelled",
		"continue": "each=failed after=succeeded: succeeded failed succeeded",
	} {
		r := newTrial(t).run(fmt.Sprintf(source, mode))
		var elements []string
		for _, e := range elementsOf(t, r.Steps[0]) {
			elements = append(elements, string(e.Status))
		}
		if got := statuses(r) + ": " + strings.Join(elements, " "); got != want {
			t.Errorf("on_error: %s: got %s, want %s", mode, got, want)
		}
	}
}

func TestRounds(t *testing.T) {
	const source = `
name: t
steps:
  - id: polish
    until: steps.count.output >= 3
    max_rounds: %d
    steps:
      - {id: note, run: "echo ${{ round }} >> rounds"}
      - {id: count, run: grep -c . rounds, output: json}
`
	tr := newTrial(t)
	r := tr.run(fmt.Sprintf(source, 6))
	if r.Status != steps.Succeeded || tr.file("rounds") != "1\n2\n3\n" || r.Steps[0].Rounds != 3 {
		t.Errorf("status %s after %d rounds: %q", r.Status, r.Steps[0].Rounds, tr.file("rounds"))
	}
	out := newTrial(t).run(fmt.Sprintf(source, 2))
	if out.Status != steps.Stopped || out.Steps[0].StopReason != steps.ReasonMaxRounds {
		t.Errorf("out of rounds: %s, %s", out.Status, out.Steps[0].StopReason)
	}
}

func TestRetryOfAStep(t *testing.T) {
	tr := newTrial(t)
	r := tr.run(`
name: t
steps:
  - id: flaky
    retry: {max_attempts: 3, backoff: 10ms}
    run: echo x >> tries; test $(grep -c . tries) -ge 3
  - id: slow
    retry: {max_attempts: 3, backoff: 10ms}
    timeout: 500ms
    run: sleep 60
`)
	if got, want := statuses(r), "flaky=succeeded slow=stopped"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.Steps[0].Attempts != 3 || r.Steps[1].Attempts > 1 {
		t.Errorf("%d attempts, and %d of what was out of time", r.Steps[0].Attempts, r.Steps[1].Attempts)
	}
}

func TestEventsOfLaterAttemptsSaySo(t *testing.T) {
	tr := newTrial(t)
	var asked atomic.Int32
	tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
		if asked.Add(1) == 1 {
			return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded, Message: "not now"}
		}
		return says("there"), nil
	}
	tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, retry: {max_attempts: 2, backoff: 1ms}, prompt: hi}\n")
	var told []string
	for _, e := range tr.events {
		if e.Step != "" {
			told = append(told, fmt.Sprintf("%s:%d", e.Type, e.StepAttempt))
		}
	}
	want := "step_started:0 turn_started:0 retry:2 turn_started:2 block_started:2 block_finished:2 turn_finished:2 step_finished:0"
	if got := strings.Join(told, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUsedWorkflow(t *testing.T) {
	tr := newTrial(t)
	write(t, tr.dir, "greet.yaml", `
name: greet
model: script/none.yaml
inputs: {name: {type: string}}
steps:
  - {id: say, prompt: "Greet ${{ inputs.name }}."}
outputs: {greeting: "${{ steps.say.text }}"}
`)
	write(t, tr.dir, "none.yaml", "steps: {}\n")
	var layers [][]Layer
	tr.change = func(o *Options) {
		find := o.Tools
		o.Tools = func(ctx context.Context, s ToolScope) (Toolbox, error) {
			layers = append(layers, s.Layers)
			return find(ctx, s)
		}
	}
	r := tr.run(`
name: outer
steps:
  - {id: greet, uses: greet.yaml, with: {name: Ada}}
outputs: {said: "${{ steps.greet.output.greeting }}"}
`)
	if got, want := r.Text(), "said: Greet Ada."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := statuses(r), "greet=succeeded greet/say=succeeded"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(layers) != 1 || len(layers[0]) != 2 || layers[0][0].Workflow.Name != "outer" || layers[0][1].Workflow.Name != "greet" {
		t.Errorf("the caller's rules do not stand above those of the used workflow: %+v", layers)
	}
}

func TestInterruptEndsEverything(t *testing.T) {
	tr := newTrial(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	tr.ctx = ctx
	tr.change = func(o *Options) {
		observe := o.Observe
		o.Observe = func(e Event) {
			observe(e)
			if e.Type == StepStarted && e.Step == "slow" {
				cancel(errors.New("SIGINT"))
			}
		}
	}
	r := tr.run(`
name: t
steps:
  - {id: quick, run: "true"}
  - {id: slow, run: "sleep 100000"}
  - {id: never, if: always(), run: touch never}
`)
	if got, want := statuses(r), "quick=succeeded slow=cancelled never=skipped"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.Status != steps.Cancelled || r.Error.Kind != steps.KindCancelled {
		t.Errorf("status %s, error %+v", r.Status, r.Error)
	}
	var written map[string]any
	if err := json.Unmarshal([]byte(tr.file("run/run.json")), &written); err != nil || written["status"] != "cancelled" {
		t.Errorf("run.json: %v, %v", written["status"], err)
	}
}

func TestAgentsInParallel(t *testing.T) {
	tr := newTrial(t)
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		var turn int
		for _, m := range req.Messages {
			if m.Role == providers.RoleAssistant {
				turn++
			}
		}
		if turn < 9 {
			m := calls("one", "two", "three")
			for i := range m.Blocks {
				m.Blocks[i].Arguments = json.RawMessage(fmt.Sprintf(`{"place": %q, "turn": %d, "n": %d}`, req.Conversation, turn, i))
			}
			return m, nil
		}
		last := req.Messages[len(req.Messages)-1]
		return says(last.Blocks[2].Content), nil
	}
	r := tr.run(`
name: t
model: openai/x
tools: [one, two, three]
steps:
  - id: each
    foreach: ${{ 1..64 }}
    max_parallel: 64
    prompt: "Work on ${{ item }}."
`)
	if r.Status != steps.Succeeded || len(elementsOf(t, r.Steps[0])) != 64 {
		t.Fatalf("status %s, %d results: %+v", r.Status, len(elementsOf(t, r.Steps[0])), r.Error)
	}
	for i, e := range elementsOf(t, r.Steps[0]) {
		want := fmt.Sprintf(`echo {"n":2,"place":"each[%d]~1","turn":8}`, i)
		if e.Text != want || e.Turns != 10 || e.ToolCalls != 27 || e.Item != i+1 {
			t.Errorf("element %d (%v): %d turns, %d calls, %q; want %q", i, e.Item, e.Turns, e.ToolCalls, e.Text, want)
		}
	}
}

func TestFoldersThatCantBeWritten(t *testing.T) {
	tr := newTrial(t)
	write(t, tr.dir, "file", "")
	tr.change = func(o *Options) { o.Dir = filepath.Join(tr.dir, "file", "run") }
	if _, err := tr.try("name: t\nsteps:\n  - run: touch ran\n"); err == nil {
		t.Error("a folder that can't be made is no error")
	}
	tr.change = nil
	tr.run("name: t\nsteps:\n  - run: 'true'\n")
	if _, err := tr.try("name: t\nsteps:\n  - run: touch ran\n"); err == nil || !strings.Contains(err.Error(), "it already contains a run") {
		t.Errorf("the folder of another run was taken: %v", err)
	}
	if _, err := os.Stat(filepath.Join(tr.dir, "ran")); err == nil {
		t.Error("a step ran although there is no folder")
	}
}

// A run that could not begin leaves nothing that keeps the next one from beginning there, and
// the error says what was wrong.
func TestFoldersInWhichNoRunBegan(t *testing.T) {
	const source = "name: t\nsteps:\n  - run: 'true'\n"
	tr := newTrial(t)
	tr.write("run/outputs", "not a folder")
	_, err := tr.try(source)
	var own *steps.Error
	if !errors.As(err, &own) || own.Kind != steps.KindInvalidInput || own.Option != OptionDir || strings.Contains(err.Error(), "it already contains a run") {
		t.Fatalf("outputs can't be made: %v", err)
	}
	if cause := new(fs.PathError); !errors.As(err, &cause) || !strings.Contains(err.Error(), "outputs") {
		t.Errorf("the cause is lost: %v", err)
	}
	if err := os.Remove(filepath.Join(tr.dir, "run/outputs")); err != nil {
		t.Fatal(err)
	}
	if r := tr.run(source); r.Status != steps.Succeeded {
		t.Errorf("%s: %v", r.Status, r.Error)
	}

	tr = newTrial(t)
	tr.write("run/journal.jsonl", "") // as a process that is killed leaves it
	if r := tr.run(source); r.Status != steps.Succeeded {
		t.Errorf("%s: %v", r.Status, r.Error)
	}

	tr = newTrial(t)
	if err := os.Symlink("gone", filepath.Join(tr.dir, "run")); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.try(source); err == nil || strings.Contains(err.Error(), "it already contains a run") || !errors.Is(err, fs.ErrExist) {
		t.Errorf("a symlink that leads nowhere: %v", err)
	}
}

func TestPriceMustBeKnownWhereCostsAreLimited(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Price = func(string, providers.Usage) (float64, bool) { return 0, false } }
	const source = "name: t\nmodel: openai/x\nbudget: {cost_usd: 1}\n%ssteps:\n  - prompt: Hi.\n"
	_, err := tr.try(fmt.Sprintf(source, ""))
	if steps.KindOf(err) != steps.KindConfiguration {
		t.Errorf("got %v, want a mistake of configuration", err)
	}
	r := tr.run(fmt.Sprintf(source, "prices: {openai/x: {input: 1, output: 2}}\n"))
	if r.Status != steps.Succeeded {
		t.Errorf("with a price of the workflow's: %+v", r.Error)
	}
}

func TestUnknownPriceIsNull(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Price = func(string, providers.Usage) (float64, bool) { return 0, false } }
	tr.run("name: t\nmodel: openai/x\nsteps:\n  - {id: a, prompt: Hi.}\n")
	var written struct {
		Cost     *float64 `json:"cost_usd"`
		Unpriced []string `json:"unpriced_models"`
		Steps    map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(tr.file("run/run.json")), &written); err != nil {
		t.Fatal(err)
	}
	cost, there := written.Steps["a"]["cost_usd"]
	if written.Cost != nil || len(written.Unpriced) != 1 || !there || cost != nil {
		t.Errorf("cost %v, unpriced %v, step's %v (%v)", written.Cost, written.Unpriced, cost, there)
	}
}

func TestCrashIsAFailure(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) { panic("a bug") }
	}
	r := tr.run("name: t\nmodel: openai/x\nsteps:\n  - {id: a, prompt: Hi.}\n  - {id: b, run: 'true'}\n")
	if got, want := statuses(r), "a=failed b=skipped"; got != want || r.Error.Kind != steps.KindInternal {
		t.Errorf("got %s, %+v; want %s, internal", got, r.Error, want)
	}
}

func TestSecretsAreMaskedInTheFolder(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Mask = tools.NewMask([]string{"tok-5f2e9c"}) }
	tr.run("name: t\nmodel: openai/x\nsteps:\n  - {id: a, run: echo tok-5f2e9c}\n  - {prompt: 'It is ${{ steps.a.text }}.'}\n")
	err := filepath.WalkDir(filepath.Join(tr.dir, "run"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "tok-5f2e9c") {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestModelsOfCallersAndFlags(t *testing.T) {
	tr := newTrial(t)
	var asked []string
	tr.change = func(o *Options) {
		o.Models = func(ref string, _ *workflows.Workflow) (providers.Model, error) {
			asked = append(asked, ref)
			return fakeModel{ref, tr.answer}, nil
		}
	}
	const source = "name: t\nmodels: {fast: openai/small}\nmodel: fast\nsteps:\n  - {prompt: Hi.}\n"
	tr.run(source)
	if asked[len(asked)-1] != "openai/small" {
		t.Errorf("asked %v, want what the short name stands for", asked)
	}
	tr = newTrial(t)
	tr.change = func(o *Options) {
		o.Model = "openai/other"
		o.Models = func(ref string, _ *workflows.Workflow) (providers.Model, error) {
			asked = append(asked, ref)
			return fakeModel{ref, tr.answer}, nil
		}
	}
	tr.run(source)
	if asked[len(asked)-1] != "openai/other" {
		t.Errorf("asked %v, want the one of the command line", asked)
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOneAtATimeKeepsTheOrder(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.MaxParallel = 1 }
	r := tr.run(`
name: t
steps:
  - {id: a, run: printf a >> log}
  - {id: b, needs: [], run: printf b >> log}
  - {id: c, needs: [], run: printf c >> log}
  - id: f
    needs: []
    foreach: ${{ 1..4 }}
    run: printf ${{ item }} >> log
`)
	if got := tr.file("log"); r.Status != steps.Succeeded || got != "abc1234" {
		t.Errorf("status %s, they ran in the order %q", r.Status, got)
	}
}

func TestElementsStartInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t)
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			time.Sleep(time.Second)
			return says("done"), nil
		}
		tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: f, foreach: '${{ 1..16 }}', max_parallel: 5, prompt: hi}\n")
		next := 0
		for _, e := range tr.events {
			if e.Type == StepStarted && e.Index != nil {
				if *e.Index/5 != next/5 { // the order of those that begin at the same moment is not promised
					t.Fatalf("element %d started as number %d", *e.Index, next)
				}
				next++
			}
		}
		if next != 16 {
			t.Errorf("%d elements started", next)
		}
	})
}

func TestInterruptedElementsAreCancelled(t *testing.T) {
	tr := newTrial(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	tr.ctx = ctx
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if e.Type == StepStarted && e.Index != nil {
				cancel(errors.New("interrupted by SIGINT"))
			}
		}
	}
	r := tr.run("name: t\nsteps:\n  - {id: f, foreach: '${{ 1..8 }}', max_parallel: 1, run: sleep 60}\n")
	for _, e := range elementsOf(t, r.Steps[0]) {
		if e.Status != steps.Cancelled || e.Error == nil || e.Error.Kind != steps.KindCancelled {
			t.Errorf("element %d: %s, %+v", e.Index, e.Status, e.Error)
		}
	}
	if r.Text() != "" {
		t.Errorf("it says %q, but nothing is known", r.Text())
	}
}

func TestRunFolderThatIsRemoved(t *testing.T) {
	tr := newTrial(t)
	elsewhere := t.TempDir()
	r := tr.run("name: t\nsteps:\n  - {id: a, run: \"rm -rf run && ln -s " + elsewhere + " run\"}\n  - {id: b, run: 'true'}\n")
	if r.Status == steps.Succeeded || r.Error.Kind != steps.KindInternal || !strings.Contains(r.Error.Message, "no such file") && !strings.Contains(r.Error.Message, "removed or replaced") {
		t.Errorf("status %s, error %+v", r.Status, r.Error)
	}
	if found, _ := os.ReadDir(elsewhere); len(found) != 0 {
		t.Errorf("the run wrote %v to what stands in the folder's place", found)
	}
}

func TestDeadlineInTheWaitForAnotherAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t)
		began := time.Now()
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded, Message: "not now"}
		}
		r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, retry: {max_attempts: 3, backoff: 30s}, timeout: 20s, prompt: hi}\n")
		s := r.Steps[0]
		if s.Status != steps.Stopped || s.StopReason != steps.ReasonTimeout || s.Error.Kind != steps.KindTimeout || s.Attempts > 1 {
			t.Errorf("got %s, %s, %+v after %d attempts", s.Status, s.StopReason, s.Error, s.Attempts)
		}
		if !strings.Contains(s.Error.Message, "before another attempt: ") || !strings.Contains(s.Error.Message, "not now") || time.Since(began) != 20*time.Second {
			t.Errorf("after %v: %s", time.Since(began), s.Error.Message)
		}
	})
}

// TestUsageOfWhatIsCutShort: what the attempts before a pause have used counts although the pause
// is where the step's time is up.
func TestUsageOfWhatIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t)
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			m := says("no")
			m.Usage = providers.Usage{InputTokens: 7, OutputTokens: 3}
			return m, nil
		}
		r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, retry: {max_attempts: 5, backoff: 5s}, timeout: 20s, max_fixes: 0, checks: [{expr: text == \"yes\"}], prompt: hi}\n")
		s := r.Steps[0]
		if s.Status != steps.Stopped || s.Attempts != 3 || s.Usage.Total() != 30 || s.Turns != 3 || r.Usage.Total() != 30 {
			t.Errorf("%s after %d attempts and %d turns, %+v of %+v", s.Status, s.Attempts, s.Turns, s.Usage, r.Usage)
		}
	})
}

func TestWhatIsInsideOfElementsIsTold(t *testing.T) {
	tr := newTrial(t)
	tr.run(`
name: t
steps:
  - id: g
    foreach: ${{ ["x", "y"] }}
    steps:
      - {id: a, run: "echo ${{ item }}"}
`)
	var written struct {
		Steps map[string]struct {
			Results []struct {
				Steps map[string]struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal([]byte(tr.file("run/run.json")), &written); err != nil {
		t.Fatal(err)
	}
	results := written.Steps["g"].Results
	if len(results) != 2 || results[0].Steps["g/a"].Text != "x" || results[1].Steps["g/a"].Text != "y" {
		t.Errorf("got %+v", results)
	}
}

func TestNoModelIsFoundBeforeAnythingRuns(t *testing.T) {
	tr := newTrial(t)
	write(t, tr.dir, "used.yaml", "name: used\nsteps:\n  - {id: ask, prompt: Hi.}\n")
	for _, source := range []string{
		"name: t\nsteps:\n  - run: touch ran\n  - {prompt: Hi.}\n",
		"name: t\nsteps:\n  - run: touch ran\n  - {uses: used.yaml}\n",
	} {
		if _, err := tr.try(source); steps.KindOf(err) != steps.KindConfiguration {
			t.Errorf("got %v, want a mistake of configuration", err)
		}
	}
	if _, err := os.Stat(filepath.Join(tr.dir, "ran")); err == nil {
		t.Error("a step ran")
	}
}

func TestObserverThatPanics(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if e.Type == StepFinished {
				panic("a bug of the caller's")
			}
		}
	}
	r := tr.run("name: t\nsteps:\n  - {id: a, run: 'true'}\n  - {id: b, run: 'true'}\n")
	if r.Status != steps.Failed || r.Error.Kind != steps.KindInternal || !strings.Contains(r.Error.Message, "a bug of the caller's") {
		t.Errorf("status %s, error %+v", r.Status, r.Error)
	}
}

func TestForeachOfMaps(t *testing.T) {
	r := newTrial(t).run(`
name: t
steps:
  - id: plain
    foreach: "${{ {\"b\": 2, \"a\": 1} }}"
    run: printf '%s=%s' ${{ item.key }} ${{ item.value }}
  - id: groups
    foreach: "${{ groupBy([1, 2, 3], # % 2) }}"
    run: printf '%s:%s' ${{ item.key }} ${{ len(item.value) }}
outputs:
  plain: ${{ join(map(steps.plain.results, .text), " ") }}
  groups: ${{ join(map(steps.groups.results, .text), " ") }}
`)
	if got, want := r.Text(), "plain: a=1 b=2\ngroups: 0:1 1:2"; got != want {
		t.Errorf("got %q, want %q: %+v", got, want, r.Error)
	}
}

func TestNumbersAreNotMasked(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Mask = tools.NewMask([]string{"12345678"}) }
	tr.run("name: t\nsteps:\n  - {id: a, run: 'echo 12345678', output: json}\n")
	if data := tr.file("run/run.json"); !json.Valid([]byte(data)) || !strings.Contains(data, `"output": 12345678`) || strings.Contains(data, `"12345678`) {
		t.Errorf("run.json is %s", data)
	}
}

func TestFilesOfExpressions(t *testing.T) {
	tr := newTrial(t)
	for _, name := range []string{"b.txt", "a.txt", "a/x.txt", "deep/er/c.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(tr.dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, tr.dir, name, "in "+name)
	}
	r := tr.run("name: t\nsteps:\n  - run: 'true'\noutputs:\n  all: ${{ join(glob(\"**/*.txt\"), \" \") }}\n  one: ${{ file(\"a/x.txt\") }}\n")
	if got, want := r.Text(), "all: a.txt a/x.txt b.txt deep/er/c.txt\none: in a/x.txt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r = newTrial(t).run("name: t\nsteps:\n  - {id: a, run: \"echo ${{ file('gone.txt') }}\"}\n")
	if r.Error == nil || !strings.Contains(r.Error.Message, "gone.txt") {
		t.Errorf("a missing file: %+v", r.Error)
	}
}

func TestWorkspace(t *testing.T) {
	tr := newTrial(t)
	if err := os.MkdirAll(filepath.Join(tr.dir, "sub", "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, tr.dir, "used.yaml", "name: used\nworkspace: inner\nsteps:\n  - run: touch used\n")
	source := "name: t\nworkspace: " + filepath.Join(tr.dir, "sub") + "\nsteps:\n  - run: touch here\n  - uses: used.yaml\n"
	tr.change = func(o *Options) { o.Workspace = "" }
	if r := tr.run(source); r.Status != steps.Succeeded {
		t.Fatalf("as the workflow says: %+v", r.Error)
	}
	tr.file("sub/here")
	tr.file("sub/inner/used")
	tr.change = func(o *Options) {
		o.Workspace, o.Dir = filepath.Join(tr.dir, "sub", "inner"), filepath.Join(tr.dir, "run2")
	}
	if r := tr.run(strings.Replace(source, "  - uses: used.yaml\n", "", 1)); r.Status != steps.Succeeded {
		t.Fatalf("as the caller says: %+v", r.Error)
	}
	tr.file("sub/inner/here")
	tr.change = nil
	out := newTrial(t)
	write(t, out.dir, "used.yaml", "name: used\nworkspace: ..\nsteps:\n  - run: touch used\n")
	if r := out.run("name: t\nsteps:\n  - uses: used.yaml\n"); r.Status != steps.Failed || r.Error.Kind != steps.KindDenied {
		t.Errorf("outside of its caller's: %s, %+v", r.Status, r.Error)
	}
}

func TestUsedWorkflowTakesItsCallersModel(t *testing.T) {
	for _, test := range []struct{ name, caller, used, want string }{
		{"none of its own", "model: fast\nmodels: {fast: openai/a}", "", "openai/a from flow.yaml"},
		{"its own", "model: openai/a", "model: openai/b", "openai/b from used.yaml"},
		{"by an expression of the caller's", "model: ${{ inputs.m }}\ninputs: {m: {type: string, default: openai/c}}", "", "openai/c from flow.yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			write(t, tr.dir, "used.yaml", "name: used\n"+test.used+"\nsteps:\n  - {id: ask, prompt: Hi.}\n")
			var asked []string
			tr.change = func(o *Options) {
				o.Models = func(ref string, w *workflows.Workflow) (providers.Model, error) {
					asked = append(asked, ref+" from "+filepath.Base(w.File))
					return fakeModel{ref, tr.answer}, nil
				}
			}
			r := tr.run("name: t\n" + test.caller + "\nsteps:\n  - {uses: used.yaml}\n")
			if r.Status != steps.Succeeded || len(asked) == 0 || asked[len(asked)-1] != test.want {
				t.Errorf("%s: asked %v, want %s", r.Status, asked, test.want)
			}
		})
	}
}
