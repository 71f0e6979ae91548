package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A stutterer begins its answer, which may be the beginning of a secret, and starts over.
type stutterer struct{ fakeModel }

func (s stutterer) Stream(_ context.Context, _ providers.Request, emit func(providers.Event)) (providers.Message, error) {
	text := providers.Block{Type: providers.BlockText}
	emit(providers.Event{Type: providers.BlockStarted, Block: text})
	emit(providers.Event{Type: providers.BlockDelta, Delta: "tok-", Block: text})
	emit(providers.Event{Type: providers.BlockStarted, Block: text})
	emit(providers.Event{Type: providers.BlockDelta, Delta: "fine", Block: text})
	text.Text = "fine"
	emit(providers.Event{Type: providers.BlockFinished, Block: text})
	return says("fine"), nil
}

// Text that was held back since it may be part of a secret belongs to the answer that broke
// off, and not to the one that replaces it.
func TestAnswersThatStartOverAreObservedAnew(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Mask = tools.NewMask([]string{"tok-5f2e9c"})
		o.Models = func(ref string, _ *workflows.Workflow) (providers.Model, error) {
			return stutterer{fakeModel{ref: ref}}, nil
		}
	}
	if r := tr.run("name: t\nmodel: fake/one\nsteps: [{id: a, prompt: hi}]\n"); r.Text() != "fine" {
		t.Fatalf("%s: %q", r.Status, r.Text())
	}
	var seen strings.Builder
	for _, e := range tr.events {
		switch e.Type {
		case steps.BlockStarted:
			seen.WriteString("<")
		case steps.BlockDelta:
			seen.WriteString(e.Delta)
		case steps.BlockFinished:
			seen.WriteString(">")
		}
	}
	if got, want := seen.String(), "<<fine>"; got != want {
		t.Errorf("observed %s, want %s", got, want)
	}
}
