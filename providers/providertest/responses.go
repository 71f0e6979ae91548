package providertest

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Responses is the dialect of OpenAI's Responses API, with store false. It
// remembers the items that it sent: what comes back with an id must be the item,
// unchanged. The zero Responses is ready to use.
type Responses struct{ memory }

type responsesRequest struct {
	Model        string                `json:"model"`
	Instructions string                `json:"instructions"`
	Input        json.RawMessage       `json:"input"`
	Tools        []responsesTool       `json:"tools"`
	ToolChoice   choice                `json:"tool_choice"`
	Text         map[string]textFormat `json:"text"`
	Stream       bool                  `json:"stream"`
}

type responsesTool struct {
	Type string `json:"type"`
	providers.ToolSpec
}

type textFormat struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// UnmarshalJSON reads a format, and passes over what stands beside it (the
// verbosity, a text).
func (f *textFormat) UnmarshalJSON(data []byte) error {
	type plain textFormat
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*plain)(f))
}

type responsesItem struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Role      string  `json:"role"`
	Content   content `json:"content"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    content `json:"output"`
}

// Read takes a request apart.
func (r *Responses) Read(body []byte) (Asked, error) {
	var req responsesRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return Asked{}, err
	}
	asked := Asked{Model: req.Model, System: req.Instructions, Stream: req.Stream, Choice: req.ToolChoice.word()}
	text := req.Text["format"]
	asked.Schema = text.Type == "json_schema"
	if asked.Schema && (!toolName.MatchString(text.Name) || len(text.Schema) == 0) {
		return Asked{}, fmt.Errorf("a text.format without a name or a schema")
	}
	for _, tool := range req.Tools {
		if tool.Type != "function" {
			continue
		}
		if err := asked.offer(tool.ToolSpec, true); err != nil {
			return Asked{}, err
		}
	}
	if err := r.readInput(&asked, req.Input); err != nil {
		return Asked{}, err
	}
	return asked, nil
}

func (r *Responses) readInput(asked *Asked, raw json.RawMessage) error {
	if len(raw) > 0 && raw[0] == '"' {
		var text content
		err := json.Unmarshal(raw, &text)
		asked.Messages = []providers.Message{providers.UserText(string(text))}
		return err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	reasoning := ""
	for _, raw := range items {
		var it responsesItem
		if err := json.Unmarshal(raw, &it); err != nil {
			return err
		}
		if err := r.unchanged(it.ID, raw); err != nil {
			return err
		}
		if reasoning != "" && (it.Type == "function_call_output" || it.Role == "user") {
			return fmt.Errorf("item %q of type 'reasoning' was provided without its required following item", reasoning)
		}
		reasoning = ""
		if it.Type == "reasoning" {
			reasoning = it.ID
		}
		asked.addItem(it)
	}
	if reasoning != "" {
		return fmt.Errorf("item %q of type 'reasoning' was provided without its required following item", reasoning)
	}
	return nil
}

// unchanged refuses an item that is not as it was sent, and one that was never
// sent: nothing is stored here that an id could stand for.
func (r *Responses) unchanged(id string, raw json.RawMessage) error {
	if id == "" || r.empty() {
		return nil
	}
	sent, ok := r.text(id)
	switch {
	case !ok:
		return fmt.Errorf("item %q not found", id)
	case sent != string(raw):
		return fmt.Errorf("item %q is not as it was sent: %s", id, raw)
	}
	return nil
}

func (a *Asked) addItem(it responsesItem) {
	switch it.Type {
	case "", "message":
		text := string(it.Content)
		switch it.Role {
		case "system", "developer":
			a.System += text
		case "assistant":
			a.add(providers.RoleAssistant, providers.Block{Type: providers.BlockText, Text: text})
		default:
			a.Messages = append(a.Messages, providers.UserText(text))
		}
	case "function_call":
		a.add(providers.RoleAssistant, providers.Block{
			Type: providers.BlockToolCall, ID: it.CallID, Name: it.Name, Arguments: json.RawMessage(it.Arguments),
		})
	case "function_call_output":
		a.add(providers.RoleTool, providers.Block{Type: providers.BlockToolResult, CallID: it.CallID, Content: string(it.Output)})
	default:
		a.add(providers.RoleAssistant, providers.Block{Type: providers.BlockThinking})
	}
}

// Write writes the whole stream of an answer.
func (r *Responses) Write(w io.Writer, reply Reply) {
	s := &responsesStream{dialect: r, w: w}
	s.event("response.created", map[string]any{"response": map[string]any{"status": "in_progress", "output": []any{}}})
	if reply.Thinking != "" {
		s.reasoning(reply.Thinking)
	}
	if reply.Text != "" {
		s.message(reply.Text)
	}
	for _, call := range reply.Calls {
		s.call(call)
	}
	s.event("response.completed", map[string]any{"response": map[string]any{
		"object": "response", "status": "completed", "output": s.output,
		"usage": map[string]any{
			"input_tokens": reply.Usage.InputTokens, "output_tokens": reply.Usage.OutputTokens,
			"input_tokens_details":  map[string]any{"cached_tokens": reply.Usage.CachedInputTokens},
			"output_tokens_details": map[string]any{"reasoning_tokens": reply.Usage.ReasoningTokens},
		},
	}})
}

type responsesStream struct {
	dialect *Responses
	w       io.Writer
	output  []json.RawMessage
}

func (s *responsesStream) event(name string, fields map[string]any) {
	fields["type"] = name
	writeEvent(s.w, name, fields)
}

func (s *responsesStream) deltas(name, text string) {
	for _, piece := range pieces(text) {
		s.event(name, map[string]any{"output_index": len(s.output), "delta": piece})
	}
}

// added begins an item, which is filled in by its deltas.
func (s *responsesStream) added(item map[string]any) {
	s.event("response.output_item.added", map[string]any{"output_index": len(s.output), "item": item})
}

// done ends an item, and remembers it under its id.
func (s *responsesStream) done(id string, item map[string]any) {
	item["id"] = id
	raw := json.RawMessage(encoded(item))
	s.event("response.output_item.done", map[string]any{"output_index": len(s.output), "item": raw})
	s.output = append(s.output, raw)
	s.dialect.keep(id, string(raw), nil)
}

func (s *responsesStream) nextID(prefix string) string {
	return fmt.Sprintf("%s_%d", prefix, s.dialect.next())
}

func (s *responsesStream) reasoning(text string) {
	s.added(map[string]any{"type": "reasoning", "summary": []any{}, "encrypted_content": "early"})
	s.deltas("response.reasoning_summary_text.delta", text)
	s.done(s.nextID("rs"), map[string]any{
		"type": "reasoning", "encrypted_content": "gAAA<&>" + text,
		"summary": []any{map[string]any{"type": "summary_text", "text": text}},
	})
}

func (s *responsesStream) message(text string) {
	s.added(map[string]any{"type": "message", "role": "assistant", "content": []any{}})
	s.deltas("response.output_text.delta", text)
	s.done(s.nextID("msg"), map[string]any{
		"type": "message", "role": "assistant", "status": "completed", "phase": "final_answer",
		"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}},
	})
}

func (s *responsesStream) call(call Call) {
	s.added(map[string]any{"type": "function_call", "call_id": call.ID, "name": call.Name, "arguments": ""})
	s.deltas("response.function_call_arguments.delta", call.Arguments)
	s.done(s.nextID("fc"), map[string]any{
		"type": "function_call", "status": "completed",
		"call_id": call.ID, "name": call.Name, "arguments": call.Arguments,
	})
}
