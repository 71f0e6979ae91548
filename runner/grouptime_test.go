package runner

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// The time of a group runs on while it waits for another attempt.
func TestAGroupDoesNotOutwaitItsTime(t *testing.T) {
	tr := newTrial(t)
	synctest.Test(t, func(t *testing.T) {
		tr.ctx = t.Context()
		tr.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
			return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
		}
		began := time.Now()
		r := tr.run("name: t\nmodel: fake/one\nsteps: [{id: g, timeout: 1m, retry: {max_attempts: 3, backoff: 10m, max_backoff: 20m}, steps: [{id: a, prompt: a}]}]\n")
		if took := time.Since(began); took > time.Minute || r.Status != steps.Stopped || !strings.Contains(r.Error.Message, "timeout after 1m0s") {
			t.Errorf("%v: %s %v", took, r.Status, r.Error)
		}
	})
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
		o.Resume = &Resumption{Answers: []GivenAnswer{{Address: "all", Allowed: true}}}
	}
	if r = tr.run(source); r.Status != steps.Succeeded {
		t.Errorf("%s %v", r.Status, r.Error)
	}
}
