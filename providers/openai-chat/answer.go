package openaichat

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A chunk is an event of the stream, with the fields that are used, and those that only
// compatible services send. A document instead of a stream is a chunk, too, whose choices
// have a message.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Groq    groq            `json:"x_groq"`
	Error   json.RawMessage `json:"error"`

	// Of errors at the top level.
	Object  string          `json:"object"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
}

type groq struct {
	Usage *usage `json:"usage"`
}

type choice struct {
	Index   int    `json:"index"`
	Delta   *delta `json:"delta"`
	Message *delta `json:"message"`
	Finish  string `json:"finish_reason"`

	Error json.RawMessage `json:"error"` // OpenRouter, of the service behind it
}

// delta returns what the choice adds. Perplexity sends the whole message so far beside it.
func (c choice) delta() delta {
	switch {
	case c.Delta != nil:
		return *c.Delta
	case c.Message != nil:
		return *c.Message
	}
	return delta{}
}

type delta struct {
	Content          content           `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	Details          []json.RawMessage `json:"reasoning_details"`
	Calls            []callDelta       `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// content is a text, or a list of parts, some of which may be thoughts (Mistral).
type content struct {
	text     string
	thinking string
}

// UnmarshalJSON reads either form.
func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '[' {
		return json.Unmarshal(data, &c.text)
	}
	var parts []struct {
		Text     string  `json:"text"`
		Thinking content `json:"thinking"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		c.text += part.Text
		c.thinking += part.Thinking.text
	}
	return nil
}

// arguments are a text of JSON; some services send the JSON itself.
type arguments string

// UnmarshalJSON reads either form. What is null stays empty.
func (a *arguments) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		*a = arguments(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(a))
}

// fails reports whether the chunk is an error, in one of the forms that services use in a
// stream.
func (c chunk) fails() bool {
	return wire.IsSet(c.Error) || c.Object == "error" || c.Choices == nil && (c.Message != nil || c.Detail != nil)
}

// usage counts tokens, with the fields of all services.
type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	CacheHit   int64 `json:"prompt_cache_hit_tokens"` // DeepSeek

	PromptDetails struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`

	wire.Charge
}

// normal returns the normalised counts. xAI does not count reasoning as completion, which
// the total shows.
func (u usage) normal() providers.Usage {
	reasoning := u.CompletionDetails.Reasoning
	output := u.Completion
	if reasoning > 0 && u.Total == u.Prompt+u.Completion+reasoning {
		output += reasoning
	}
	return providers.Usage{
		InputTokens:       u.Prompt,
		OutputTokens:      output,
		CachedInputTokens: max(u.PromptDetails.Cached, u.CacheHit),
		CacheWriteTokens:  u.PromptDetails.CacheWrite,
		ReasoningTokens:   reasoning,
		Cost:              u.Charge.Total(),
	}
}
