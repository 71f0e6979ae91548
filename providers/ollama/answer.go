package ollama

import "encoding/json"

// A chunk is one line of the stream, or the whole answer, with the fields that are used.
type chunk struct {
	Message *message        `json:"message"`
	Done    bool            `json:"done"`
	Reason  string          `json:"done_reason"`
	Prompt  int64           `json:"prompt_eval_count"` // absent if the prompt was cached
	Output  int64           `json:"eval_count"`
	Error   json.RawMessage `json:"error"`
}
