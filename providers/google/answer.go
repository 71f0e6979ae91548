package google

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A chunk is an event of the stream, with the fields that are used.
type chunk struct {
	Candidates []candidate     `json:"candidates"`
	Feedback   feedback        `json:"promptFeedback"`
	Usage      *usage          `json:"usageMetadata"`
	Error      json.RawMessage `json:"error"`
}

type feedback struct {
	Reason string `json:"blockReason"`
}

type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	Finish  string `json:"finishReason"`
	Message string `json:"finishMessage"`
}

// A part is a part of a content, with the fields that are used.
type part struct {
	Text      *string       `json:"text,omitempty"`
	Thought   bool          `json:"thought,omitempty"`
	Call      *functionCall `json:"functionCall,omitempty"`
	Signature string        `json:"thoughtSignature,omitempty"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// says reports whether the chunk is part of an answer.
func (c chunk) says() bool {
	return len(c.Candidates) > 0 || c.Feedback.Reason != "" || c.Usage != nil
}

// readChunks decodes an event. A document instead of a stream may be a list of chunks.
func readChunks(event wire.Event) ([]chunk, error) {
	var chunks []chunk
	if event.Bare && bytes.HasPrefix(bytes.TrimSpace(event.Data), []byte("[")) {
		return chunks, json.Unmarshal(event.Data, &chunks)
	}
	chunks = make([]chunk, 1)
	return chunks, json.Unmarshal(event.Data, &chunks[0])
}

// usage counts tokens. The service omits zero counts.
type usage struct {
	Prompt     int64 `json:"promptTokenCount"`
	ToolPrompt int64 `json:"toolUsePromptTokenCount"` // what its own tools added
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount"`
}

// normal returns the normalised counts.
func (u usage) normal() providers.Usage {
	return providers.Usage{
		InputTokens:       u.Prompt + u.ToolPrompt,
		OutputTokens:      u.Candidates + u.Thoughts,
		CachedInputTokens: u.Cached,
		ReasoningTokens:   u.Thoughts,
	}
}
