package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/google/go-cmp/cmp"
)

// everything is a workflow that has everything that a run can come to.
const everything = `
name: everything
model: fake/one
inputs:
  words: {type: array, default: [a, b, c, d, e]}
outputs:
  all: "${{ steps.pages.output }}"
  last: "${{ steps.last.text }}"
  loop: "${{ steps.loop.output }}"
  early: "${{ steps.early.output }}"
steps:
  - {id: list, run: "echo x >> list.count; echo one two"}
  - id: pages
    foreach: "${{ inputs.words }}"
    max_parallel: 2
    prompt: "write ${{ item }} of ${{ steps.list.text }}"
    tools: [note, echo]
  - id: fails
    needs: []
    foreach: "${{ 1..3 }}"
    on_error: continue
    run: "echo x >> fails${{ item }}.count; test ${{ item }} -ne 2"
  - id: typed
    needs: [pages]
    prompt: "typed"
    output: {type: object, required: [n], properties: {n: {type: integer}}}
    checks: [{expr: "output.n > 1"}]
    max_fixes: 2
  - {id: maybe, needs: [list], if: "1 > 2", run: "true"}
  - id: early
    needs: [list]
    until: "round > 5"
    steps:
      - {id: e1, run: "echo x >> early.count; echo ${{ round }}"}
      - {if: "round == 2", end: succeeded}
      - {id: e2, run: "echo x >> early.count"}
    outputs: {e: "${{ steps.e1.text }}"}
  - id: loop
    needs: [typed]
    until: "round > 2"
    max_rounds: 4
    steps:
      - {id: look, prompt: "look ${{ round }}", tools: [note]}
      - {id: each, foreach: [1, 2], run: "echo x >> each.count; echo ${{ item }}"}
      - {id: knew, run: "echo ${{ previous.look.text ?? 'none' }}, ${{ previous.each.output ?? 0 }}"}
    outputs: {knew: "${{ steps.knew.text }}", before: "${{ previous.knew.text }}", round: "${{ round }}"}
  - {id: retried, needs: [list], run: "echo x >> retried.count; test $(wc -l < retried.count) -ge 2", retry: {max_attempts: 3, backoff: 1ms}}
  - {id: used, needs: [list], uses: used.yaml, with: {what: "${{ steps.list.text }}"}}
  - id: shakes
    needs: [list]
    retry: {max_attempts: 2, backoff: 1ms}
    steps:
      - {id: first, prompt: "first", tools: [note]}
      - {id: shaky, prompt: "shaky"}
  - {id: reused, needs: [list], uses: shaky.yaml, retry: {max_attempts: 2, backoff: 1ms}}
  - id: nest
    needs: [list]
    foreach: [x, y]
    max_parallel: 2
    steps:
      - {id: in, foreach: "${{ [item + '1', item + '2'] }}", as: deep, prompt: "in ${{ deep }}", tools: [note]}
      - {id: sub, uses: used.yaml, with: {what: "${{ item }} ${{ steps.in.text }}"}}
  - {id: sure, needs: [list], ask: "Go on with ${{ steps.list.text }}?", choices: [yes, no], comment: true}
  - {id: names, needs: [list], foreach: [x, y], ask: "Name of ${{ item }}?", output: {type: string}}
  - {id: last, needs: [loop, fails, maybe, used, retried, shakes, reused, nest, sure, names], if: "always()", prompt: "last ${{ steps.used.text }} ${{ steps.loop.text }} ${{ steps.nest.text }} ${{ steps.sure.text }} ${{ steps.sure.comment }} ${{ steps.names.text }}"}
`

const usedByEverything = `
name: used
model: fake/one
inputs: {what: {type: string}}
steps:
  - {id: inner, prompt: "inner ${{ inputs.what }}", tools: [note]}
`

const shakyUsed = `
name: shaky
model: fake/one
steps:
  - {id: ok, run: "echo ok"}
  - {id: shaky, prompt: "shaky ${{ steps.ok.text }}"}
`

// A journey is a run that is cut off and gone on with, in one workspace.
type journey struct {
	*trial
	mu    sync.Mutex
	asked map[string]int // how often, by conversation and turn
	noted map[string]int // calls that ran

	answered map[string]int // questions, by their addresses
}

