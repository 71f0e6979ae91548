package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Ollama is the dialect of Ollama's /api/chat, whose stream is lines of JSON.
type Ollama struct {
	// Older is for the servers whose calls have no ids.
	Older bool
}

// ContentType returns the type of the stream.
func (Ollama) ContentType() string { return "application/x-ndjson" }

type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []ollamaMessage `json:"messages"`
	Tools    []functionTool  `json:"tools"`
	Format   any             `json:"format"`
	Think    any             `json:"think"`
	Stream   any             `json:"stream"`
	Options  struct {
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		Seed        *int64   `json:"seed"`
		NumPredict  *int64   `json:"num_predict"`
		NumCtx      *int64   `json:"num_ctx"`
	} `json:"options"`
}

type ollamaMessage struct {
	Role     string  `json:"role"`
	Content  *string `json:"content"`
	Thinking string  `json:"thinking"`
	ToolName string  `json:"tool_name"`
	CallID   string  `json:"tool_call_id"`
	Calls    []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Read parses a request.
func (d Ollama) Read(body []byte) (Asked, error) {
	var r ollamaRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Asked{}, err
	}
	asked := Asked{Model: r.Model, Stream: r.Stream != false, Choice: "auto"}
	switch format := r.Format.(type) {
	case nil:
	case map[string]any:
		asked.Schema = true
	default:
		if format != "" && format != "json" {
			return Asked{}, fmt.Errorf("invalid format: %v; expected \"json\" or a valid JSON Schema object", format)
		}
		asked.Schema = format == "json"
	}
	if !slices.Contains([]any{nil, true, false, "low", "medium", "high", "max"}, r.Think) {
		return Asked{}, fmt.Errorf("invalid think value: %v", r.Think)
	}
	for _, tool := range r.Tools {
		if err := asked.offer(tool.Function, tool.Type == "function" && bytes.HasPrefix(tool.Function.Parameters, []byte("{"))); err != nil {
			return Asked{}, err
		}
	}
	reader := ollamaReader{asked: &asked}
	for _, m := range r.Messages {
		if err := reader.add(m); err != nil {
			return Asked{}, err
		}
	}
	return asked, nil
}

// An ollamaReader reads a conversation. Calls without an id are answered in their order.
type ollamaReader struct {
	asked *Asked
	open  []providers.Block
	calls int
}

func (r *ollamaReader) add(m ollamaMessage) error {
	if m.Content == nil {
		return fmt.Errorf("a message without content")
	}
	switch m.Role {
	case "system":
		r.asked.System += *m.Content
	case "user":
		r.asked.Messages = append(r.asked.Messages, providers.UserText(*m.Content))
	case "assistant":
		return r.addAnswer(m)
	case "tool":
		return r.addResult(m)
	default:
		return fmt.Errorf("invalid role: %q", m.Role)
	}
	return nil
}

func (r *ollamaReader) addAnswer(m ollamaMessage) error {
	answer := providers.Message{Role: providers.RoleAssistant}
	if m.Thinking != "" {
		answer.Blocks = append(answer.Blocks, providers.Block{Type: providers.BlockThinking, Text: m.Thinking})
	}
	if *m.Content != "" {
		answer.Blocks = append(answer.Blocks, providers.Block{Type: providers.BlockText, Text: *m.Content})
	}
	r.open = nil
	for _, call := range m.Calls {
		r.calls++
		id := call.ID
		if id == "" {
			id = fmt.Sprintf("%s%d", anonymous, r.calls)
		}
		if !bytes.HasPrefix(call.Function.Arguments, []byte("{")) {
			return fmt.Errorf("arguments of %q are no object", call.Function.Name)
		}
		r.open = append(r.open, providers.Block{Type: providers.BlockToolCall, ID: id, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	answer.Blocks = append(answer.Blocks, r.open...)
	if len(answer.Blocks) == 0 {
		return fmt.Errorf("an answer without content and without calls")
	}
	r.asked.Messages = append(r.asked.Messages, answer)
	return nil
}

// addResult adds a result, which names its tool, and its call if that has an id.
func (r *ollamaReader) addResult(m ollamaMessage) error {
	id := m.CallID
	if id == "" && len(r.open) > 0 && r.open[0].Name == m.ToolName {
		id = r.open[0].ID
	}
	at := slices.IndexFunc(r.open, func(call providers.Block) bool { return call.ID == id })
	if at < 0 || r.open[at].Name != m.ToolName {
		return fmt.Errorf("a result of tool %q for call %q, which is not open", m.ToolName, m.CallID)
	}
	r.open = slices.Delete(slices.Clone(r.open), at, at+1)
	r.asked.add(providers.RoleTool, providers.Block{Type: providers.BlockToolResult, CallID: id, Name: m.ToolName, Content: *m.Content})
	return nil
}

// Write writes the stream of an answer: thinking and text in small pieces, calls whole,
// and the counts in the last line. The API counts neither cached nor thinking tokens.
func (d Ollama) Write(w io.Writer, reply Reply) {
	line := func(fields map[string]any) {
		fields["model"] = "m"
		fmt.Fprintf(w, "%s\n", encoded(fields))
	}
	say := func(message map[string]any) {
		message["role"] = "assistant"
		line(map[string]any{"message": message, "done": false})
	}
	for _, piece := range pieces(reply.Thinking) {
		say(map[string]any{"content": "", "thinking": piece})
	}
	for _, piece := range pieces(reply.Text) {
		say(map[string]any{"content": piece})
	}
	for i, call := range reply.Calls {
		d.writeCall(w, i, call)
	}
	line(map[string]any{
		"message": map[string]any{"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
		"prompt_eval_count": reply.Usage.InputTokens, "eval_count": reply.Usage.OutputTokens,
	})
}

// writeCall writes a call with its arguments as they are, byte for byte.
func (d Ollama) writeCall(w io.Writer, index int, call Call) {
	arguments := call.Arguments
	if arguments == "" {
		arguments = "{}"
	}
	id := ""
	if !d.Older {
		id = fmt.Sprintf(`"id":%q,`, call.ID)
	}
	fmt.Fprintf(w, `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{%s"function":{"index":%d,"name":%q,"arguments":%s}}]},"done":false}`+"\n",
		id, index, call.Name, arguments)
}
