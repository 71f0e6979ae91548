package runner

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/google/go-cmp/cmp"
)

// What is no step's fault ends the run, whatever on_error says: nothing more is
// asked once it is known, and steps that look at how others went run still.
func TestWhatIsTheRunsOwnIsNeverContinued(t *testing.T) {
	refuse := func(e providers.Error) func() (providers.Message, error) {
		return func() (providers.Message, error) { return providers.Message{}, &e }
	}
	used := func() (providers.Message, error) {
		m := says("done")
		m.Usage = providers.Usage{InputTokens: 10, OutputTokens: 90}
		return m, nil
	}
	tests := []struct {
		name, head string
		answer     func() (providers.Message, error)
		asked      int32
		kind       steps.Kind
		status     steps.Status
		succeeded  int
	}{
		{"a refused key", "", refuse(providers.Error{Kind: providers.KindAuth}), 1, steps.KindAuth, steps.Failed, 0},
		{"a used-up quota", "", refuse(providers.Error{Kind: providers.KindRateLimited}), 1, steps.KindRateLimited, steps.Failed, 0},
		{"wrong configuration", "", refuse(providers.Error{Kind: providers.KindConfiguration}), 1, steps.KindConfiguration, steps.Failed, 0},
		{"a used-up budget", "budget: {tokens: 150}", used, 1, steps.KindBudget, steps.Stopped, 1},
	}
	const source = `
name: t
model: openai/m
%s
steps:
  - {id: each, foreach: "${{ 1..20 }}", max_parallel: 1, on_error: continue, retry: {max_attempts: 3}, params: {max_output_tokens: 100}, prompt: hi}
  - {id: next, on_error: continue, params: {max_output_tokens: 100}, prompt: hi}
  - {id: tidy, if: always(), run: "true"}
`
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			var asked atomic.Int32
			tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
				asked.Add(1)
				return test.answer()
			}
			r := tr.run(fmt.Sprintf(source, test.head))
			if got, want := statuses(r), fmt.Sprintf("each=%s next=skipped tidy=succeeded", test.status); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if r.Status != test.status || r.Error == nil || r.Error.Kind != test.kind || r.Error.Step != "each" {
				t.Errorf("the run is %s: %+v", r.Status, r.Error)
			}
			if asked.Load() != test.asked {
				t.Errorf("%d requests were made, want %d", asked.Load(), test.asked)
			}
			want := &ElementCounts{Total: 20, Succeeded: test.succeeded, NotBegun: 19 - test.succeeded, Reasons: map[steps.Kind]int{test.kind: 1}}
			if diff := cmp.Diff(want, r.Steps[0].Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

// A limit that passes is a step's own: the next one may do better.
func TestWhatMayPassIsContinued(t *testing.T) {
	for _, kind := range []providers.Error{
		{Kind: providers.KindRateLimited, Retryable: true}, {Kind: providers.KindOverloaded, Retryable: true},
		{Kind: providers.KindContextLength}, {Kind: providers.KindContentFilter},
	} {
		tr := newTrial(t)
		var asked atomic.Int32
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			if asked.Add(1) == 1 {
				return providers.Message{}, &kind
			}
			return says("there"), nil
		}
		r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: each, foreach: '${{ 1..3 }}', on_error: continue, prompt: hi}\n")
		if r.Status != steps.Succeeded || r.Steps[0].Counts.Succeeded != 2 || r.Steps[0].Counts.Reasons[steps.Kind(kind.Kind)] != 1 {
			t.Errorf("%s: %s, %+v", kind.Kind, r.Status, r.Steps[0].Counts)
		}
	}
}

// Who has been refused is not asked by other steps either, and the models after
// it in a list are.
func TestARefusedModelIsNotAskedAgain(t *testing.T) {
	tr := newTrial(t)
	var asked []string
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		return says("never"), nil
	}
	tr.change = func(o *Options) {
		o.MaxParallel = 1
		o.Models = modelsBy(func(ref string, req providers.Request) (providers.Message, error) {
			asked = append(asked, ref+" "+req.Prompt)
			if ref == "openai/empty" {
				return providers.Message{}, &providers.Error{Kind: providers.KindRateLimited}
			}
			return says("there"), nil
		})
	}
	r := tr.run(`
name: t
model: [openai/empty, openai/full]
steps:
  - {id: a, prompt: a}
  - {id: b, prompt: b}
  - {id: c, model: openai/empty, prompt: c}
  - {id: d, if: always(), model: openai/empty, prompt: d}
`)
	want := "openai/empty a, openai/full a, openai/full b"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	if got, want := statuses(r), "a=succeeded b=succeeded c=failed d=failed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A budget of time stops what works, lets nothing more begin, and leaves the