func newJourney(t *testing.T, run string) *journey {
	j := &journey{trial: newTrial(t), asked: map[string]int{}, noted: map[string]int{}, answered: map[string]int{}}
	j.write("used.yaml", usedByEverything)
	j.write("shaky.yaml", shakyUsed)
	j.trial.answer = j.play
	j.change = func(o *Options) {
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool {
				if name == "note" {
					return []tools.Tool{noting{j}}
				}
				return []tools.Tool{echo{name}}
			}}, nil
		}
		o.Price = func(string, providers.Usage) (float64, bool) { return 0.5, true }
		o.Question = func(_ context.Context, q *Question) (any, error) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.answered[q.Address()]++
			if q.Comment {
				q.SetComment("as it is")
			}
			return q.Parse(map[bool]string{true: "yes", false: q.Wait.Question}[q.Choices != nil])
		}
		if run != "" {
			o.Dir, o.Resume = run, &Resumption{}
		}
	}
	return j
}

// play answers by what stands in the conversation, as a service does.
func (j *journey) play(_ context.Context, req providers.Request) (providers.Message, error) {
	turn := 0
	for _, m := range req.Messages {
		if m.Role == providers.RoleAssistant {
			turn++
		}
	}
	if strings.HasPrefix(req.Prompt, "shaky") && !strings.Contains(req.Conversation, "~2") {
		return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
	}
	j.mu.Lock()
	j.asked[fmt.Sprintf("%s %d", req.Conversation, turn)]++
	j.mu.Unlock()
	var m providers.Message
	switch {
	case strings.HasPrefix(req.Prompt, "typed"):
		m = says(fmt.Sprintf(`{"n": %d}`, turn))
	case len(req.Tools) > 0 && turn == 0:
		m = calls("note", "note")
		for i := range m.Blocks {
			m.Blocks[i].Arguments = json.RawMessage(fmt.Sprintf(`{"at": "%s", "n": %d}`, req.Conversation, i))
		}
	default:
		var heard []string
		for _, m := range req.Messages {
			for _, b := range m.Blocks {
				heard = append(heard, b.Content)
			}
		}
		m = says("said: " + req.Prompt + strings.Join(heard, ""))
	}
	m.Usage = providers.Usage{InputTokens: 10, OutputTokens: 5}
	return m, nil
}

// noting is a tool that may write, and counts its calls.
type noting struct{ j *journey }

func (n noting) Spec() tools.Spec {
	return tools.Spec{Name: "note", Description: "Note", Parameters: json.RawMessage(`{"type": "object"}`)}
}
func (noting) Effects(json.RawMessage) tools.Effects { return tools.Everything() }
func (n noting) Run(_ context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	n.j.noted[string(arguments)]++
	_, err := fmt.Fprint(out, "noted")
	return tools.Result{}, err
}

// whatever of a result is another each time.
var passing = regexp.MustCompile(`"(duration_ms|started_at|finished_at)": ?("[^"]*"|\d+)`)

func (tr *trial) resultIn(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		tr.t.Fatal(err)
	}
	return passing.ReplaceAllString(string(data), `"$1": 0`)
}

