package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/google/go-cmp/cmp"
)

// waitsEverywhere asks wherever a step can stand.
const waitsEverywhere = `
name: waits
outputs:
  all: "${{ steps.each.output }}"
  used: "${{ steps.used.output }}"
  loop: "${{ steps.loop.text }}"
steps:
  - {id: begin, run: "echo x >> begin.count; echo two"}
  - {id: each, foreach: "${{ 0..9 }}", max_parallel: 2, ask: "Publish ${{ item }} of ${{ steps.begin.text }}?", choices: [yes, no]}
  - id: loop
    needs: [begin]
    until: steps.good.output == "yes"
    steps:
      - {id: make, run: "echo x >> make.count; echo ${{ round }}"}
      - {id: good, ask: "Is ${{ steps.make.text }} good?", choices: [yes, no]}
      - {id: after, run: "echo x >> after.count; echo round ${{ round }}"}
  - {id: used, needs: [], uses: used.yaml}
  - {id: beside, needs: [], once: true, run: "echo x >> beside.count; echo beside"}
  - {id: last, needs: [each, loop, used, beside], run: "echo x >> last.count; echo done"}
`

const usedThatAsks = `
name: used
outputs: {n: "${{ steps.count.output + 1 }}"}
steps:
  - {id: count, ask: "How many?", output: {type: integer, minimum: 1}}
`

// A person is who answers, in what process whatever.
type person struct {
	*trial
	answers map[string]string // by address
}

func newPerson(t *testing.T) *person {
	p := &person{trial: newTrial(t), answers: map[string]string{}}
	p.write("used.yaml", usedThatAsks)
	return p
}

// goOn goes on with the run in a folder, with answers to what it waits for.
func (p *person) goOn(source, dir string, answers ...Answer) (*Result, error) {
	p.t.Helper()
	change := p.change
	defer func() { p.change = change }()
	p.change = func(o *Options) {
		o.Dir, o.Resume = dir, &Resumption{Answers: answers}
		if change != nil {
			change(o)
		}
	}
	return p.try(source)
}

func answer(address, text string) Answer { return Answer{Address: address, Value: &text} }

func addresses(r *Result) string {
	var all []string
	for _, w := range r.Waiting {
		all = append(all, w.Address())
	}
	return strings.Join(all, " ")
}

// waitingAnswers are the answers that bring waitsEverywhere to its end.
func waitingAnswer(w Wait) Answer {
	switch {
	case strings.HasPrefix(w.Unit.String(), "each"):
		index, _ := w.Unit.Element()
		return answer(w.Address(), []string{"yes", "NO"}[index%2])
	case w.Unit.Name() == "good":
		return answer(w.Address(), []string{"no", "yes"}[min(w.Unit.Round(), 2)-1])
	}
	return answer(w.Address(), "41")
}