// rest to steps that look at how others went.
func TestBudgetOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t)
		tr.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
			select {
			case <-ctx.Done():
				return providers.Message{}, context.Cause(ctx)
			case <-time.After(40 * time.Second):
				return says("there"), nil
			}
		}
		began := time.Now()
		r := tr.run(`
name: t
model: openai/m
budget: {time: 1m}
steps:
  - id: g
    on_error: continue
    steps:
      - {id: each, foreach: "${{ 1..9 }}", max_parallel: 1, on_error: continue, prompt: hi}
      - {id: inner, if: always(), prompt: tidy}
  - {id: next, prompt: never}
  - {id: tidy, if: failure(), prompt: tidy}
`)
		if got, want := statuses(r), "g=stopped g/each=stopped g/inner=succeeded next=skipped tidy=succeeded"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if r.Status != steps.Stopped || r.Error.Kind != steps.KindBudget || !strings.Contains(r.Error.Message, "the run's time budget (1m") {
			t.Errorf("the run is %s: %+v", r.Status, r.Error)
		}
		if took := time.Since(began); took != 140*time.Second {
			t.Errorf("it took %v, want a minute and twice the time of a step", took)
		}
	})
}

// What a used workflow may spend or take is its own limit: for its caller it is
// a failure like any other. The run's own limit is not, however deep it is met.
func TestBudgetOfAUsedWorkflow(t *testing.T) {
	const source = `
name: t
model: openai/m
%s
steps:
  - {id: use, uses: used.yaml, on_error: continue}
  - {id: after, params: {max_output_tokens: 100}, prompt: hi}
`
	const used = `
name: used
%s
steps:
  - {id: a, on_error: continue, params: {max_output_tokens: 100}, prompt: hi}
  - {id: b, on_error: continue, params: {max_output_tokens: 100}, prompt: hi}
`
	for _, test := range []struct{ name, own, used, want string }{
		{"its own", "", "budget: {tokens: 150}", "use=stopped use/a=succeeded use/b=stopped after=succeeded"},
		{"the run's", "budget: {tokens: 150}", "", "use=stopped use/a=succeeded use/b=stopped after=skipped"},
		{"the run's within its own", "budget: {tokens: 150}", "budget: {tokens: 1500}", "use=stopped use/a=succeeded use/b=stopped after=skipped"},
		{"its own within the run's", "budget: {tokens: 1500}", "budget: {tokens: 150}", "use=stopped use/a=succeeded use/b=stopped after=succeeded"},
	} {
		tr := newTrial(t)
		tr.write("used.yaml", fmt.Sprintf(used, test.used))
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			m := says("done")
			m.Usage = providers.Usage{InputTokens: 10, OutputTokens: 90}
			return m, nil
		}
		if got := statuses(tr.run(fmt.Sprintf(source, test.own))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// The time of a used workflow ends with its own budget or with that of its
// caller, whichever is first; a step that tidies up has none of either.
func TestBudgetOfTimeOfAUsedWorkflow(t *testing.T) {
	for _, test := range []struct {
		own, used time.Duration
		want      string
		took      time.Duration
	}{
		{time.Minute, 10 * time.Second, "use=stopped use/a=stopped after=stopped tidy=succeeded", time.Minute + 40*time.Second},
		{10 * time.Second, time.Minute, "use=stopped use/a=stopped after=skipped tidy=succeeded", 50 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTrial(t)
			tr.write("used.yaml", fmt.Sprintf("name: used\nbudget: {time: %v}\nsteps:\n  - {id: a, prompt: long}\n", test.used))
			tr.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
				wait := 40 * time.Second
				if req.Prompt == "long" {
					wait = time.Hour
				}
				select {
				case <-ctx.Done():
					return providers.Message{}, context.Cause(ctx)
				case <-time.After(wait):
					return says("there"), nil
				}
			}
			began := time.Now()
			r := tr.run(fmt.Sprintf(`
name: t
model: openai/m
budget: {time: %v}
steps:
  - {id: use, uses: used.yaml, on_error: continue}
  - {id: after, prompt: long}
  - {id: tidy, if: always(), prompt: short}
`, test.own))
			if got := statuses(r); got != test.want {
				t.Errorf("%v within %v: got %s, want %s", test.used, test.own, got, test.want)
			}
			if took := time.Since(began); took != test.took {
				t.Errorf("%v within %v: it took %v, want %v", test.used, test.own, took, test.took)
			}
		})
	}
}