// cutTo copies a run as it is after n records.
func cutTo(t *testing.T, run string, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), bytes.Join(lines[:n], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "run.json")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// said and answered are what a journal has, by conversation and turn, and by call.
func journalOf(t *testing.T, dir string) (said, answered map[string]int, open map[string]bool) {
	t.Helper()
	said, answered, open = map[string]int{}, map[string]int{}, map[string]bool{}
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r struct {
			Kind string          `json:"kind"`
			Unit journal.Address `json:"unit"`
			Data struct {
				Turn      int             `json:"turn"`
				Place     int             `json:"place"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"data"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			continue
		}
		call := fmt.Sprintf("%s %d %d", r.Unit, r.Data.Turn, r.Data.Place)
		switch r.Kind {
		case "said":
			said[fmt.Sprintf("%s %d", r.Unit, r.Data.Turn)]++
		case "call":
			open[call] = true
		case "answer":
			answered[call]++
			delete(open, call)
		}
	}
	return said, answered, open
}

// Killed after any record whatever and gone on with, a run comes to the same result;
// nothing that had been answered is asked again, no call that had ended is made again.
func TestARunGoesOnAfterEachRecord(t *testing.T) {
	first := newJourney(t, "")
	first.run(everything)
	run := filepath.Join(first.dir, "run")
	want := first.resultIn(run)
	total := strings.Count(first.file("run/journal.jsonl"), "\n")
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 1; n <= total; n += step {
		dir := cutTo(t, run, n)
		saidBefore, answeredBefore, open := journalOf(t, dir)
		j := newJourney(t, dir)
		cut := j.read(dir)
		if strings.Contains(cut, `"kind":"again","unit":"retried`) {
			j.write("retried.count", "x\n")
		}
		_, err := j.try(everything)
		if err != nil {
			t.Fatalf("after record %d: %v", n, err)
		}
		got := j.resultIn(dir)
		if len(open) > 0 { // the model was told that it is not known how the call ended
			got = strings.ReplaceAll(got, "Failed: it was cut off while it ran; whether it took effect is not known. Look before you repeat it.", "noted")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after record %d of %d:\n%s", n, total, diff)
		}
		saidAll, answeredAll, _ := journalOf(t, dir)
		for what, times := range saidAll {
			if times > 1 {
				t.Errorf("after record %d: %s was asked %d times", n, what, times)
			}
		}
		for what, times := range answeredAll {
			if times > 1 {
				t.Errorf("after record %d: call %s ended %d times", n, what, times)
			}
		}
		if asked := sum(j.asked); asked+sum(saidBefore) != sum(first.asked) {
			t.Errorf("after record %d: %d requests, %d were answered before, of %d", n, asked, sum(saidBefore), sum(first.asked))
		}
		if noted := sum(j.noted); noted+sum(answeredBefore)+len(open) > sum(first.noted) {
			t.Errorf("after record %d: %d calls, %d had ended and %d were in flight, of %d", n, noted, sum(answeredBefore), len(open), sum(first.noted))
		}
		for _, question := range []string{"sure", "names[0]", "names[1]"} {
			before := strings.Contains(cut, `"kind":"answered","unit":"`+question)
			if got := j.answered[question]; got > 1 || before && got > 0 {
				t.Errorf("after record %d: %s was asked %d times, answered before: %v", n, question, got, before)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d records", total)
}

// Killed again and again, too, and copied to another folder each time.
func TestARunGoesOnAfterSeveralDeaths(t *testing.T) {
	for name, test := range map[string]struct {
		source  string
		journey func(t *testing.T, run string) *journey
	}{"everything": {everything, newJourney}, "calls of workflows": {delegates, newCaller}} {
		t.Run(name, func(t *testing.T) { goesOnAfterSeveralDeaths(t, test.source, test.journey) })
	}
}

func goesOnAfterSeveralDeaths(t *testing.T, source string, journey func(t *testing.T, run string) *journey) {
	first := journey(t, "")
	first.run(source)
	run := filepath.Join(first.dir, "run")
	want := first.resultIn(run)
	random := rand.New(rand.NewPCG(1, 2))
	times := 12
	if testing.Short() {
		times = 2
	}
	for range times {
		dir, had, deaths := run, 1, []int{}
		for range 4 {
			total := strings.Count(first.read(dir), "\n")
			had += random.IntN(total - had)
			deaths = append(deaths, had)
			dir = cutTo(t, dir, had)
			j := journey(t, dir)
			if strings.Contains(j.read(dir), `"kind":"again","unit":"retried`) {
				j.write("retried.count", "x\n")
			}
			if _, err := j.try(source); err != nil {
				t.Fatalf("after records %v: %v", deaths, err)
			}
		}
		got := strings.ReplaceAll(first.resultIn(dir), "Failed: it was cut off while it ran; whether it took effect is not known. Look before you repeat it.", "noted")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("after records %v:\n%s", deaths, diff)
		}
	}
}

// A run is resumed by a clock that stands years before the time of its records: the wait
// before an attempt is no longer than it was to be, and no time is negative.
func TestAClockThatWasSetBack(t *testing.T) {
	const source = `
name: clock
budget: {time: 1h}
steps:
  - {id: a, run: "echo a"}
  - {id: flaky, retry: {max_attempts: 2, backoff: 10m}, run: "test -e mended"}
  - {id: ask, needs: [], ask: "Go?", timeout: 2h, default: none}
`
	tr := newTrial(t)
	ctx, kill := context.WithCancel(t.Context())
	tr.ctx = ctx
	tr.change = func(o *Options) {
		o.passFact = func(r *journal.Record) error {
			if r.Kind == journal.Again {
				kill()
			}
			return nil
		}
	}
	tr.run(source)
	lines := strings.SplitAfter(tr.file("run/journal.jsonl"), "\n")
	n := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"kind":"again"`) })
	dir := cutTo(t, filepath.Join(tr.dir, "run"), n+1)
	tr.write("mended", "x")
	synctest.Test(t, func(t *testing.T) {
		tr.ctx, tr.change = t.Context(), func(o *Options) { o.Dir, o.Resume = dir, &Resumption{} }
		began := time.Now()
		r := tr.run(source)
		if took := time.Since(began); took > 11*time.Minute || r.Status != steps.Waiting || r.Duration < 0 || statuses(r) != "a=succeeded flaky=succeeded ask=waiting" {
			t.Errorf("%s after %v, in %d ms: %s, %v", r.Status, took, r.Duration, statuses(r), r.Error)
		}
	})
}

// What may happen once is not begun again, unless it is named; also not where it had
// ended, and failed.
func TestOnceIsOnce(t *testing.T) {
	const source = `
name: once
steps:
  - {id: deploy, once: true, run: "echo x >> deployed; test $(wc -l < deployed) -gt 1"}
  - {id: after, run: "echo after"}
`
	first := newTrial(t)
	if r := first.run(source); statuses(r) != "deploy=failed after=skipped" {
		t.Fatal(statuses(r))
	}
	run := filepath.Join(first.dir, "run")
	inFlight := cutTo(t, run, 2)
	for _, test := range []struct {
		name, dir, from, want, message string
		begun                          bool
	}{
		{"in flight", inFlight, "", "deploy=failed after=skipped", "it was running when flow ended, and may have taken effect; a step with once: true is not run again", false},
		{"ended", cutTo(t, run, 3), "", "deploy=failed after=skipped", "exit status 1", false},
		{"failed before, and the run ended", run, "", "deploy=failed after=skipped", "exit status 1", false},
		{"named", run, "deploy", "deploy=succeeded after=succeeded", "", true},
	} {
		tr := newTrial(t)
		tr.write("deployed", "x\n")
		tr.change = func(o *Options) {
			o.Dir, o.Resume = test.dir, &Resumption{}
			if test.from != "" {
				o.Resume.From = []journal.Address{unitOf(t, test.from)}
			}
		}
		r, message := tr.run(source), ""
		if r.Steps[0].Error != nil {
			message = r.Steps[0].Error.Message
		}
		begun := strings.Count(tr.file("deployed"), "x") > 1
		if statuses(r) != test.want || !strings.Contains(message, test.message) || begun != test.begun {
			t.Errorf("%s: %s, %q, begun again: %v", test.name, statuses(r), message, begun)
		}
	}
}

// That a step with once begins is on the disk before it begins; where that can't be, it
// does not begin.
func TestOnceIsOnTheDiskBefore(t *testing.T) {
	const source = `
name: once
steps:
  - {id: before, run: "echo before"}
  - {id: deploy, once: true, run: "echo x > begun; test -e synced"}
`
	for _, broken := range []error{nil, syscall.EIO} {
		tr := newTrial(t)
		has := func(name, text string) bool {
			data, _ := os.ReadFile(filepath.Join(tr.dir, name))
			return strings.Contains(string(data), text)
		}
		tr.change = func(o *Options) {
			o.passSync = func(f *os.File) error {
				if !has("run/journal.jsonl", `"unit":"deploy`) {
					return f.Sync()
				}
				if !has("begun", "x") {
					tr.write("synced", "x")
				}
				return broken
			}
		}
		r, err := tr.try(source)
		if err != nil {
			t.Fatal(err)
		}
		if done := r.Status == steps.Succeeded; done != (broken == nil) || has("begun", "x") != done {
			t.Errorf("with %v: %s, %v, begun: %v", broken, r.Status, r.Error, has("begun", "x"))
		}
	}
}

