package script

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
)

// providerName is what messages and [providers.Info] name as the service.
const providerName = "script"

// A Model plays a script. Each conversation plays its step's turns from the
// first; each request of it takes the next turn, a retried one too. A Model is
// safe for concurrent use.
type Model struct {
	ref    string
	script Script

	mu    sync.Mutex
	asked map[string]int // the turns taken, by conversation
}

// New returns the model that plays s, and is known as ref.
func New(ref string, s Script) *Model {
	return &Model{ref: ref, script: s, asked: map[string]int{}}
}

// Info says that a script can answer in any form that is asked of it.
func (m *Model) Info() providers.Info {
	return providers.Info{Ref: m.ref, Provider: providerName, StructuredOutput: true}
}

// Stream plays the conversation's next turn. A script that has no turns for
// the step, or no more of them, or whose turn is no answer, is
// [providers.KindProvider]; a turn that gives an error of its own, as one with a
// mistake in its expressions, is [providers.KindConfiguration].
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
	return m.tell(ctx, whole, emit)
}

// next counts the turns of a conversation from 1, behind those that were taken
// before this process.
func (m *Model) next(conversation string, taken int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[conversation] = max(m.asked[conversation], taken) + 1
	return m.asked[conversation]
}

func play(turns []Turn, turn int, req providers.Request) (Answer, error) {
	switch {
	case turn <= len(turns):
	case len(turns) == 1:
		return Answer{}, errors.New("the script has 1 turn only")
	default:
		return Answer{}, fmt.Errorf("the script has %d turns only", len(turns))
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

// A mistake is the script's own: it is in its file.
type mistake struct{ error }

// Unwrap returns the cause.
func (m mistake) Unwrap() error { return m.error }

// broken is a turn that can't be played, however often it is tried.
func (m *Model) broken(req providers.Request, turn int, err error) error {
	kind := providers.KindProvider
	if errors.As(err, new(mistake)) {
		kind = providers.KindConfiguration
	}
	return &providers.Error{Kind: kind, Model: m.ref, Err: fmt.Errorf("step %q: turn %d: %w", req.Step, turn, err)}
}

// tell streams the message block by block. When ctx ends in between it returns
// what has been told until then.
func (m *Model) tell(ctx context.Context, whole providers.Message, emit func(providers.Event)) (providers.Message, error) {
	for i, block := range whole.Blocks {
		if ctx.Err() != nil {
			whole.Blocks, whole.Finish = whole.Blocks[:i], providers.FinishError
			return whole, providers.Cancelled(ctx, m.ref)
		}
		started := providers.Block{Type: block.Type, ID: block.ID, Name: block.Name}
		emit(providers.Event{Type: providers.BlockStarted, Index: i, Block: started})
		for _, delta := range deltas(block.Text + string(block.Arguments)) {
			emit(providers.Event{Type: providers.BlockDelta, Index: i, Delta: delta})
		}
		emit(providers.Event{Type: providers.BlockFinished, Index: i, Block: block})
	}
	return whole, nil
}

// deltas cuts a text between characters, into pieces of a few, but never into
// many more than a hundred.
func deltas(text string) []string {
	const shortest, most = 12, 100
	size := max(shortest, len(text)/most)
	var pieces []string
	start := 0
	for i := range text {
		if i-start >= size {
			pieces = append(pieces, text[start:i])
			start = i
		}
	}
	if start < len(text) {
		pieces = append(pieces, text[start:])
	}
	return pieces
}

// callIDs makes up call_1, call_2 and so on: numbered through a conversation,
// and never one that the conversation, begun perhaps with another model, has.
func callIDs(messages []providers.Message) func() string {
	taken, n := map[string]bool{}, 0
	for _, m := range messages {
		for _, call := range m.Calls() {
			taken[call.ID] = true
			n++
		}
	}
	return func() string {
		for {
			n++
			if id := fmt.Sprintf("call_%d", n); !taken[id] {
				return id
			}
		}
	}
}
