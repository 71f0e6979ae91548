package kept

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
)

// A Conversation is the work of one step, with all of its attempts. What its models
// answer waits until it is committed. It is safe for concurrent use.
type Conversation struct {
	store *Store

	mu      sync.Mutex
	given   []key // of this attempt, in order: kept before, or asked for
	pending map[key]entry
	avoided map[key]bool // their answers have failed
}

// Begin returns a conversation that has got nothing yet.
func (s *Store) Begin() *Conversation {
	return &Conversation{store: s, pending: map[key]entry{}, avoided: map[key]bool{}}
}

// Keep returns a model that gives the answers of m that are kept, and asks m for
// any other. An answer that is kept comes with the events of one that is asked for;
// its Usage is zero, and its Saved is not nil.
func (c *Conversation) Keep(m providers.Model, at Place) providers.Model {
	return &model{Model: m, c: c, at: at}
}

// Commit keeps what the attempt got. It goes on after an error, which says what
// could not be kept and is no reason for the step to fail.
func (c *Conversation) Commit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed error // the first: the others are like it
	lost := 0
	for id, e := range c.pending {
		if err := c.store.add(id, e); err != nil {
			failed, lost = cmp.Or(failed, err), lost+1
		}
	}
	c.pending, c.given = map[key]entry{}, nil
	if failed != nil {
		return fmt.Errorf("%s could not be kept: %w", quantity.Count(lost, "answer"), failed)
	}
	return nil
}

// Discard forgets what the attempt got, since it has failed. None of these answers,
// be they new or kept, is given again, neither here nor in another run. An attempt
// that was only interrupted is not discarded: its conversation is dropped.
func (c *Conversation) Discard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.given {
		c.avoid(id)
	}
	c.pending, c.given = map[key]entry{}, nil
}

func (c *Conversation) avoid(id key) {
	c.avoided[id] = true
	delete(c.pending, id)
	c.store.drop(id)
}

// find returns the answer to a request, if it is kept and may be given. One that this
// attempt has got is not: who asks the same again wants another.
func (c *Conversation) find(id key) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.avoided[id] || slices.Contains(c.given, id) {
		return entry{}, false
	}
	e, ok := c.store.find(id)
	if ok {
		c.given = append(c.given, id)
	}
	return e, ok
}

// got takes in an answer that was asked for.
func (c *Conversation) got(id key, answer providers.Message, own bool) {
	e := entryOf(answer)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = append(c.given, id)
	delete(c.pending, id)
	if own && e.isWhole() && !e.holds(c.store.options.Secret) {
		c.pending[id] = e
	}
}

// A model is one whose answers are kept.
type model struct {
	providers.Model
	c  *Conversation
	at Place
}

// Stream gives the answer that is kept, or asks; see [providers.Model].
func (m *model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	info := m.Info()
	id := keyOf(info, m.at, req)
	if ctx.Err() != nil {
		return providers.Message{}, providers.Cancelled(ctx, info.Ref)
	}
	if e, ok := m.c.find(id); ok {
		answer := e.message()
		tell(answer, emit)
		return answer, nil
	}
	if m.c.store.options.Only {
		return providers.Message{}, &providers.Error{
			Kind: providers.KindConfiguration, Model: info.Ref, Message: "no answer to this request is kept, and none may be asked for",
		}
	}
	answer, err := m.Model.Stream(ctx, req, emit)
	if err == nil {
		m.c.got(id, answer, answer.Model == "" || answer.Model == info.Ref)
	}
	return answer, err
}

// tell emits the events of an answer that is there at once.
func tell(answer providers.Message, emit func(providers.Event)) {
	if emit == nil {
		return
	}
	for i, b := range answer.Blocks {
		begun := providers.Block{Type: b.Type, ID: b.ID, Name: b.Name}
		emit(providers.Event{Type: providers.BlockStarted, Index: i, Block: begun})
		if delta := b.Text + string(b.Arguments); delta != "" {
			emit(providers.Event{Type: providers.BlockDelta, Index: i, Delta: delta})
		}
		emit(providers.Event{Type: providers.BlockFinished, Index: i, Block: b})
	}
}