// What has begun and may happen once is not begun again for something that it depends on,
// wherever it is.
func TestOnceIsNotBegunForOthers(t *testing.T) {
	const source = `
name: once
steps:
  - {id: a, on_error: continue, run: "test -e ok"}
  - {id: deploy, once: true, run: "echo x >> begun; echo ${{ steps.a.status }}"}
  - {id: group, steps: [{id: inner, once: true, run: "echo x >> begun; echo ${{ steps.a.status }}"}]}
  - {id: each, foreach: "${{ [steps.a.status, 'b'] }}", once: true, run: "echo x >> begun"}
  - {id: c, run: "test -e ok"}
  - {id: tells, once: true, if: always(), run: "echo x >> begun"}
`
	for _, with := range []*Resumption{{}, {Failed: true}, {From: []journal.Address{unitOf(t, "a")}}} {
		tr := newTrial(t)
		tr.run(source)
		tr.write("ok", "")
		tr.change = func(o *Options) { o.Resume = with }
		r := tr.run(source)
		if got := statuses(r); got != "a=succeeded deploy=succeeded group=succeeded group/inner=succeeded each=failed c=skipped tells=succeeded" || tr.file("begun") != strings.Repeat("x\n", 5) {
			t.Errorf("%+v: %s, begun %q", with, got, tr.file("begun"))
		}
		if r.Status != steps.Failed || r.Error.Step != "each" || r.Error.Option != OptionFrom {
			t.Errorf("%+v: %s, %+v", with, r.Status, r.Error)
		}
		var warned []string
		for _, e := range tr.events {
			if e.Type == steps.Warning && strings.Contains(e.Message, "it is not run again although a step that it depends on was, because it has once: true and has started") {
				warned = append(warned, e.Step)
			}
		}
		if got := strings.Join(warned, " "); got != "deploy group tells" {
			t.Errorf("%+v: warned of %q", with, got)
		}
		tr.change = func(o *Options) { o.Resume = &Resumption{} }
		if r = tr.run(source); r.Status != steps.Failed || tr.file("begun") != strings.Repeat("x\n", 5) {
			t.Errorf("%+v, again: %s, begun %q", with, r.Status, tr.file("begun"))
		}
		tr.change = func(o *Options) { o.Resume = &Resumption{From: []journal.Address{unitOf(t, "each")}} }
		if r = tr.run(source); r.Status != steps.Succeeded || tr.file("begun") != strings.Repeat("x\n", 7) {
			t.Errorf("%+v, from each: %s, begun %q", with, r.Status, tr.file("begun"))
		}
	}
}

