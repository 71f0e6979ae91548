package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A stream reads the events of one answer.
type stream struct {
	client *wire.Client
	answer *wire.Answer

	parts map[int]*part // the open ones, by index

	begun  bool   // a part of an answer has come
	ended  bool   // the last event has come
	reason string // why it stopped, in the service's word
	usage  usage
}

func newStream(client *wire.Client, emit func(providers.Event)) *stream {
	return &stream{client: client, answer: wire.NewAnswer(emit), parts: map[int]*part{}}
}

// Add reads one event; see [wire.Reader].
func (s *stream) Add(raw wire.Event) error {
	var e event
	err := json.Unmarshal(raw.Data, &e)
	switch {
	case raw.Bare:
		return s.addWhole(raw)
	case err == nil && wire.IsSet(e.Error):
		return s.client.Failed(raw.Data)
	case err != nil && !e.isPassedOver(err):
		return s.client.Misread(raw)
	}
	return s.addEvent(e)
}

// isPassedOver reports whether an event that could not be decoded is ignored: new types of
// events may be added at any time, but blocks must be valid.
func (e event) isPassedOver(err error) bool {
	var mismatch *json.UnmarshalTypeError
	return errors.As(err, &mismatch) && e.Type != "" && !strings.HasPrefix(e.Type, "content_block_")
}

func (s *stream) addEvent(e event) error {
	switch e.Type {
	case "message_start":
		var d document
		if json.Unmarshal(e.Message, &d) == nil {
			s.count(d.Usage)
		}
	case "content_block_start":
		return s.start(e.Index, e.Block)
	case "content_block_delta":
		return s.grow(e.Index, e.Delta)
	case "content_block_stop":
		s.stop(e.Index)
	case "message_delta":
		if e.Delta.StopReason != "" {
			s.reason = e.Delta.StopReason
		}
		s.count(e.Usage)
	case "message_stop":
		s.ended = true
		return io.EOF
	}
	return nil
}

// start begins the block of an index, and ends one that is still open there.
func (s *stream) start(index int, raw json.RawMessage) error {
	s.stop(index)
	p := s.begin(raw)
	if p == nil {
		return s.client.Nonsense("malformed block in the response")
	}
	s.parts[index], s.begun = p, true
	return nil
}

func (s *stream) grow(index int, d delta) error {
	p := s.parts[index]
	if p == nil || !p.add(d) {
		return s.client.Nonsense("an event in the response stream belongs to no block")
	}
	return nil
}

func (s *stream) stop(index int) {
	if p := s.parts[index]; p != nil {
		p.end()
		delete(s.parts, index)
	}
}

// count reads the usage of an event; an invalid one is ignored.
func (s *stream) count(raw json.RawMessage) {
	counted := s.usage
	if wire.IsSet(raw) && json.Unmarshal(raw, &counted) == nil {
		s.usage = counted
	}
}

// addWhole reads a document instead of a stream.
func (s *stream) addWhole(raw wire.Event) error {
	var d document
	if err := json.Unmarshal(raw.Data, &d); err != nil || wire.IsSet(d.Error) || d.Content == nil {
		return s.client.Misread(raw)
	}
	for index, raw := range d.Content {
		if err := s.start(index, raw); err != nil {
			return err
		}
		s.stop(index)
	}
	s.reason = d.StopReason
	s.count(d.Usage)
	s.begun, s.ended = true, true
	return io.EOF
}

// AtEnd checks the answer, and ends open blocks; see [wire.Reader].
func (s *stream) AtEnd(bool) error {
	switch {
	case !s.ended:
		return s.client.Cut()
	case s.reason == "" && !s.begun:
		return s.client.Nonsense("the response stream ended without an answer")
	}
	for _, index := range slices.Sorted(maps.Keys(s.parts)) {
		s.stop(index)
	}
	return nil
}

// Ending returns why the model stopped, and its usage. A turn that the service paused ends like any
// other: requests never offer tools that it runs itself.
func (s *stream) Ending() (providers.Finish, providers.Usage) {
	return s.answer.FinishOf(finishes[s.reason]), s.usage.normal()
}

// finishes are the service's words for why an answer ended; any other means that it is complete.
var finishes = map[string]providers.Finish{
	"max_tokens":                    providers.FinishLength,
	"model_context_window_exceeded": providers.FinishLength,
	"refusal":                       providers.FinishContentFilter,
	"tool_use":                      providers.FinishToolCalls,
}
