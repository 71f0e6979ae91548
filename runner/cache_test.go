package runner

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A keptModel is a model whose answers can be kept.
type keptModel struct{ fakeModel }

func (m keptModel) Keep(work *cache.Conversation) providers.Model {
	return work.Keep(m, cache.EndpointDigest{})
}

// A remembering trial runs a workflow again and again, in one folder of answers.
type remembering struct {
	*trial
	folder string
	asked  []string // what was answered, by who was asked
}

func newRemembering(t *testing.T) *remembering {
	m := &remembering{trial: newTrial(t), folder: t.TempDir()}
	m.change = func(o *Options) {
		o.Models = func(ref string, _ *workflows.Workflow) (providers.Model, error) {
			return keptModel{fakeModel{ref, m.trial.answer}}, nil
		}
		o.Cache.Open = func() (*cache.Store, error) { return cache.Open(m.folder, cache.Options{}) }
	}
	return m
}

// again runs a workflow with a model that says these, in order, and returns what it
// said, and what came of the step, without the quotes of JSON.
func (m *remembering) again(source string, answers ...string) string {
	m.t.Helper()
	if err := os.RemoveAll(m.dir + "/run"); err != nil {
		m.t.Fatal(err)
	}
	m.asked = nil
	m.trial.answer = func(context.Context, providers.Request) (providers.Message, error) {
		if len(m.asked) == len(answers) {
			return providers.Message{}, fmt.Errorf("request %d of %d", len(m.asked)+1, len(answers))
		}
		m.asked = append(m.asked, answers[len(m.asked)])
		return says(m.asked[len(m.asked)-1]), nil
	}
	r := m.run(source)
	return strings.ReplaceAll(fmt.Sprintf("%s: %s %s", strings.Join(m.asked, ", "), r.Steps[0].Status, r.Steps[0].Text), `"`, "")
}

// TestMaxAge has answers of thirty days: the clock is the test's.
func TestMaxAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const source = "name: t\nmodel: fake/one\nsteps: [{id: a, prompt: hi, cache: {max_age: 30d}}]\n"
		m := newRemembering(t)
		for _, step := range []struct {
			passes time.Duration
			want   string
		}{
			{0, `one: succeeded one`},
			{30 * 24 * time.Hour, `: succeeded one`},
			{time.Second, `two: succeeded two`},
			{29 * 24 * time.Hour, `: succeeded two`},
		} {
			time.Sleep(step.passes)
			next := "one"
			if step.passes > 0 {
				next = "two"
			}
			if got := m.again(source, next); got != step.want {
				t.Errorf("after %v: %s, want %s", step.passes, got, step.want)
			}
		}
	})
}

// TestAnswersThatFailed has steps whose first answer is bad: whoever tries again, in
// this run or in the next one, asks anew, and what has succeeded is what is kept.
func TestAnswersThatFailed(t *testing.T) {
	for _, test := range []struct{ name, step, first, second string }{
		{"a retry after a check", `checks: [{expr: text == "good"}], max_fixes: 0, retry: {max_attempts: 2, backoff: 1ms}`,
			`bad, good: succeeded good`, `: succeeded good`},
		{"a fix after a check", `checks: [{expr: text == "good"}], max_fixes: 1`,
			`bad, good: succeeded good`, `: succeeded good`},
		{"the next run after a check", `checks: [{expr: text == "good"}], max_fixes: 0`,
			`bad: failed bad`, `good: succeeded good`},
		{"a repair", `output: {enum: [good]}`,
			`bad, good: succeeded good`, `: succeeded good`},
		{"a retry after what can't be repaired", `output: {enum: [good]}, retry: {max_attempts: 2, backoff: 1ms}`,
			`bad, bad, bad, bad, good: succeeded good`, `: succeeded good`},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := "name: t\nmodel: fake/one\ncache: true\nsteps: [{id: a, prompt: hi, " + test.step + "}]\n"
			m := newRemembering(t)
			quote := ""
			if strings.Contains(test.step, "output") {
				quote = `"`
			}
			words, _, _ := strings.Cut(test.first, ":")
			answers := strings.Split(quote+strings.ReplaceAll(words, ", ", quote+", "+quote)+quote, ", ")
			if got := m.again(source, answers...); got != test.first {
				t.Errorf("the first run: %s, want %s", got, test.first)
			}
			if got := m.again(source, quote+"good"+quote); got != test.second {
				t.Errorf("the second run: %s, want %s", got, test.second)
			}
		})
	}
}

// TestAKeptAnswerThatFails has an answer that was good when it was kept: who fails by it
// now tries again with another one, and so does the next run.
func TestAKeptAnswerThatFails(t *testing.T) {
	const source = `
name: t
model: fake/one
cache: true
steps:
  - {id: a, prompt: hi, checks: [{run: "grep -qx \"${{ text }}\" wanted"}], max_fixes: 0, retry: {max_attempts: %d, backoff: 1ms}}
`
	m := newRemembering(t)
	for _, run := range []struct {
		attempts             int
		wanted, answer, want string
	}{
		{2, "old", "old", `old: succeeded old`},
		{2, "old", "new", `: succeeded old`},
		{2, "new", "new", `new: succeeded new`},
		{1, "newer", "newer", `: failed new`},
		{1, "newer", "newer", `newer: succeeded newer`},
	} {
		m.write("wanted", run.wanted+"\n")
		if got := m.again(fmt.Sprintf(source, run.attempts), run.answer); got != run.want {
			t.Errorf("%+v: %s", run, got)
		}
	}
}