// A group is not tried again where something in it has begun that may happen once.
func TestOnceIsNotTriedAgain(t *testing.T) {
	tr := newTrial(t)
	r := tr.run(`
name: once
steps:
  - id: group
    retry: {max_attempts: 3, backoff: 1ms}
    steps:
      - {id: fails, run: "echo x >> tries; test $(wc -l < tries) -ge 2"}
      - {id: deploy, once: true, run: "echo x >> begun"}
      - {id: after, run: "false"}
`)
	if statuses(r) != "group=failed group/fails=succeeded group/deploy=succeeded group/after=failed" || r.Steps[0].Attempts != 2 || tr.file("begun") != "x\n" {
		t.Errorf("%s, %d attempts, begun %q", statuses(r), r.Steps[0].Attempts, tr.file("begun"))
	}
	tr = newTrial(t) // in a round before
	r = tr.run(`
name: once
steps:
  - id: group
    retry: {max_attempts: 3, backoff: 1ms}
    until: round > 2
    steps:
      - {id: deploy, if: round == 1, once: true, run: "echo x >> begun"}
      - {id: fails, run: "test ${{ round }} -lt 2"}
`)
	if r.Status != steps.Failed || r.Steps[0].Attempts != 1 || tr.file("begun") != "x\n" {
		t.Errorf("%s, %d attempts, begun %q", statuses(r), r.Steps[0].Attempts, tr.file("begun"))
	}
}