func TestFailuresOfElements(t *testing.T) {
	const source = `
name: t
steps:
  - {id: each, foreach: "${{ 1..10 }}", max_parallel: 1, on_error: %s, run: "test $((${{ item }} %% %d)) != 0"}
  - {id: after, run: "true"}
`
	tests := []struct {
		onError string
		each    int // every so many elements fail
		want    string
		message string
		counts  ElementCounts
	}{
		{"finish", 3, "each=failed after=skipped", "element 2: exit status 1 (2 more failed)",
			ElementCounts{Total: 10, Succeeded: 7, Reasons: map[steps.Kind]int{steps.KindCommand: 3}}},
		{"finish", 11, "each=succeeded after=succeeded", "", ElementCounts{Total: 10, Succeeded: 10}},
		{"continue", 1, "each=failed after=skipped", "no element succeeded: element 0: exit status 1 (9 more failed)",
			ElementCounts{Total: 10, Reasons: map[steps.Kind]int{steps.KindCommand: 10}}},
		{"continue, max_failures: 3", 3, "each=failed after=succeeded", "element 2: exit status 1 (2 more failed)",
			ElementCounts{Total: 10, Succeeded: 7, Reasons: map[steps.Kind]int{steps.KindCommand: 3}}},
		{"continue, max_failures: 2", 3, "each=failed after=skipped", "more elements failed than max_failures allows (2): element 2: exit status 1 (2 more failed, 1 did not start)",
			ElementCounts{Total: 10, Succeeded: 6, NotBegun: 1, Reasons: map[steps.Kind]int{steps.KindCommand: 3}}},
		{"continue, max_failures: 30%", 3, "each=failed after=succeeded", "element 2: exit status 1 (2 more failed)",
			ElementCounts{Total: 10, Succeeded: 7, Reasons: map[steps.Kind]int{steps.KindCommand: 3}}},
		{"continue, max_failures: 29%", 3, "each=failed after=skipped", "more elements failed than max_failures allows (29%): element 2: exit status 1 (2 more failed, 1 did not start)",
			ElementCounts{Total: 10, Succeeded: 6, NotBegun: 1, Reasons: map[steps.Kind]int{steps.KindCommand: 3}}},
		{"finish, max_failures: 0", 2, "each=failed after=skipped", "more elements failed than max_failures allows (0): element 1: exit status 1 (8 did not start)",
			ElementCounts{Total: 10, Succeeded: 1, NotBegun: 8, Reasons: map[steps.Kind]int{steps.KindCommand: 1}}},
	}
	for _, test := range tests {
		r := newTrial(t).run(fmt.Sprintf(source, test.onError, test.each))
		each, message := r.Steps[0], ""
		if each.Error != nil {
			message = each.Error.Message
		}
		if got := statuses(r); got != test.want || message != test.message {
			t.Errorf("%s, %d: got %s: %q, want %s: %q", test.onError, test.each, got, message, test.want, test.message)
		}
		if diff := cmp.Diff(&test.counts, each.Counts); diff != "" {
			t.Errorf("%s, %d: counts (-want +got):\n%s", test.onError, test.each, diff)
		}
	}
}

// A foreach over nothing has nothing that failed.
func TestForeachOverNothingSucceeds(t *testing.T) {
	r := newTrial(t).run("name: t\nsteps:\n  - {id: each, foreach: '${{ [] }}', on_error: continue, run: 'false'}\n")
	if r.Status != steps.Succeeded || r.Steps[0].Status != steps.Succeeded || r.Steps[0].Counts.Total != 0 {
		t.Errorf("%s: %+v", r.Status, r.Steps[0].Counts)
	}
}

// What is the run's own speaks for it before any other failure.
func TestTheRunsOwnFailureSpeaksFirst(t *testing.T) {
	tr := newTrial(t)
	tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
		return providers.Message{}, &providers.Error{Kind: providers.KindAuth}
	}
	r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, needs: [b], if: always(), run: 'false'}\n  - {id: b, needs: [], prompt: hi}\n")
	if got := statuses(r); got != "a=failed b=failed" || r.Error.Step != "b" || r.Error.Kind != steps.KindAuth {
		t.Errorf("%s: %+v, want the refused key of b", got, r.Error)
	}
}
