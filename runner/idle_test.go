package runner

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/google/go-cmp/cmp"
)

// What a unit has taken and used is that of all processes, and nothing of the time
// between them.
func TestWhatAUnitTookIsThatOfAllProcesses(t *testing.T) {
	const source = `
name: slow
model: fake/one
steps:
  - {id: agent, prompt: hi, tools: [echo]}
  - {id: each, needs: [], foreach: [a, b, c], max_parallel: 1, on_error: finish, prompt: "${{ item }}"}
`
	synctest.Test(t, func(t *testing.T) {
		play := func(_ context.Context, req providers.Request) (providers.Message, error) {
			time.Sleep(10 * time.Second)
			m := says("said")
			switch {
			case req.Prompt == "a": // after the first answer of the agent
				time.Sleep(5 * time.Second)
				return m, &providers.Error{Kind: providers.KindProvider, Message: "no"}
			case req.Prompt == "hi" && len(req.Messages) == 1:
				m = calls("echo")
			}
			m.Usage = providers.Usage{InputTokens: 10, OutputTokens: 5}
			return m, nil
		}
		first := newTrial(t)
		first.answer = play
		first.run(source)
		run := filepath.Join(first.dir, "run")
		n := 1 + strings.Count(first.file("run/journal.jsonl")[:strings.Index(first.file("run/journal.jsonl"), `"kind":"ended","unit":"each[0]"`)], "\n")

		time.Sleep(time.Hour)
		second := newTrial(t)
		second.answer = play
		second.change = func(o *Options) { o.Dir, o.Resume = cutTo(t, run, n), &Resumption{} }
		r, err := second.try(source)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{"run": (time.Duration(r.Duration) * time.Millisecond).String()}
		for _, e := range second.events {
			switch {
			case e.Type == StepStarted && e.Items != nil:
				if e.Earlier.Succeeded != 0 || e.Earlier.Reasons[steps.KindProvider] != 1 {
					t.Errorf("before the second process its elements came to %+v", e.Earlier)
				}
			case e.Type == StepFinished:
				got[e.Unit.String()] = e.Elapsed.String()
				if tokens := map[string]int64{"agent": 30, "each": 30}[e.Unit.String()]; tokens != 0 && e.Came.Tokens != tokens {
					t.Errorf("%s used %d tokens, want %d", e.Unit, e.Came.Tokens, tokens)
				}
			}
		}
		want := map[string]string{"agent": "25s", "each[1]": "10s", "each[2]": "10s", "each": "35s", "run": "35s"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// The time of a conversation goes on where it was when flow was killed.
func TestTheTimeOfAConversationContinues(t *testing.T) {
	const source = "name: slow\nmodel: fake/one\nsteps: [{id: a, tools: [echo], stop: {timeout: 25s}, prompt: hi}]\n"
	synctest.Test(t, func(t *testing.T) {
		play := func(ctx context.Context, req providers.Request) (providers.Message, error) {
			if !providers.Sleep(ctx, 10*time.Second) {
				return providers.Message{}, context.Cause(ctx)
			}
			if len(req.Messages) < 5 {
				return calls("echo"), nil
			}
			return says("said"), nil
		}
		first := newTrial(t)
		first.answer = play
		first.run(source)
		journal := first.file("run/journal.jsonl")
		n := 1 + strings.Count(journal[:strings.Index(journal, `"kind":"answer"`)], "\n")
		time.Sleep(time.Hour)
		second := newTrial(t)
		second.answer = play
		second.change = func(o *Options) { o.Dir, o.Resume = cutTo(t, filepath.Join(first.dir, "run"), n), &Resumption{} }
		began := time.Now()
		if r := second.run(source); r.Status != steps.Stopped || time.Since(began) != 25*time.Second { // the rest of its time, and its last answer
			t.Errorf("%s after %v", r.Status, time.Since(began))
		}
	})
}