// What was in flight may have cost what was reserved for it.
func TestARequestInFlightCounts(t *testing.T) {
	const source = "name: t\nmodel: fake/one\nbudget: {tokens: 5000}\nsteps: [{id: a, tools: [note], params: {max_output_tokens: 100}, prompt: hi}]\n"
	first := newJourney(t, "")
	first.run(source)
	lines := strings.Split(first.read(filepath.Join(first.dir, "run")), "\n")
	for n, line := range lines {
		if n == 0 || !strings.Contains(line, `"unit":"a~1"`) {
			continue
		}
		dir := cutTo(t, filepath.Join(first.dir, "run"), n+1)
		j := newJourney(t, dir)
		if _, err := j.try(source); err != nil {
			t.Fatal(err)
		}
		_, since, _ := strings.Cut(j.read(dir), `"kind":"resumed"`)
		counted, want := strings.Count(since, `"about":"inner","spent":`), 0
		if strings.Contains(line, `"asked":`) || strings.Contains(line, `"kind":"answer"`) && strings.Contains(strings.Join(lines[:n], ""), `"kind":"answer"`) {
			want = 1
		}
		if counted != want {
			t.Errorf("after %.120s: counted %d times, want %d", line, counted, want)
		}
	}
}

// It counts once, however often the run is killed and resumed after that.
func TestARequestInFlightCountsOnce(t *testing.T) {
	source := func(tokens int64) string {
		return fmt.Sprintf("name: t\nmodel: fake/one\nbudget: {tokens: %d}\nsteps: [{id: a, params: {max_output_tokens: 100}, prompt: hi}]\n", tokens)
	}
	first := newJourney(t, "")
	first.run(source(5000))
	at := strings.Count(strings.SplitAfter(first.read(filepath.Join(first.dir, "run")), `"asked":`)[0], "\n") + 1
	dir := cutTo(t, filepath.Join(first.dir, "run"), at)
	if _, err := newJourney(t, dir).try(source(5000)); err != nil {
		t.Fatal(err)
	}
	before, since, found := strings.Cut(first.read(dir), `"about":"inner","spent":{"tokens":`)
	if !found {
		t.Fatal("no request is counted")
	}
	var most int64
	if _, err := fmt.Sscan(since, &most); err != nil {
		t.Fatal(err)
	}
	dir = cutTo(t, dir, strings.Count(before, "\n")+1)
	// The second one was in flight as well, and there is room for both and for another one.
	if r, err := newJourney(t, dir).try(source(3*most + 1)); err != nil || r.Status != steps.Succeeded {
		t.Errorf("%v, %v", err, r.Error)
	}
}

// read is the journal in a folder.
func (tr *trial) read(dir string) string {
	tr.t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(data)
}

// The number of files of a run does not grow with its elements, rounds, attempts and
// turns.
func TestARunHasFewFiles(t *testing.T) {
	j := newJourney(t, "")
	var words []any
	for n := range 40 {
		words = append(words, fmt.Sprint("word ", n))
	}
	j.inputs = map[string]any{"words": words}
	j.run(everything)
	var files []string
	err := filepath.WalkDir(filepath.Join(j.dir, "run"), func(path string, _ fs.DirEntry, err error) error {
		files = append(files, strings.TrimPrefix(path, j.dir))
		return err
	})
	if err != nil || len(files) > 8 {
		t.Errorf("%d files, %v: %q", len(files), err, files)
	}
}

func sum(all map[string]int) (n int) {
	for _, times := range all {
		n += times
	}
	return n
}

// What one resume is given holds for those behind it.
func TestTheLastOptionsStay(t *testing.T) {
	tr := newTrial(t)
	const source = "name: t\nsteps: [{id: a, run: 'false'}]\n"
	tr.run(source)
	budget := 1.2
	tr.change = func(o *Options) { o.Resume, o.BudgetUSD, o.MaxParallel = &Resumption{}, &budget, 3 }
	tr.run(source)
	b, err := ReadBeginning(filepath.Join(tr.dir, "run"))
	if err != nil || b.Options.BudgetUSD == nil || *b.Options.BudgetUSD != budget || b.Options.MaxParallel != 3 {
		t.Errorf("got %+v, %v", b.Options, err)
	}
}
