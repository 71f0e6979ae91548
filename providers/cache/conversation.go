package cache

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
)

// A Conversation is one step's use of the cache, with all of its attempts. New answers are
// stored when it is committed. It is safe for concurrent use.
type Conversation struct {
	store *Store

	mu      sync.Mutex
	given   map[key]*providers.Message // the answers of this attempt; nil for one that is not to be stored
	avoided map[key]bool               // answers of failed attempts
}

// Begin returns a new conversation.
func (s *Store) Begin() *Conversation {
	return &Conversation{store: s, given: map[key]*providers.Message{}, avoided: map[key]bool{}}
}

// Keep returns a model that returns cached answers of m, and asks m for any other. A cached
// answer emits events like a new one; its Usage is zero, and its Saved is not nil.
func (c *Conversation) Keep(m providers.Model, endpoint EndpointDigest) providers.Model {
	return &model{Model: m, c: c, endpoint: endpoint}
}

// Commit stores the new answers of the attempt. The error says how many could not be stored;
// it is no reason for the step to fail.
func (c *Conversation) Commit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed error // the first: the others are like it
	lost := 0
	for id, answer := range c.given {
		if answer == nil {
			continue
		}
		if err := c.store.add(id, *answer); err != nil {
			failed, lost = cmp.Or(failed, err), lost+1
		}
	}
	clear(c.given)
	if failed != nil {
		return fmt.Errorf("%s could not be cached: %w", quantity.Count(lost, "answer"), failed)
	}
	return nil
}

// Discard drops the answers of an attempt that has failed, new and cached ones, so that
// they are used neither in this conversation nor in another run. Don't call it for an
// attempt that was only interrupted; drop the conversation instead.
func (c *Conversation) Discard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.given {
		c.avoided[id] = true
		c.store.drop(id)
	}
	clear(c.given)
}

// find returns the cached answer to a request, if it is not longer than limit, in tokens; 0 is no
// limit. A request that this attempt has made before gets none: it is repeated for another answer.
func (c *Conversation) find(id key, limit int) (providers.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.given[id]; again || c.avoided[id] {
		return providers.Message{}, false
	}
	answer, found := c.store.find(id)
	return answer, found && (limit == 0 || answer.Saved.OutputTokens <= int64(limit))
}

// give notes that this attempt has got an answer to a request. A new one is to be stored later; nil is one
// that is not.
func (c *Conversation) give(id key, made *providers.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if made != nil && (!isWhole(*made) || holds(*made, c.store.options.Secret)) {
		made = nil
	}
	c.given[id] = made
}

// isWhole reports whether a conversation can continue with an answer.
func isWhole(m providers.Message) bool {
	switch calls := len(m.Calls()) > 0; m.Finish {
	case providers.FinishStop:
		return len(m.Blocks) > 0 && !calls
	case providers.FinishToolCalls:
		return calls
	}
	return false
}

// holds reports whether secret is true for a text of an answer.
func holds(m providers.Message, secret func(string) bool) bool {
	return slices.ContainsFunc(m.Blocks, func(b providers.Block) bool {
		return slices.ContainsFunc([]string{b.Text, b.ID, b.Name, string(b.Arguments), string(b.Raw)}, secret)
	})
}

// A model caches the answers of another.
type model struct {
	providers.Model
	c        *Conversation
	endpoint EndpointDigest
}

// Cached implements [providers.Cacher].
func (m *model) Cached(req providers.Request) bool {
	if m.c.store.options.Only {
		return true
	}
	_, found := m.c.find(keyOf(m.Info(), m.endpoint, req), req.Params.MaxOutputTokens)
	return found
}

// Stream returns the cached answer, or asks the model; see [providers.Model].
func (m *model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	info := m.Info()
	id := keyOf(info, m.endpoint, req)
	if ctx.Err() != nil {
		return providers.Message{}, providers.Cancelled(ctx, info.Ref)
	}
	if answer, ok := m.c.find(id, req.Params.MaxOutputTokens); ok {
		m.c.give(id, nil)
		answer.Replay(emit)
		return answer, nil
	}
	if m.c.store.options.Only {
		return providers.Message{}, &providers.Error{
			Kind: providers.KindConfiguration, Model: info.Ref, Message: "no cached answer for this request, and a cache-only run sends no requests",
		}
	}
	answer, err := m.Model.Stream(ctx, req, emit)
	switch {
	case err != nil:
	case answer.Model == "" || answer.Model == info.Ref:
		m.c.give(id, &answer)
	default: // of another one, after a fallback
		m.c.give(id, nil)
	}
	return answer, err
}
