package providertest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Chat is the dialect of Chat Completions.
type Chat struct {
	// Reasons is for a service that thinks in reasoning_content, and refuses an answer
	// that comes back without it, or with an empty one (DeepSeek).
	Reasons bool
}

// toolName matches what the services accept as the name of a tool or a schema.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

type chatRequest struct {
	Model      string         `json:"model"`
	Messages   []chatMessage  `json:"messages"`
	Tools      []functionTool `json:"tools"`
	ToolChoice choice         `json:"tool_choice"`
	Format     struct {
		Type   string `json:"type"`
		Schema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Stream bool `json:"stream"`
}

// A functionTool is a tool of Chat Completions, and of Ollama.
type functionTool struct {
	Type     string             `json:"type"`
	Function providers.ToolSpec `json:"function"`
}

type chatMessage struct {
	Role      string   `json:"role"`
	Content   *content `json:"content"`
	Reasoning *string  `json:"reasoning_content"`
	CallID    string   `json:"tool_call_id"`
	Calls     []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Read parses a request.
func (c Chat) Read(body []byte) (Asked, error) {
	var r chatRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Asked{}, err
	}
	asked := Asked{Model: r.Model, Stream: r.Stream, Choice: r.ToolChoice.word(), Schema: r.Format.Type == "json_schema"}
	if asked.Schema && (!toolName.MatchString(r.Format.Schema.Name) || len(r.Format.Schema.Schema) == 0) {
		return Asked{}, fmt.Errorf("a response_format without a name or a schema")
	}
	for _, tool := range r.Tools {
		if err := asked.offer(tool.Function, tool.Type == "function"); err != nil {
			return Asked{}, err
		}
	}
	for _, m := range r.Messages {
		if err := c.addMessage(&asked, m); err != nil {
			return Asked{}, err
		}
	}
	return asked, nil
}

func (c Chat) addMessage(asked *Asked, m chatMessage) error {
	text := ""
	if m.Content != nil {
		text = string(*m.Content)
	}
	switch m.Role {
	case "system", "developer":
		asked.System += text
	case "user":
		asked.Messages = append(asked.Messages, providers.UserText(text))
	case "tool":
		asked.add(providers.RoleTool, providers.Block{Type: providers.BlockToolResult, CallID: m.CallID, Content: text})
	case "assistant":
		return c.addAnswer(asked, m, text)
	default:
		return fmt.Errorf("role %q is none", m.Role)
	}
	return nil
}

func (c Chat) addAnswer(asked *Asked, m chatMessage, text string) error {
	answer := providers.Message{Role: providers.RoleAssistant}
	if m.Reasoning != nil {
		answer.Blocks = append(answer.Blocks, providers.Block{Type: providers.BlockThinking, Text: *m.Reasoning})
	}
	if text != "" {
		answer.Blocks = append(answer.Blocks, providers.Block{Type: providers.BlockText, Text: text})
	}
	for _, call := range m.Calls {
		if call.Type != "function" {
			return fmt.Errorf("call %q has no type", call.ID)
		}
		answer.Blocks = append(answer.Blocks, providers.Block{
			Type: providers.BlockToolCall, ID: call.ID, Name: call.Function.Name,
			Arguments: json.RawMessage(call.Function.Arguments),
		})
	}
	if m.Content == nil && len(m.Calls) == 0 {
		return fmt.Errorf("an answer without content and without calls")
	}
	if c.Reasons && (m.Reasoning == nil || *m.Reasoning == "") {
		return fmt.Errorf("an answer without reasoning_content")
	}
	asked.Messages = append(asked.Messages, answer)
	return nil
}

// add appends a block to the message that it belongs to: the last one, where that is
// of its role.
func (a *Asked) add(role providers.Role, block providers.Block) {
	if n := len(a.Messages); n > 0 && a.Messages[n-1].Role == role {
		a.Messages[n-1].Blocks = append(a.Messages[n-1].Blocks, block)
		return
	}
	a.Messages = append(a.Messages, providers.Message{Role: role, Blocks: []providers.Block{block}})
}

// A content is a text, or a list of parts.
type content string

// UnmarshalJSON reads either form.
func (c *content) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(c))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(raw, &parts)
	for _, part := range parts {
		*c += content(part.Text)
	}
	return err
}

// A choice is a tool choice of either of OpenAI's formats: auto, none, required, or
// the name of a tool.
type choice string

// UnmarshalJSON reads a word or an object.
func (c *choice) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '{' {
		return json.Unmarshal(raw, (*string)(c))
	}
	var named struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &named); err != nil || named.Type != "function" {
		return fmt.Errorf("tool choice %s is none", raw)
	}
	*c = choice(named.Name + named.Function.Name)
	return nil
}

// word returns the choice; by default the model chooses.
func (c choice) word() string { return cmp.Or(string(c), "auto") }

// Write writes the stream of an answer: reasoning, text and arguments in small pieces.
// Those of parallel calls are told apart only by their index.
func (c Chat) Write(w io.Writer, reply Reply) {
	var thoughts []map[string]any
	for _, piece := range pieces(reply.Thinking) {
		thoughts = append(thoughts, map[string]any{"reasoning_content": piece})
	}
	writeChat(w, reply, thoughts)
}

// writeChat writes an answer, with its thoughts in the given deltas.
func writeChat(w io.Writer, reply Reply, thoughts []map[string]any) {
	chunk := func(delta map[string]any, finish any) {
		writeEvent(w, "", map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, delta := range thoughts {
		chunk(delta, nil)
	}
	for _, piece := range pieces(reply.Text) {
		chunk(map[string]any{"content": piece}, nil)
	}
	finish := "stop"
	for i, call := range reply.Calls {
		finish = "tool_calls"
		chunk(chatCall(i, call.ID, call.Name, ""), nil)
		for _, piece := range pieces(call.Arguments) {
			chunk(chatCall(i, "", "", piece), nil)
		}
	}
	chunk(map[string]any{}, finish)
	writeEvent(w, "", map[string]any{"choices": []any{}, "usage": map[string]any{
		"prompt_tokens": reply.Usage.InputTokens, "completion_tokens": reply.Usage.OutputTokens,
		"prompt_tokens_details":     map[string]any{"cached_tokens": reply.Usage.CachedInputTokens},
		"completion_tokens_details": map[string]any{"reasoning_tokens": reply.Usage.ReasoningTokens},
	}})
	io.WriteString(w, "data: [DONE]\n\n")
}

func chatCall(index int, id, name, arguments string) map[string]any {
	call := map[string]any{"index": index, "function": map[string]any{"arguments": arguments}}
	if id != "" {
		call["id"], call["type"] = id, "function"
		call["function"] = map[string]any{"name": name, "arguments": arguments}
	}
	return map[string]any{"tool_calls": []any{call}}
}

// pieces cuts a text into pieces of a few characters.
func pieces(text string) []string {
	const size = 7
	var list []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(size, len(runes))
		list = append(list, string(runes[:n]))
		runes = runes[n:]
	}
	return list
}

// writeEvent writes one server-sent event.
func writeEvent(w io.Writer, name string, data any) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", encoded(data))
}

// encoded returns a value as JSON.
func encoded(data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return string(text)
}
