package ollama

import "encoding/json"

// A chunk is one line of the stream, or the whole answer, in the fields that
// count.
type chunk struct {
	Message *message        `json:"message"`
	Done    bool            `json:"done"`
	Reason  string          `json:"done_reason"`
	Prompt  int64           `json:"prompt_eval_count"` // absent where the prompt was kept from before
	Output  int64           `json:"eval_count"`
	Error   json.RawMessage `json:"error"`
}
