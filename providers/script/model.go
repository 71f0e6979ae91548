package script

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
)

// providerName is the provider in messages and [providers.Info].
const providerName = "script"

// A Model plays a script. Each conversation plays its step's turns from the first; each
// request takes the next turn, also a retried one. A Model is safe for concurrent use.
type Model struct {
	ref    string
	script *lookup

	mu     sync.Mutex
	played map[string]int // the turns taken, by conversation
}

// New returns a model with the reference ref that plays s.
func New(ref string, s Script) *Model {
	return &Model{ref: ref, script: newLookup(s), played: map[string]int{}}
}

// Info says that a script supports all forms of output.
func (m *Model) Info() providers.Info {
	return providers.Info{Ref: m.ref, Provider: providerName, StructuredOutput: true}
}

// Stream plays the conversation's next turn. It returns an error of
// [providers.KindProvider] if the script has no turns for the step, or no more of them, or
// the turn is no valid answer, and of [providers.KindConfiguration] if the turn itself
// returns an error, such as for a mistake in an expression.
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	if ctx.Err() != nil {
		return providers.Message{}, providers.Cancelled(ctx, m.ref)
	}
	turn := m.next(req.Conversation, req.Taken)
	turns, err := m.script.turns(req.Conversation, req.Step)
	if err != nil {
		return providers.Message{}, m.broken(req, turn, err)
	}
	answer, err := play(turns, turn, req)
	if err != nil {
		return providers.Message{}, m.broken(req, turn, err)
	}
	if !providers.Sleep(ctx, answer.Delay) {
		return providers.Message{}, providers.Cancelled(ctx, m.ref)
	}
	if answer.Error != nil {
		return providers.Message{}, answer.Error.err(m.ref)
	}
	whole, err := answer.message(m.ref, callIDs(req.Messages))
	if err != nil {
		return providers.Message{}, m.broken(req, turn, err)
	}
	whole.Replay(emit)
	return whole, nil
}

// next returns the number of the next turn of a conversation, from 1. Turns that an earlier
// process took are counted.
func (m *Model) next(conversation string, before int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.played[conversation] = max(m.played[conversation], before) + 1
	return m.played[conversation]
}

func play(turns []Turn, turn int, req providers.Request) (Answer, error) {
	switch {
	case turn <= len(turns):
	case len(turns) == 1:
		return Answer{}, errors.New("the script has only 1 turn")
	default:
		return Answer{}, fmt.Errorf("the script has only %d turns", len(turns))
	}
	scene, err := sceneOf(req, turn)
	if err != nil {
		return Answer{}, err
	}
	answer, err := turns[turn-1](scene)
	if err != nil {
		err = mistake{err}
	}
	return answer, err
}

// A mistake is an error in the file of a script.
type mistake struct{ error }

// Unwrap returns the cause.
func (m mistake) Unwrap() error { return m.error }

// broken returns the error for a turn that can't be played. It is permanent.
func (m *Model) broken(req providers.Request, turn int, err error) error {
	kind, hint := providers.KindProvider, "add a turn for the step to the script"
	if errors.As(err, new(mistake)) {
		kind, hint = providers.KindConfiguration, ""
	}
	return &providers.Error{Kind: kind, Model: m.ref, Hint: hint, Err: fmt.Errorf("turn %d of step %q: %w", turn, req.Step, err)}
}

// callIDs returns a generator of call_1, call_2 and so on, which skips ids that are used in
// the conversation.
func callIDs(messages []providers.Message) func() string {
	used := map[string]bool{}
	for _, m := range messages {
		for _, call := range m.Calls() {
			used[call.ID] = true
		}
	}
	n := len(used)
	return func() string {
		for n++; used[fmt.Sprintf("call_%d", n)]; n++ {
		}
		return fmt.Sprintf("call_%d", n)
	}
}
