package openai

import (
	"encoding/json"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The types of items that are told apart. Any other is something that the
// service runs itself.
const (
	itemMessage   = "message"
	itemReasoning = "reasoning"
	itemCall      = "function_call"
)

// An item is one part of a response, in the fields that count.
type item struct {
	Type      string     `json:"type"`
	Content   []itemPart `json:"content"`
	Summary   []itemPart `json:"summary"`
	Encrypted string     `json:"encrypted_content"`

	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// An itemPart is a piece of a message or of reasoning.
type itemPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// readItem reads the fields of an item. Of one that the service ran itself only
// the type counts: its other fields may have any form.
func readItem(raw json.RawMessage) (item, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return item{}, err
	}
	it := item{Type: head.Type}
	switch head.Type {
	case itemMessage, itemReasoning, itemCall:
		err := json.Unmarshal(raw, &it)
		return it, err
	}
	return it, nil
}

// text is what the item says, or thinks: the summaries, where there are some.
func (it item) text() string {
	parts := it.Content
	if it.Type == itemReasoning && len(it.Summary) > 0 {
		parts = it.Summary
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

func (it item) refusal() string {
	var b strings.Builder
	for _, part := range it.Content {
		b.WriteString(part.Refusal)
	}
	return b.String()
}

// A response is the whole answer, as the last event has it.
type response struct {
	Object     string            `json:"object"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      *usage            `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// usage counts tokens.
type usage struct {
	Input        int64 `json:"input_tokens"`
	Output       int64 `json:"output_tokens"`
	InputDetails struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u usage) normal() providers.Usage {
	return providers.Usage{
		InputTokens:       u.Input,
		OutputTokens:      u.Output,
		CachedInputTokens: u.InputDetails.Cached,
		CacheWriteTokens:  u.InputDetails.CacheWrite,
		ReasoningTokens:   u.OutputDetails.Reasoning,
	}
}
