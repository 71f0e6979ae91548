package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// The types of blocks that are handled. Blocks of any other type are what the service runs
// itself.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
	kindCall     = "tool_use"
)

// An event is an event of the stream, with the fields that are used.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   delta           `json:"delta"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// A delta is more of a block, or of the message.
type delta struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	Thinking   string          `json:"thinking"`
	Signature  string          `json:"signature"`
	Input      string          `json:"partial_json"`
	Citation   json.RawMessage `json:"citation"`
	StopReason string          `json:"stop_reason"`
}

// A head is the beginning of a block; without a stream, all of it.
type head struct {
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Citations json.RawMessage `json:"citations"`
}

// A document is a whole answer, and its beginning in a stream.
type document struct {
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      json.RawMessage   `json:"usage"`
	Error      json.RawMessage   `json:"error"`
}

// usage counts tokens. It is read from several events; a field that a later one omits, or
// has null, stays.
type usage struct {
	Input      int64 `json:"input_tokens"` // without those of the cache
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheKinds struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u usage) normal() providers.Usage {
	return providers.Usage{
		InputTokens:       u.Input + u.CacheRead + u.CacheWrite,
		OutputTokens:      u.Output,
		CachedInputTokens: u.CacheRead,
		CacheWriteTokens:  u.CacheWrite,
		CacheWrite1h:      u.CacheKinds.Hour,
		ReasoningTokens:   u.OutputDetails.Thinking,
	}
}

// kindOf returns the type of a block; "" for none.
func kindOf(raw json.RawMessage) string {
	var b struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return ""
	}
	return b.Type
}

// A part is one block that is coming in.
type part struct {
	*wire.Part
	kind string
	head json.RawMessage // as it began
	grew bool            // something was added to it since

	signature []byte            // of a thought
	input     []byte            // of a tool that the service runs itself
	citations []json.RawMessage // of a text
}

// begin starts a block; nil if it is malformed.
func (s *stream) begin(raw json.RawMessage) *part {
	p := &part{kind: kindOf(raw), head: bytes.Clone(raw)}
	var h head
	switch p.kind {
	case "":
		return nil
	case kindText, kindThinking, kindCall:
		if json.Unmarshal(raw, &h) != nil {
			return nil
		}
	}
	switch p.kind {
	case kindText:
		p.Part = s.answer.Start(providers.Block{Type: providers.BlockText})
		p.Append(h.Text)
	case kindThinking:
		p.Part = s.answer.Start(providers.Block{Type: providers.BlockThinking})
		p.Append(h.Thinking)
	case kindCall:
		s.beginCall(p, h)
	default: // what the service runs itself has only a Raw
		p.Part = s.answer.Start(providers.Block{Type: providers.BlockThinking})
	}
	return p
}

// beginCall starts a call. In a stream its arguments begin with {}, which other pieces
// replace.
func (s *stream) beginCall(p *part, h head) {
	p.Part = s.answer.Start(providers.Block{Type: providers.BlockToolCall, ID: h.ID, Name: h.Name})
	if input := bytes.TrimSpace(h.Input); wire.IsSet(input) && !bytes.Equal(input, []byte("{}")) {
		p.Append(string(input))
	}
}

// add adds a piece, and reports whether the block is one for such pieces. It ignores pieces of unknown types.
func (p *part) add(d delta) bool {
	p.grew = true
	switch d.Type {
	case "text_delta":
		p.Append(d.Text)
		return p.kind == kindText
	case "thinking_delta":
		p.Append(d.Thinking)
		return p.kind == kindThinking
	case "signature_delta":
		p.signature = append(p.signature, d.Signature...)
	case "citations_delta":
		p.citations = append(p.citations, d.Citation)
	case "input_json_delta":
		if p.kind == kindCall {
			p.Append(d.Input)
		} else {
			p.input = append(p.input, d.Input...)
		}
	}
	return true
}

// end finishes the block, with what the service needs back.
func (p *part) end() {
	p.Block.Raw = p.raw()
	p.Finish()
}

// raw returns the block to send back; nil where its neutral fields are enough.
func (p *part) raw() json.RawMessage {
	switch p.kind {
	case kindCall:
		return nil
	case kindText:
		var h head
		if len(p.citations) == 0 && (json.Unmarshal(p.head, &h) != nil || !wire.IsSet(h.Citations)) {
			return nil
		}
	}
	if !p.grew {
		return p.head
	}
	return p.grown()
}

// grown returns the beginning of the block with what was added.
func (p *part) grown() json.RawMessage {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(p.head, &fields) != nil {
		return nil
	}
	switch p.kind {
	case kindText:
		fields["text"] = wire.JSON(string(p.Buffer()))
	case kindThinking:
		fields["thinking"] = wire.JSON(string(p.Buffer()))
	}
	if len(p.signature) > 0 {
		fields["signature"] = wire.JSON(string(p.signature))
	}
	if len(p.citations) > 0 {
		fields["citations"] = wire.JSON(p.citations)
	}
	if json.Valid(p.input) {
		fields["input"] = p.input
	}
	return wire.JSON(fields)
}