// TestAKeptAnswerThatIsToBlame has an answer that was kept, a run that fails, and another
// one: what has failed by the answer is asked anew, what has failed beside it is not.
func TestAKeptAnswerThatIsToBlame(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fails  func(*Options) // in the second run
		kind   steps.Kind
		blamed bool
	}{
		{"a call that is denied", func(o *Options) {
			o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
				return Toolbox{Guard: denied{}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
			}
		}, steps.KindDenied, true},
		{"tools that there are not", func(o *Options) {
			o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
				return Toolbox{}, &steps.Error{Kind: steps.KindConfiguration, Message: "no server"}
			}
		}, steps.KindConfiguration, false},
	} {
		m := newRemembering(t)
		asked := 0
		m.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
			if asked++; len(req.Messages) == 1 {
				return calls("look"), nil
			}
			return says("done"), nil
		}
		keeps := m.change
		for n, change := range []func(*Options){nil, tt.fails, nil} {
			if err := os.RemoveAll(m.dir + "/run"); err != nil {
				t.Fatal(err)
			}
			m.change = func(o *Options) {
				if keeps(o); change != nil {
					change(o)
				}
			}
			r := m.run("name: t\nmodel: fake/one\ncache: true\nsteps: [{id: a, prompt: hi, tools: [look], on_denied: fail}]\n")
			if failed := asErrorOf(r, nil); (failed != nil) != (n == 1) || failed != nil && failed.Kind != tt.kind {
				t.Fatalf("%s: run %d: %v", tt.name, n+1, failed)
			}
		}
		if again := asked > 2; again != tt.blamed {
			t.Errorf("%s: %d requests in all runs", tt.name, asked)
		}
	}
}

// A cached answer costs nothing: no budget and no limit refuses it, and it leaves all of them for
// the requests that are made.
func TestCachedAnswersNeedNoBudget(t *testing.T) {
	const head, hi = "name: t\nmodel: fake/one\ncache: true\n", "{id: a, prompt: hi}"
	for name, test := range map[string]struct {
		source string
		change func(*Options)
	}{
		"--budget-usd 0":                   {"steps: [" + hi + "]", func(o *Options) { o.BudgetUSD = new(float64) }},
		"--budget-usd 0 with --cache-only": {"steps: [" + hi + "]", func(o *Options) { o.BudgetUSD, o.Cache.Only = new(float64), true }},
		"cost_usd":                         {"budget: {cost_usd: 0.00001}\nsteps: [" + hi + "]", nil},
		"tokens":                           {"budget: {tokens: 1}\nsteps: [" + hi + "]", nil},
		"of a used workflow":               {"steps: [{id: a, uses: used.yaml}]", nil},
		"in elements":                      {"budget: {cost_usd: 0.00001}\nsteps: [{id: a, foreach: [1, 2, 3], max_parallel: 3, prompt: hi}]", nil},
		"with a fallback":                  {"budget: {tokens: 1}\nsteps: [{id: a, model: [fake/one, fake/two], prompt: hi}]", nil},
		"a step's own limits":              {"steps: [{id: a, prompt: hi, stop: {max_tokens: 1, max_cost_usd: 0.00001}}]", nil},
		"recorded":                         {"budget: {tokens: 1}\nsteps: [" + hi + "]", func(o *Options) { o.Record = script.NewRecorder().Record }},
	} {
		t.Run(name, func(t *testing.T) {
			m := newRemembering(t)
			m.write("used.yaml", head+"budget: {tokens: 1}\nsteps: [{id: in, prompt: hi}]\n")
			m.again(head+"steps: ["+hi+"]\n", "hello")
			before := m.change
			m.change = func(o *Options) {
				before(o)
				o.Price = func(string, providers.Usage) (float64, bool) { return 0.5, true }
				if test.change != nil {
					test.change(o)
				}
			}
			if got := m.again(head+test.source+"\n", "asked"); !strings.HasPrefix(got, ": succeeded ") {
				t.Error(got)
			}
		})
	}
}

// A budget that is used up is told with as many digits as its amount has.
func TestASmallBudgetIsTold(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Price = func(string, providers.Usage) (float64, bool) { return 0.00002, true } }
	r := tr.run("name: t\nmodel: fake/one\nbudget: {cost_usd: 0.00001}\nsteps: [{id: a, prompt: hi}]\n")
	if r.Error == nil || !strings.Contains(r.Error.Message, "0.00001 of 0.00001 are left") {
		t.Errorf("got %+v", r.Error)
	}
}