func TestARunWaitsAndIsAnsweredOneByOne(t *testing.T) {
	p := newPerson(t)
	r := p.run(waitsEverywhere)
	if r.Status != steps.Waiting || r.Error != nil {
		t.Fatalf("got %s, %v", r.Status, r.Error)
	}
	want := "begin=succeeded each=waiting loop=waiting loop/make=succeeded loop/good=waiting used=waiting used/count=waiting beside=succeeded"
	if got := statuses(r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := strings.Join(r.NotBegun, " "); got != "loop/after last" {
		t.Errorf("not begun: %s", got)
	}
	want = ""
	for i := range 10 {
		want += fmt.Sprintf("each[%d] ", i)
	}
	if got := addresses(r); got != want+"loop/good#1 used/count" {
		t.Errorf("it waits for %s, want %s", got, want)
	}
	dir := filepath.Join(p.dir, "run")
	for n := 0; r.Status == steps.Waiting && n < 20; n++ {
		var err error
		if r, err = p.goOn(waitsEverywhere, dir, waitingAnswer(r.Waiting[n%len(r.Waiting)])); err != nil {
			t.Fatal(err)
		}
		p.readAgain()
	}
	checkAnswered(t, p, r)
}

func checkAnswered(t *testing.T, p *person, r *Result) {
	t.Helper()
	if r.Status != steps.Succeeded {
		t.Fatalf("got %s: %v", r.Status, r.Error)
	}
	got, _ := json.Marshal(r.Outputs)
	want := `{"all":["yes","no","yes","no","yes","no","yes","no","yes","no"],"used":{"n":42},"loop":"round 2"}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, want := range map[string]int{"begin": 1, "make": 2, "after": 2, "beside": 1, "last": 1} {
		if got := strings.Count(p.file(name+".count"), "x"); got != want {
			t.Errorf("%s ran %d times, want %d", name, got, want)
		}
	}
}

// Where somebody is there the same run has no end before its own.
func TestAPersonIsAskedWhileTheRunGoesOn(t *testing.T) {
	p := newPerson(t)
	p.change = func(o *Options) {
		o.MaxParallel = 1 // who waits has no slot
		o.Question = func(_ context.Context, q *Question) (any, error) {
			return q.Parse(*waitingAnswer(q.Wait).Value)
		}
	}
	checkAnswered(t, p, p.run(waitsEverywhere))
}

// Killed after any record whatever, and answered then, it comes to the same.
func TestARunThatWaitsGoesOnAfterEachRecord(t *testing.T) {
	first := newPerson(t)
	r := first.run(waitsEverywhere)
	dir := filepath.Join(first.dir, "run")
	for r.Status == steps.Waiting {
		var all []Answer
		for _, w := range r.Waiting {
			all = append(all, waitingAnswer(w))
		}
		var err error
		if r, err = first.goOn(waitsEverywhere, dir, all...); err != nil {
			t.Fatal(err)
		}
	}
	want := first.resultIn(dir)
	total := strings.Count(first.file("run/journal.jsonl"), "\n")
	step := 3
	if testing.Short() {
		step = 9
	}
	for n := 1; n <= total; n += step {
		cut := cutTo(t, dir, n)
		p := newPerson(t)
		r, err := p.goOn(waitsEverywhere, cut)
		for tries := 0; err == nil && r.Status == steps.Waiting && tries < 30; tries++ {
			var half []Answer
			for _, w := range r.Waiting[:(len(r.Waiting)+1)/2] {
				half = append(half, waitingAnswer(w))
			}
			r, err = p.goOn(waitsEverywhere, cut, half...)
		}
		switch {
		case err != nil:
			t.Fatalf("after record %d: %v", n, err)
		case r.Error != nil && strings.Contains(r.Error.Message, "it was running when flow ended, and may have taken effect; a step with once: true is not run again"):
			continue // beside was in flight
		}
		if diff := cmp.Diff(want, p.resultIn(cut)); diff != "" {
			t.Fatalf("after record %d of %d:\n%s", n, total, diff)
		}
	}
}

// askAll asks for every call.
type askAll struct{ allowAll }

func (askAll) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Ask, Rule: "deploy: ask *"}
}

// tenCalls is a model that makes ten calls at once, and says what came of them.
func tenCalls(_ context.Context, req providers.Request) (providers.Message, error) {
	if len(req.Messages) == 1 {
		m := calls(strings.Fields(strings.Repeat("deploy ", 10))...)
		m.Usage = providers.Usage{InputTokens: 10, OutputTokens: 5}
		return m, nil
	}
	var heard []string
	for _, b := range req.Messages[2].Blocks {
		heard = append(heard, b.Content)
	}
	return says(strings.Join(heard, "|")), nil
}

const deploys = "name: d\nmodel: fake/one\nsteps: [{id: go, prompt: p, tools: [deploy]}]"

func newDeploy(t *testing.T) *person {
	p := newPerson(t)
	p.answer = tenCalls
	p.change = func(o *Options) {
		o.Later = true
		o.Price = func(string, providers.Usage) (float64, bool) { return 0.5, true }
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: askAll{}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
		}
	}
	return p
}

// Ten calls of one turn are pending; they are approved and denied one by one, and run
// once all of them have an answer.
func TestTenCallsArePending(t *testing.T) {
	p := newDeploy(t)
	r := p.run(deploys)
	for n := range 10 {
		if r.Status != steps.Waiting || len(r.Waiting) != 10-n {
			t.Fatalf("%s, waits for %s", r.Status, addresses(r))
		}
		w := r.Waiting[0]
		if w.Tool != "deploy" || string(w.Arguments) != fmt.Sprintf(`{"n":%d}`, n) && string(w.Arguments) != fmt.Sprintf(`{"n": %d}`, n) || w.Rule != "deploy: ask *" {
			t.Errorf("it waits for %+v", w)
		}
		var err error
		if r, err = p.goOn(deploys, filepath.Join(p.dir, "run"), Answer{Address: w.Address(), Allowed: n%3 > 0}); err != nil {
			t.Fatal(err)
		}
	}
	if r.Status != steps.Succeeded {
		t.Fatalf("got %s: %v", r.Status, r.Error)
	}
	var want []string
	for n := range 10 {
		if n%3 > 0 {
			want = append(want, fmt.Sprintf(`echo {"n":%d}`, n))
		} else {
			want = append(want, `Denied by the rule "deploy: ask *, denied by a person": a person denied the call.`)
		}
	}
	if got := r.Text(); got != strings.Join(want, "|") {
		t.Errorf("got  %s\nwant %s", got, strings.Join(want, "|"))
	}
	for line := range strings.Lines(p.file("run/journal.jsonl")) {
		if strings.Contains(line, `"about":"inner"`) && strings.Contains(line, `"spent"`) {
			t.Errorf("a request that was in flight is counted: %s", line)
		}
	}
	if len(r.Steps[0].Denied) != 4 || r.Steps[0].ToolCalls != 10 || r.Steps[0].Turns != 2 {
		t.Errorf("%d calls, denied %+v", r.Steps[0].ToolCalls, r.Steps[0].Denied)
	}
}

// An answer to what does not wait is refused, before anything is written.
func TestWrongAnswersAreRefused(t *testing.T) {
	p := newPerson(t)
	p.run(waitsEverywhere)
	dir := filepath.Join(p.dir, "run")
	before := p.file("run/journal.jsonl")
	for _, test := range []struct {
		given []Answer
		want  string
	}{
		{[]Answer{answer("used/cuont", "1")}, `nothing named "used/cuont" waits for an answer, but these do: `},
		{[]Answer{answer("each", "yes")}, "nothing named \"each"},
		{[]Answer{answer("each[10]", "yes")}, "nothing named \"each"},
		{[]Answer{answer("each[1]", "perhaps")}, `"each[1]": "perhaps" is not one of the choices: yes, no`},
		{[]Answer{answer("used/count", "many")}, "expected integer, got"},
		{[]Answer{answer("used/count", "0")}, "at least 1"},
		{[]Answer{{Address: "each[1]", Value: new("yes"), Comment: "x"}}, `"each[1]" takes no comment`},
		{[]Answer{{Address: "used/count", Allowed: true}}, "\"used/count\" is a question, not a call"},
		{[]Answer{answer("loop/good", "yes"), answer("loop/good#1", "no")}, "answered twice"},
	} {
		_, err := p.goOn(waitsEverywhere, dir, test.given...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.given, err, test.want)
		}
	}
	if after := p.file("run/journal.jsonl"); after != before {
		t.Errorf("something was written:\n%s", strings.TrimPrefix(after, before))
	}
	if r, err := p.goOn(waitsEverywhere, dir, answer("loop/good", "yes")); err != nil || len(r.Waiting) != 11 {
		t.Errorf("without the round: %v, %v", r, err)
	}
}

// A run is answered a day later; what it waited does not count as work, and what had
// less time than that has its default, or has failed.
func TestADayLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPerson(t)
		const source = `
name: later
budget: {time: 1h}
steps:
  - {id: long, needs: [], ask: "Publish?", choices: [yes, no]}
  - {id: default, needs: [], ask: "Which?", timeout: 2h, default: none}
  - {id: short, needs: [], ask: "Name?", timeout: 2h, on_error: continue}
  - {id: grouped, needs: [], timeout: 30m, steps: [{id: in, ask: "In?"}]}
  - {id: end, needs: [long, default, short, grouped], run: "echo ${{ steps.long.output }} ${{ steps.default.output }} ${{ steps.short.stop_reason }} ${{ steps.in.output ?? steps.grouped.output }}"}
`
		r := p.run(strings.ReplaceAll(source, "steps.in.output ?? ", ""))
		source2 := strings.ReplaceAll(source, "steps.in.output ?? ", "")
		if r.Status != steps.Waiting || len(r.Waiting) != 4 {
			t.Fatalf("%s, waits for %s", r.Status, addresses(r))
		}
		time.Sleep(24 * time.Hour)
		dir := filepath.Join(p.dir, "run")
		if _, err := p.goOn(source2, dir, answer("default", "late")); err == nil || !strings.Contains(err.Error(), ": the time for an answer ended at") {
			t.Errorf("a late answer: %v", err)
		}
		r, err := p.goOn(source2, dir)
		if err != nil || addresses(r) != "long grouped/in" {
			t.Fatalf("%v, waits for %s", err, addresses(r))
		}
		r, err = p.goOn(source2, dir, answer("long", "yes"), answer("grouped/in", "here"))
		if err != nil || r.Text() != "yes none timeout here" {
			t.Errorf("%v: %s, %v", err, r.Text(), r.Error)
		}
	})
}

// A person who is there has no more time than the step gives.
func TestTheTimeForAnAnswerIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPerson(t)
		p.change = func(o *Options) {
			o.Question = func(ctx context.Context, q *Question) (any, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
		}
		r := p.run("name: t\nsteps:\n  - {id: a, ask: A?, timeout: 1h, default: none}\n  - {id: b, ask: B?, timeout: 1h}")
		if r.Status != steps.Stopped || r.Error.Kind != steps.KindTimeout || statuses(r) != "a=succeeded b=stopped" {
			t.Errorf("%s: %v, %s", r.Status, r.Error, statuses(r))
		}
	})
}

// A question that was answered, or whose time was up, comes to that whatever fails beside it.
func TestAnAnswerCountsWhateverFailsBesideIt(t *testing.T) {
	const source = `
name: to
steps:
  - {id: q, ask: Go?, choices: [yes, no], timeout: 2s, default: no}
  - {id: p, needs: [], ask: Name?, timeout: 2s}
  - {id: n, needs: [], ask: How many?, output: {type: integer, minimum: 1}}
  - {id: each, needs: [], foreach: [1, 2, 3], max_parallel: 1, ask: "Take ${{ item }}?", timeout: 2s, default: taken}
  - {id: group, needs: [], steps: [{id: in, ask: In?}, {id: after, run: echo never}]}
  - {id: done, needs: [q], run: echo never}
`
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			p := newPerson(t)
			if r := p.run(source); r.Status != steps.Waiting {
				t.Fatalf("%s: %v", r.Status, r.Error)
			}
			time.Sleep(3 * time.Second)
			r, err := p.goOn(source, filepath.Join(p.dir, "run"), answer("n", "3"), answer("group/in", "here"))
			if err != nil || r.Status != steps.Stopped || r.Error.Unit.String() != "p" || r.Error.Kind != steps.KindTimeout {
				t.Fatalf("%v: %s, %v", err, r.Status, r.Error)
			}
			for _, u := range []string{"q=succeeded", "n=succeeded", "each=succeeded", "group/in=succeeded"} {
				if !slices.Contains(strings.Fields(statuses(r)), u) {
					t.Errorf("not %s: %s", u, statuses(r))
				}
			}
		})
	}
}

// A failure beside what waits is the run's; gone on with, what failed is tried again.
func TestAFailureGoesBeforeWaiting(t *testing.T) {
	p := newPerson(t)
	p.write("both-asked.sh", `n=0; until [ "$(grep -c '"kind":"asked"' run/journal.jsonl)" -ge 2 ] || [ $((n += 1)) -gt 1000 ]; do sleep 0.01; done; test -e ok`)
	const source = `
name: f
steps:
  - {id: q, ask: Go?}
  - {id: bad, needs: [], foreach: [1, 2], on_error: finish, run: bash both-asked.sh}
  - id: within
    needs: []
    steps: [{id: asks, ask: In?}, {id: fails, needs: [], run: bash both-asked.sh}]
`
	r := p.run(source)
	if r.Status != steps.Failed || r.Error.Kind != steps.KindCommand || addresses(r) != "q within/asks" {
		t.Fatalf("%s: %v, waits for %s", r.Status, r.Error, addresses(r))
	}
	p.write("ok", "")
	r, err := p.goOn(source, filepath.Join(p.dir, "run"), answer("q", "x"), answer("within/asks", "y"))
	if err != nil || r.Status != steps.Succeeded {
		t.Errorf("%v: %s %v", err, r.Status, r.Error)
	}
}

// Who interrupts what asks a person has it wait on.
func TestAnInterruptedQuestionWaits(t *testing.T) {
	p := newPerson(t)
	ctx, stop := context.WithCancel(t.Context())
	p.ctx = ctx
	p.change = func(o *Options) {
		o.Question = func(ctx context.Context, q *Question) (any, error) {
			stop()
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
	}
	const source = "name: i\nsteps: [{id: a, ask: A?}]"
	r := p.run(source)
	if r.Status != steps.Cancelled || addresses(r) != "a" {
		t.Fatalf("%s: %v, waits for %q", r.Status, r.Error, addresses(r))
	}
	p.ctx, p.change = t.Context(), nil
	if r, err := p.goOn(source, filepath.Join(p.dir, "run"), answer("a", "x")); err != nil || r.Text() != "x" {
		t.Errorf("%v: %v", err, r)
	}
}

// A folder that was copied is answered where it is.
func TestACopiedRunIsAnsweredElsewhere(t *testing.T) {
	p := newDeploy(t)
	r := p.run(deploys)
	other := newDeploy(t)
	dir := filepath.Join(other.dir, "copied")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(p.dir, "run"))); err != nil {
		t.Fatal(err)
	}
	var all []Answer
	for _, w := range r.Waiting {
		all = append(all, Answer{Address: w.Address(), Allowed: true})
	}
	if r, err := other.goOn(deploys, dir, all...); err != nil || r.Status != steps.Succeeded || r.Steps[0].ToolCalls != 10 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A tool step, too, waits where its call has to be asked for.
func TestAToolStepWaits(t *testing.T) {
	p := newDeploy(t)
	const source = "name: t\nsteps: [{id: a, tool: deploy, with: {to: prod}}]"
	r := p.run(source)
	if r.Status != steps.Waiting || addresses(r) != "a" || !r.Waiting[0].IsCall() {
		t.Fatalf("%s: %+v", r.Status, r.Waiting)
	}
	dir := filepath.Join(p.dir, "run")
	denied := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(denied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if r, err := p.goOn(source, dir, Answer{Address: "a", Allowed: true}); err != nil || r.Text() != `echo {"to":"prod"}` {
		t.Errorf("approved: %v, %+v", err, r)
	}
	if r, err := p.goOn(source, denied, Answer{Address: "a"}); err != nil || r.Error == nil || r.Error.Kind != steps.KindDenied {
		t.Errorf("denied: %v, %+v", err, r)
	}
}

// Killed after any record whatever, a run with calls that wait comes to the same once
// they are answered; no call is made twice.
func TestPendingCallsAfterEachRecord(t *testing.T) {
	first := newDeploy(t)
	r := first.run(deploys)
	dir := filepath.Join(first.dir, "run")
	verdict := func(w Wait) Answer {
		return Answer{Address: w.Address(), Allowed: w.Call != "call_3", Comment: "not now"}
	}
	for r.Status == steps.Waiting {
		var all []Answer
		for _, w := range r.Waiting[:min(3, len(r.Waiting))] {
			all = append(all, verdict(w))
		}
		var err error
		if r, err = first.goOn(deploys, dir, all...); err != nil {
			t.Fatal(err)
		}
	}
	want := first.resultIn(dir)
	total := strings.Count(first.file("run/journal.jsonl"), "\n")
	for n := 1; n <= total; n++ {
		cut := cutTo(t, dir, n)
		p := newDeploy(t)
		r, err := p.goOn(deploys, cut)
		for tries := 0; err == nil && r.Status == steps.Waiting && tries < 20; tries++ {
			var half []Answer
			for _, w := range r.Waiting[:(len(r.Waiting)+1)/2] {
				half = append(half, verdict(w))
			}
			r, err = p.goOn(deploys, cut, half...)
		}
		if err != nil {
			t.Fatalf("after record %d: %v", n, err)
		}
		if diff := cmp.Diff(want, p.resultIn(cut)); diff != "" {
			t.Fatalf("after record %d of %d:\n%s", n, total, diff)
		}
		if _, answered, _ := journalOf(t, cut); len(answered) != 10 {
			t.Errorf("after record %d: %d calls have an answer", n, len(answered))
		}
	}
}

// Where a denied call ends the step nothing waits beside it, and where its time is up
// neither. A day of waiting is none of the step's time.
func TestPendingCallsAndTheEndOfTheirStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newDeploy(t)
		source := strings.ReplaceAll(deploys, "tools: [deploy]", "tools: [deploy], on_denied: fail, timeout: 1h, stop: {timeout: 1h}")
		r := p.run(source)
		if r.Status != steps.Waiting {
			t.Fatalf("got %s: %v", r.Status, r.Error)
		}
		time.Sleep(24 * time.Hour)
		var all []Answer
		for _, w := range r.Waiting {
			all = append(all, Answer{Address: w.Address(), Allowed: true})
		}
		dir := filepath.Join(p.dir, "run")
		denied := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(denied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if r, err := p.goOn(source, dir, all...); err != nil || r.Status != steps.Succeeded {
			t.Errorf("a day later: %v, %+v", err, r.Error)
		}
		all[4].Allowed = false
		if r, err := p.goOn(source, denied, all...); err != nil || r.Status != steps.Failed || r.Error.Kind != steps.KindDenied {
			t.Errorf("denied: %v, %+v", err, r.Error)
		}
	})
}

// A secret in a question is shown to nobody, and in no file; as a default it is what it
// is as long as somebody has it.
func TestSecretsInQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const value, source = "tok-5f2e9c-secret", "name: s\nenv: [TOKEN]\nsteps:\n  - {id: a, ask: 'Use ${{ env.TOKEN }}?', default: '${{ env.TOKEN }}', timeout: 1h}\n  - {id: b, run: 'echo ${{ len(steps.a.output) }}'}"
		p := newPerson(t)
		have := func(secret string) {
			p.change = func(o *Options) {
				o.Mask, o.Secrets = tools.NewMask([]string{secret}), map[string]string{"TOKEN": secret}
				o.LookupEnv = func(name string) (string, bool) { return secret, name == "TOKEN" }
				o.Question = func(ctx context.Context, q *Question) (any, error) {
					if strings.Contains(q.Question, secret) || !strings.Contains(q.Question, "***") {
						t.Errorf("asked %q", q.Question)
					}
					return nil, ErrUnanswered
				}
			}
		}
		have(value)
		if r := p.run(source); r.Status != steps.Waiting || strings.Contains(p.file("run/journal.jsonl")+p.file("run/run.json"), value) {
			t.Fatalf("%s, %s", r.Status, p.file("run/journal.jsonl"))
		}
		time.Sleep(2 * time.Hour)
		dir := filepath.Join(p.dir, "run")
		other := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if r, err := p.goOn(source, dir); err != nil || r.Text() != fmt.Sprint(len(value)) {
			t.Errorf("%v: %+v", err, r.Error)
		}
		have("tok-other-12345678")
		if r, err := p.goOn(source, other); err != nil || r.Status != steps.Failed || !strings.Contains(r.Error.Message, "its answer contained a secret, so its value is not stored in the run folder") {
			t.Errorf("%v: %s, %+v", err, r.Text(), r.Error)
		}
	})
}

// TestQuestionsLeftWaiting: why a question keeps waiting that somebody was asked is a warning.
func TestQuestionsLeftWaiting(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ask   func() (any, error)
		warns string
	}{
		{"an error", func() (any, error) { return nil, errors.New("the mail server is down") }, "its question is still open: the mail server is down"},
		{"typed text in place of a value", func() (any, error) { return "yes", nil }, "its question is still open: "},
		{"a crash", func() (any, error) { panic("boom") }, "its question is still open: asking it crashed: boom"},
		{"nobody", func() (any, error) { return nil, fmt.Errorf("at night: %w", ErrUnanswered) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.change = func(o *Options) {
				o.Question = func(context.Context, *Question) (any, error) { return tt.ask() }
			}
			r := tr.run("name: t\nsteps: [{id: go, ask: Publish?, output: {type: boolean}}]\n")
			var warned []string
			for _, e := range tr.events {
				if e.Type == steps.Warning {
					warned = append(warned, e.Step+": "+e.Message)
				}
			}
			switch {
			case r.Status != steps.Waiting:
				t.Errorf("the run is %s", r.Status)
			case tt.warns == "" && len(warned) > 0, tt.warns != "" && (len(warned) != 1 || !strings.HasPrefix(warned[0], "go: "+tt.warns)):
				t.Errorf("warned %q, want %q", warned, tt.warns)
			}
		})
	}
}

// A step that may begin once and whose call waits for a person has not begun.
func TestOnceWaits(t *testing.T) {
	tr := newTrial(t)
	const source = "name: t\nsteps: [{id: a, once: true, tool: echo, with: {n: 1}}]\n"
	asks := func(o *Options) {
		o.Later = true
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: askAll{}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
		}
	}
	tr.change = asks
	r := tr.run(source)
	if r.Status != steps.Waiting {
		t.Fatal(r.Status, r.Error)
	}
	tr.change = func(o *Options) { asks(o); o.Resume = &Resumption{} }
	if r = tr.run(source); r.Status != steps.Waiting {
		t.Errorf("%s %v", r.Status, r.Error)
	}
	tr.change = func(o *Options) {
		asks(o)
		o.Resume = &Resumption{Answers: []Answer{{Address: "all", Allowed: true}}}
	}
	if r = tr.run(source); r.Status != steps.Succeeded {
		t.Errorf("%s %v", r.Status, r.Error)
	}
}
