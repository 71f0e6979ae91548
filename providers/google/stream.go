package google

import (
	"encoding/json"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A stream reads the chunks of one answer.
type stream struct {
	client *wire.Client
	answer *wire.Answer

	open *wire.Part // a text or thought, to which the next part may be appended

	blocked string // why the prompt was not answered
	reason  string // why the answer ended, in the service's word; the last one
	words   string // what the service adds to it
	usage   usage  // the last one
}

func newStream(client *wire.Client, emit func(providers.Event)) *stream {
	return &stream{client: client, answer: wire.NewAnswer(emit)}
}

// Add reads one event; see [wire.Reader].
func (s *stream) Add(event wire.Event) error {
	chunks, err := readChunks(event)
	if err != nil {
		return s.client.Misread(event)
	}
	for _, c := range chunks {
		switch {
		case wire.IsSet(c.Error):
			return s.client.Failed(wire.JSON(map[string]json.RawMessage{"error": c.Error}))
		case event.Bare && !c.says():
			return s.client.Failed(event.Data)
		}
		if err := s.addChunk(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) addChunk(c chunk) error {
	if c.Usage != nil {
		s.usage = *c.Usage
	}
	if c.Feedback.Reason != "" {
		s.blocked = c.Feedback.Reason
	}
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 {
			continue
		}
		for _, raw := range candidate.Content.Parts {
			if err := s.addPart(raw); err != nil {
				return err
			}
		}
		if candidate.Finish != "" {
			s.reason, s.words = candidate.Finish, candidate.Message
		}
	}
	return nil
}

func (s *stream) addPart(raw json.RawMessage) error {
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		return s.client.Nonsense("malformed part in the response")
	}
	switch {
	case p.Call != nil:
		s.addCall(p, raw)
	case p.Text != nil && (*p.Text != "" || !isMore(raw)):
		s.addText(p, raw)
	default: // what the service ran itself, or only a signature
		s.whole(providers.Block{Type: providers.BlockThinking, Raw: raw}, "")
	}
	return nil
}

// isMore reports whether a part with an empty text holds something else.
func isMore(raw json.RawMessage) bool {
	fields := map[string]json.RawMessage{}
	return json.Unmarshal(raw, &fields) == nil && holds(fields, "text")
}

// addText appends to the open block if it is of the same type. A text with a signature is a
// block of its own, and a signature without a text is a hidden thought: both are sent back
// unchanged.
func (s *stream) addText(p part, raw json.RawMessage) {
	block := providers.Block{Type: providers.BlockText}
	if p.Thought || *p.Text == "" {
		block.Type = providers.BlockThinking
	}
	switch {
	case p.Signature != "":
		block.Raw = raw
		s.whole(block, *p.Text)
	case *p.Text == "":
	case s.open != nil && s.open.Block.Type == block.Type:
		s.open.Append(*p.Text)
	default:
		s.close()
		s.open = s.answer.Start(block)
		s.open.Append(*p.Text)
	}
}

// addCall adds a call, which is always complete.
func (s *stream) addCall(p part, raw json.RawMessage) {
	arguments := string(p.Call.Args)
	if arguments == "null" {
		arguments = ""
	}
	s.whole(providers.Block{Type: providers.BlockToolCall, ID: p.Call.ID, Name: p.Call.Name, Raw: raw}, arguments)
}

// whole adds a complete block.
func (s *stream) whole(block providers.Block, text string) {
	s.close()
	s.answer.Add(block, text)
}

// close ends the block that was open.
func (s *stream) close() {
	if s.open != nil {
		s.open.Finish()
		s.open = nil
	}
}

// AtEnd checks the whole answer; see [wire.Reader]. A finish reason is not the end: more
// may follow, and a second one.
func (s *stream) AtEnd(bool) error {
	switch {
	case s.reason == "" && s.blocked == "":
		return s.client.Cut()
	case s.finish() == providers.FinishError && !s.answer.Called():
		return s.givenUp()
	}
	return nil
}

// Ending returns why the model stopped, and its usage.
func (s *stream) Ending() (providers.Finish, providers.Usage) {
	return s.answer.FinishOf(s.finish()), s.usage.normal()
}

// finish normalises the reason, which is missing if the prompt was blocked. An unknown word is an error.
func (s *stream) finish() providers.Finish {
	switch s.reason {
	case "STOP", "FINISH_REASON_UNSPECIFIED":
		return providers.FinishStop
	case "MAX_TOKENS":
		return providers.FinishLength
	case "", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return providers.FinishContentFilter
	}
	return providers.FinishError
}

// givenUp returns the error for an answer that the service gave up, which in most cases a
// retry cures: MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER.
func (s *stream) givenUp() error {
	const longest = 500
	message := "the model ended its answer with " + s.reason
	if words := s.words[:min(len(s.words), longest)]; words != "" {
		message += ": " + strings.ToValidUTF8(words, "")
	}
	err := s.client.Nonsense(message)
	err.Code, err.Retryable = s.reason, s.reason != "LANGUAGE"
	return err
}
