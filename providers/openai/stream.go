package openai

import (
	"encoding/json"
	"io"

	"github.com/openai/openai-go/v3/responses"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A stream reads the events of one response.
type stream struct {
	client *wire.Client
	answer *wire.Answer

	items map[int64]*entry // by output_index: some gateways change the ids with every event

	ended  bool   // the last event has come
	reason string // why the response is incomplete; empty if it is complete
	usage  providers.Usage

	// most is the limit of tokens in the request to a service that may call an answer that
	// reached it completed, as llama.cpp does; 0: unknown.
	most int64
}

func newStream(client *wire.Client, emit func(providers.Event)) *stream {
	return &stream{client: client, answer: wire.NewAnswer(emit), items: map[int64]*entry{}}
}

// Add reads one event, or a document in place of a stream; see [wire.Reader]. It ignores unknown types.
func (s *stream) Add(event wire.Event) error {
	if event.Bare {
		return s.addWhole(event)
	}
	var failure struct {
		Error json.RawMessage `json:"error"`
	}
	var e responses.ResponseStreamEventUnion
	if json.Unmarshal(event.Data, &failure) != nil || json.Unmarshal(event.Data, &e) != nil {
		return s.client.Misread(event)
	}
	if wire.IsSet(failure.Error) {
		return s.client.Failed(event.Data)
	}
	if index := e.JSON.OutputIndex; index.Raw() != "" && !index.Valid() {
		return s.client.Nonsense("an event in the response stream belongs to no item")
	}
	at := s.entry(e.OutputIndex)
	switch e.Type {
	case "error":
		return s.client.Failed(event.Data)
	case "response.output_item.added":
		return s.begin(e.OutputIndex, e.Item)
	case "response.output_item.done":
		return s.settle(e.OutputIndex, e.Item)
	case "response.output_text.delta":
		at.add(&at.text, providers.BlockText, e.Delta)
	case "response.refusal.delta":
		at.add(&at.refusal, providers.BlockThinking, e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		at.add(&at.thought, providers.BlockThinking, e.Delta)
	case "response.function_call_arguments.delta":
		at.startCall(item{}).Append(e.Delta)
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return s.end(e.Response, e.JSON.Response.Raw())
	}
	return nil
}

// begin starts an item, of which only the type may be known.
func (s *stream) begin(index int64, it item) error {
	if it.RawJSON() == "" {
		return s.client.Nonsense("malformed item in the response")
	}
	s.entry(index).begin(it)
	return nil
}

// settle completes an item, once.
func (s *stream) settle(index int64, it item) error {
	if it.Type == "" {
		return s.client.Nonsense("malformed item in the response")
	}
	if e := s.entry(index); !e.settled {
		e.settle(it)
	}
	return nil
}

func (s *stream) entry(index int64) *entry {
	e := s.items[index]
	if e == nil {
		e = &entry{answer: s.answer}
		s.items[index] = e
	}
	return e
}

// addWhole reads a response instead of a stream.
func (s *stream) addWhole(event wire.Event) error {
	var r responses.Response
	if json.Unmarshal(event.Data, &r) != nil {
		return s.client.Misread(event)
	}
	return s.end(r, string(event.Data))
}

// end reads the response in the last event, or instead of a stream. Some services leave its
// output empty, because the items came before it.
func (s *stream) end(r responses.Response, raw string) error {
	if failure := json.RawMessage(r.JSON.Error.Raw()); wire.IsSet(failure) {
		// Only the error: other fields of the response would be read as its codes.
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
	return io.EOF
}

// counted returns the tokens, and the cost that the service reports.
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

// AtEnd checks that the last event has come; see [wire.Reader].
func (s *stream) AtEnd(bool) error {
	if !s.ended {
		return s.client.Cut()
	}
	return nil
}

// Ending returns why the model stopped, and its usage.
func (s *stream) Ending() (providers.Finish, providers.Usage) {
	var said providers.Finish
	switch {
	case s.reason == "max_output_tokens", s.reason == "max_tokens", s.most > 0 && s.usage.OutputTokens >= s.most:
		said = providers.FinishLength
	case s.reason == "content_filter", s.refused() && !s.answer.Called():
		said = providers.FinishContentFilter
	}
	return s.answer.FinishOf(said), s.usage
}

func (s *stream) refused() bool {
	for _, e := range s.items {
		if e.refusal != nil {
			return true
		}
	}
	return false
}
