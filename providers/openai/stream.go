package openai

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// An event is a piece of a response.
type event = responses.ResponseStreamEventUnion

// eventDone is the type of a last event.
const eventDone = "response.completed"

// A stream takes in the events of one response.
type stream struct {
	client *wire.Client
	answer *wire.Answer

	items   map[int64]*entry // by output_index: some gateways change the ids with every event
	refused bool

	ended  bool   // the last event has come
	reason string // why the response is incomplete; empty when it is not
	usage  providers.Usage

	// most is how many tokens were asked for, of a service that may call an answer
	// completed which it has cut off there, as llama.cpp does; 0: its word is taken.
	most int64
}

func newStream(client *wire.Client, emit func(providers.Event)) *stream {
	return &stream{client: client, answer: wire.NewAnswer(emit), items: map[int64]*entry{}}
}

// read takes in the events up to the last. An end without that one is an error, and
// so is the connection's.
func (s *stream) read(ctx context.Context, events *ssestream.Stream[event]) error {
	for !s.ended && events.Next() {
		if err := s.add(events.Current()); err != nil {
			return err
		}
		if err := s.answer.Err(); err != nil {
			return s.client.Broken(ctx, err)
		}
	}
	failed := new(ssestream.StreamError)
	switch err := events.Err(); {
	case s.ended:
		return s.atEnd()
	case errors.As(err, &failed):
		return s.client.Failed(failed.Event.Data)
	case err != nil:
		return s.client.Broken(ctx, s.answer.Broken(err))
	}
	return s.client.Cut()
}

// add takes in one event. Types that are not known are passed over.
func (s *stream) add(e event) error {
	if index := e.JSON.OutputIndex; index.Raw() != "" && !index.Valid() {
		return s.client.Nonsense("a piece of the stream that belongs to no item of the response")
	}
	switch e.Type {
	case "error":
		return s.client.Failed([]byte(e.RawJSON()))
	case "response.output_item.added":
		return s.begin(e.OutputIndex, e.Item)
	case "response.output_item.done":
		return s.settle(e.OutputIndex, e.Item)
	case "response.output_text.delta":
		s.entry(e.OutputIndex).say(e.Delta)
	case "response.refusal.delta":
		s.entry(e.OutputIndex).refuse(e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.entry(e.OutputIndex).think(e.Delta)
	case "response.function_call_arguments.delta":
		s.entry(e.OutputIndex).argue(e.Delta)
	case eventDone, "response.incomplete", "response.failed", "response.done":
		return s.end(e.Response, e.JSON.Response.Raw())
	}
	return nil
}

// begin takes in an item of which no more may be known than its type.
func (s *stream) begin(index int64, it item) error {
	if it.RawJSON() == "" {
		return s.client.Nonsense("an item of the response that is none")
	}
	s.entry(index).begin(it)
	return nil
}

// settle takes in an item as it is at last.
func (s *stream) settle(index int64, it item) error {
	if it.Type == "" {
		return s.client.Nonsense("an item of the response that is none")
	}
	e := s.entry(index)
	if e.settled {
		return nil
	}
	if it.Type == itemCall && it.Name == "" {
		return s.client.Nonsense("a tool call without a name")
	}
	e.settle(it)
	return nil
}

func (s *stream) entry(index int64) *entry {
	e := s.items[index]
	if e == nil {
		s.answer.Holds(len(s.items) + 1)
		e = &entry{stream: s}
		s.items[index] = e
	}
	return e
}

// end takes in the last event's response, or one that came in place of a stream.
// Some backends leave its output empty: the items came before it.
func (s *stream) end(r responses.Response, raw string) error {
	if failure := json.RawMessage(r.JSON.Error.Raw()); wire.IsSet(failure) {
		// The error alone: what else a response holds would be taken for its words.
		return s.client.Failed(wire.JSON(map[string]json.RawMessage{"error": failure}))
	}
	switch r.Status {
	case responses.ResponseStatusCompleted:
	case responses.ResponseStatusIncomplete:
		s.reason = r.IncompleteDetails.Reason
	case "":
		if !wire.IsSet(json.RawMessage(raw)) {
			return s.client.Nonsense("the last event has no response")
		}
		return s.client.Failed([]byte(raw))
	default:
		return s.client.Nonsense("the response ended as " + string(r.Status))
	}
	for index, it := range r.Output {
		if err := s.settle(int64(index), it); err != nil {
			return err
		}
	}
	s.usage, s.ended = counted(r.Usage), true
	return nil
}

// counted returns the tokens, and what the service says that they cost.
func counted(u responses.ResponseUsage) providers.Usage {
	var charge wire.Charge
	if json.Unmarshal([]byte(u.RawJSON()), &charge) != nil {
		charge = wire.Charge{}
	}
	return providers.Usage{
		InputTokens:       u.InputTokens,
		OutputTokens:      u.OutputTokens,
		CachedInputTokens: u.InputTokensDetails.CachedTokens,
		CacheWriteTokens:  u.InputTokensDetails.CacheWriteTokens,
		ReasoningTokens:   u.OutputTokensDetails.ReasoningTokens,
		Cost:              charge.Total(),
	}
}

// atEnd judges what has come of calls, some of which may have come in deltas alone.
func (s *stream) atEnd() error {
	for _, e := range s.items {
		if e.call != nil && e.call.Block.Name == "" {
			return s.client.Nonsense("a tool call without a name")
		}
	}
	return nil
}

// Ending is why the model stopped, and what it used.
func (s *stream) Ending() (providers.Finish, providers.Usage) { return s.finish(), s.usage }

// finish is the normalised reason. Whole calls count for more than the word of
// the service, but what was cut or filtered stays so.
func (s *stream) finish() providers.Finish {
	switch s.reason {
	case "max_output_tokens", "max_tokens":
		return providers.FinishLength
	case "content_filter":
		return providers.FinishContentFilter
	}
	switch {
	case s.most > 0 && s.usage.OutputTokens >= s.most:
		return providers.FinishLength
	case s.answer.Called():
		return providers.FinishToolCalls
	case s.refused:
		return providers.FinishContentFilter
	}
	return providers.FinishStop
}
