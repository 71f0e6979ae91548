package openaichat

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A stream reads the chunks of one answer.
type stream struct {
	client *wire.Client
	answer *wire.Answer

	text      wire.Text
	refusal   *wire.Part
	reasoning reasoning
	calls     calls

	chosen bool   // a choice has come
	ended  bool   // the service said that the answer is complete
	reason string // why it stopped, in the service's word; it may never come
	usage  usage  // the last one
}

func newStream(client *wire.Client, emit func(providers.Event)) *stream {
	answer := wire.NewAnswer(emit)
	return &stream{
		client: client, answer: answer, text: wire.NewText(answer),
		reasoning: reasoning{answer: answer},
		calls:     calls{answer: answer, byIndex: map[int]*call{}},
	}
}

// Add reads one event; see [wire.Reader].
func (s *stream) Add(event wire.Event) error {
	var c chunk
	if err := json.Unmarshal(event.Data, &c); err != nil {
		return s.client.Misread(event)
	}
	if c.fails() {
		return s.client.Failed(event.Data)
	}
	s.count(c)
	for _, choice := range c.Choices {
		if wire.IsSet(choice.Error) {
			return s.client.Failed(wire.JSON(map[string]json.RawMessage{"error": choice.Error}))
		}
		if choice.Index == 0 {
			s.addChoice(choice)
		}
	}
	if event.Bare && !s.chosen { // a document of something else
		return s.client.Failed(event.Data)
	}
	s.ended = s.ended || event.Bare
	return nil
}

func (s *stream) count(c chunk) {
	if c.Groq.Usage != nil {
		s.usage = *c.Groq.Usage
	}
	if c.Usage != nil {
		s.usage = *c.Usage
	}
}

func (s *stream) addChoice(c choice) {
	s.chosen = true
	d := c.delta()
	if s.reasoning.add(d); s.reasoning.part != nil {
		s.text.Plain()
	}
	s.text.Append(d.Content.text)
	s.answer.AppendTo(&s.refusal, providers.BlockThinking, d.Refusal)
	if len(d.Calls) > 0 {
		s.text.End()
	}
	for _, call := range d.Calls {
		s.calls.add(call)
	}
	if c.Finish != "" {
		s.reason, s.ended = c.Finish, true
	}
}

// AtEnd checks the whole answer, and completes it; see [wire.Reader].
func (s *stream) AtEnd(done bool) error {
	switch {
	case !s.ended && !done:
		return s.client.Cut()
	case !s.chosen:
		return s.client.Nonsense("the response stream ended without an answer")
	case s.reason == "insufficient_system_resource": // DeepSeek gave up in the middle
		return &providers.Error{
			Kind: providers.KindOverloaded, Model: s.client.Ref(), Code: s.reason,
			Message: "the service ended the response early for lack of resources", Retryable: true,
		}
	case s.reason == "error":
		return s.client.Nonsense("the service ended the response with an unnamed error")
	}
	s.text.End()
	s.reasoning.keep()
	if s.refusal != nil {
		s.refusal.Block.Raw = wire.JSON(map[string]any{"refusal": string(s.refusal.Buffer())})
	}
	return nil
}

// Ending returns why the model stopped, and its usage.
func (s *stream) Ending() (providers.Finish, providers.Usage) {
	said := finishes[s.reason]
	if said != providers.FinishLength && s.refusal != nil && !s.answer.Called() {
		said = providers.FinishContentFilter
	}
	return s.answer.FinishOf(said), s.usage.normal()
}

// finishes are the services' words for why an answer ended; any other means that it is complete. A
// service may say that there are calls where there are none.
var finishes = map[string]providers.Finish{
	"length":         providers.FinishLength,
	"max_tokens":     providers.FinishLength,
	"model_length":   providers.FinishLength,
	"content_filter": providers.FinishContentFilter,
	"safety":         providers.FinishContentFilter,
	"tool_calls":     providers.FinishToolCalls,
	"function_call":  providers.FinishToolCalls,
}
