package openai

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A stream takes in the events of one response.
type stream struct {
	client *wire.Client
	answer *wire.Answer

	items   map[int]*entry // by output_index: some gateways change the ids with every event
	refused bool

	ended  bool   // the last event has come
	reason string // why the response is incomplete; empty when it is not
	usage  usage

	// most is how many tokens were asked for, of a service that may call an answer
	// completed which it has cut off there, as llama.cpp does; 0: its word is taken.
	most int64
}

func newStream(client *wire.Client, emit func(providers.Event)) *stream {
	return &stream{client: client, answer: wire.NewAnswer(emit), items: map[int]*entry{}}
}

// An event is what the stream brings, in the fields that count.
type event struct {
	Type     string          `json:"type"`
	Index    int             `json:"output_index"`
	Delta    looseText       `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response json.RawMessage `json:"response"`
}

// A looseText is a text where there is one. Events that are not ours to read may
// have anything in its place.
type looseText string

// UnmarshalJSON never fails.
func (t *looseText) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(t)) != nil {
		*t = ""
	}
	return nil
}

// Add takes in one event of the stream.
func (s *stream) Add(raw wire.Event) (last bool, err error) {
	if raw.IsDone() {
		return true, nil
	}
	err = s.add(raw)
	return s.ended, err
}

func (s *stream) add(raw wire.Event) error {
	var e event
	err := json.Unmarshal(raw.Data, &e)
	switch {
	case raw.Bare:
		return s.addWhole(raw.Data)
	case raw.Name == "error" || e.Type == "error":
		return s.client.Failed(raw.Data)
	case err != nil && raw.Cut:
		return s.client.Cut()
	case err != nil:
		return s.client.Nonsense("a piece of the stream is no event of a response")
	case e.Type == "":
		return s.untyped(raw.Data)
	}
	return s.addEvent(e)
}

// untyped judges an object without a type: an error, or nothing of ours.
func (s *stream) untyped(data []byte) error {
	var r response
	if json.Unmarshal(data, &r) == nil && wire.IsSet(r.Error) {
		return s.client.Failed(data)
	}
	return nil
}

func (s *stream) addEvent(e event) error {
	switch e.Type {
	case "response.output_item.added":
		return s.begin(e.Index, e.Item)
	case "response.output_item.done":
		return s.settle(e.Index, e.Item)
	case "response.output_text.delta":
		s.entry(e.Index).say(string(e.Delta))
	case "response.refusal.delta":
		s.entry(e.Index).refuse(string(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.entry(e.Index).think(string(e.Delta))
	case "response.function_call_arguments.delta":
		s.entry(e.Index).argue(string(e.Delta))
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return s.addWhole(e.Response)
	}
	return nil
}

// begin takes in an item of which no more may be known than its type.
func (s *stream) begin(index int, raw json.RawMessage) error {
	it, err := readItem(raw)
	if err != nil {
		return s.client.Nonsense("an item of the response that is none")
	}
	s.entry(index).begin(it)
	return nil
}

// settle takes in an item as it is at last.
func (s *stream) settle(index int, raw json.RawMessage) error {
	it, err := readItem(raw)
	if err != nil || it.Type == "" {
		return s.client.Nonsense("an item of the response that is none")
	}
	e := s.entry(index)
	if e.settled {
		return nil
	}
	if it.Type == itemCall && it.Name == "" {
		return s.client.Nonsense("a tool call without a name")
	}
	e.settle(it, bytes.Clone(raw))
	return nil
}

func (s *stream) entry(index int) *entry {
	e := s.items[index]
	if e == nil {
		s.answer.Holds(len(s.items) + 1)
		e = &entry{stream: s}
		s.items[index] = e
	}
	return e
}

// addWhole takes in the last event's response, or one that came in place of a
// stream. Some backends leave its output empty: the items came before it.
func (s *stream) addWhole(data []byte) error {
	var r response
	if err := json.Unmarshal(data, &r); err != nil || wire.IsSet(r.Error) || r.Status == "" {
		if json.Valid(data) && !bytes.Equal(data, []byte("null")) {
			return s.client.Failed(failureOf(r, data))
		}
		return s.client.Nonsense("the response is no JSON")
	}
	if r.Status != "completed" && r.Status != "incomplete" {
		return s.client.Nonsense("the response ended as " + r.Status)
	}
	for index, raw := range r.Output {
		if err := s.settle(index, raw); err != nil {
			return err
		}
	}
	if r.Usage != nil {
		s.usage = *r.Usage
	}
	if r.Status == "incomplete" {
		s.reason = r.Incomplete.Reason
	}
	s.ended = true
	return nil
}

// AtEnd judges what has come once nothing more will: some of it in deltas alone.
func (s *stream) AtEnd() error {
	if !s.ended {
		return s.client.Cut()
	}
	for _, e := range s.items {
		if e.call != nil && e.call.Block.Name == "" {
			return s.client.Nonsense("a tool call without a name")
		}
	}
	return nil
}

// failureOf returns the error of a response as a body of its own: what else a
// response holds would be taken for the error's words.
func failureOf(r response, data []byte) []byte {
	if wire.IsSet(r.Error) {
		return wire.JSON(map[string]json.RawMessage{"error": r.Error})
	}
	return data
}

// Ending is why the model stopped, and what it used.
func (s *stream) Ending() (providers.Finish, providers.Usage) { return s.finish(), s.usage.normal() }

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
	case s.most > 0 && s.usage.Output >= s.most:
		return providers.FinishLength
	case s.answer.Called():
		return providers.FinishToolCalls
	case s.refused:
		return providers.FinishContentFilter
	}
	return providers.FinishStop
}
