package script_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

// All wrappers around scripts, as a run stacks them: 64 conversations of five
// turns at once. The first model is refused now and then, and gives up on every
// fourth conversation, which another one takes over with its first turn.
func TestEverythingThatWrapsAModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const conversations, turns = 64, 5
		refused := say(script.Answer{Error: &script.Failure{Status: 429, RetryAfter: time.Second}})
		down := say(script.Answer{Error: &script.Failure{Status: 503}})
		count := func(s script.Scene) (script.Answer, error) {
			return script.Answer{Text: fmt.Sprint(s.Prompt, " ", len(s.Messages)), Delay: time.Second}, nil
		}
		steps := map[string][]script.Turn{script.AnyStep: {count, refused, count, count, refused, refused, count, count}}
		for i := 0; i < conversations; i += 4 {
			steps[fmt.Sprintf("pages/%d", i)] = []script.Turn{count, down, down, down, down}
		}
		first := script.New("script/first", script.Script{Steps: steps})
		second := one(count, count, count, count, count)

		governor := providers.NewGovernor(providers.GovernorOptions{})
		recorder := script.NewRecorder()
		model := recorder.Record(providers.Fallback([]providers.Model{
			providers.Retry(providers.Limit(first, governor)),
			providers.Retry(second),
		}))

		var group conc.WaitGroup
		for i := range conversations {
			group.Go(func() { converse(t, model, fmt.Sprintf("pages/%d", i), turns) })
		}
		group.Wait()
		replay := script.New("script/recording", load(t, recording(t, recorder)))
		for i := range conversations {
			converse(t, replay, fmt.Sprintf("pages/%d", i), turns)
		}
	})
}

// converse checks that a conversation gets each answer once, and in order.
func converse(t *testing.T, model providers.Model, conversation string, turns int) {
	req := providers.Request{Step: "pages", Conversation: conversation, Prompt: conversation}
	for turn := range turns {
		answer, err := model.Stream(t.Context(), req, ignore)
		if want := fmt.Sprint(conversation, " ", turn*2); err != nil || answer.Text() != want {
			t.Errorf("%s: turn %d: got %q, %v; want %q", conversation, turn+1, answer.Text(), err, want)
			return
		}
		req.Messages = append(req.Messages, answer, providers.UserText("Go on."))
	}
}
