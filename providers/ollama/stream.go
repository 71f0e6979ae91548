package ollama

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A stream reads the chunks of one answer.
type stream struct {
	client *wire.Client
	answer *wire.Answer
	size   int // the size of the request, in bytes

	thinking *wire.Part
	text     wire.Text
	last     chunk // the last one, which says so
}

func newStream(client *wire.Client, emit func(providers.Event), size int) *stream {
	answer := wire.NewAnswer(emit)
	return &stream{client: client, answer: answer, text: wire.NewText(answer), size: size}
}

// Add reads one event; see [wire.Reader].
func (s *stream) Add(event wire.Event) error {
	var c chunk
	if err := json.Unmarshal(event.Data, &c); err != nil {
		return s.client.Misread(event)
	}
	if len(c.Error) > 0 || c.Message == nil && !c.Done {
		return s.client.Failed(event.Data)
	}
	if c.Message != nil {
		s.answer.AppendTo(&s.thinking, providers.BlockThinking, c.Message.Thinking)
		if s.thinking != nil {
			s.text.Plain()
		}
		s.text.Append(c.Message.Content)
		if len(c.Message.Calls) > 0 {
			s.text.End()
		}
		for _, call := range c.Message.Calls {
			s.answer.Add(providers.Block{Type: providers.BlockToolCall, ID: call.ID, Name: call.Function.Name}, string(call.Function.Arguments))
		}
	}
	if c.Done {
		s.text.End()
		s.last = c
		return io.EOF
	}
	return nil
}

// AtEnd checks the whole answer; see [wire.Reader].
func (s *stream) AtEnd(bool) error {
	switch {
	case !s.last.Done:
		return s.client.Cut()
	case s.last.Reason == "load" || s.last.Reason == "unload":
		return s.client.Nonsense("the server loaded or unloaded the model, but sent no answer")
	}
	if !cutOff(s.size, s.last.Prompt) {
		return nil
	}
	return &providers.Error{
		Kind: providers.KindContextLength, Model: s.client.Ref(),
		Message: fmt.Sprintf("the server read only %d tokens of a prompt of %d bytes and dropped the rest", s.last.Prompt, s.size),
	}
}

// cutOff reports whether a prompt of size bytes must have more tokens. Text and code have
// three to five bytes per token, and up to some ten with much white space. A round number
// of tokens is probably the length of the context, to which a prompt is cut off. A short
// prompt fits any context.
func cutOff(size int, tokens int64) bool {
	const short, most, maxOfRound, round = 4096, 16, 6, 1024
	if size < short {
		return false
	}
	if tokens > 0 && tokens%round == 0 {
		return int64(size) > tokens*maxOfRound
	}
	return tokens > 0 && int64(size) > tokens*most
}

// Ending returns why the model stopped, and its usage.
func (s *stream) Ending() (providers.Finish, providers.Usage) {
	usage := providers.Usage{InputTokens: s.last.Prompt, OutputTokens: s.last.Output}
	switch s.last.Reason {
	case "length":
		return providers.FinishLength, usage
	case "tool_calls":
		return providers.FinishToolCalls, usage
	}
	return s.answer.FinishOf(""), usage
}
