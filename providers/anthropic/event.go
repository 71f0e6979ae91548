package anthropic

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The types of blocks that are told apart. Any other is something that the
// service runs itself.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
	kindCall     = "tool_use"
)

// An event is what the stream brings, in the fields that count.
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

// A head is a block as it begins; in place of a stream, the whole of it.
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

// usage counts tokens. It is read from several events, one over the other: what
// a later one leaves out, or has null, stays.
type usage struct {
	Input         int64 `json:"input_tokens"` // without those of the cache
	CacheRead     int64 `json:"cache_read_input_tokens"`
	CacheWrite    int64 `json:"cache_creation_input_tokens"`
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
		ReasoningTokens:   u.OutputDetails.Thinking,
	}
}

// kindOf returns the type of a block, "" where there is none.
func kindOf(raw json.RawMessage) string {
	var b struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return ""
	}
	return b.Type
}
