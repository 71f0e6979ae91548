package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Messages is the dialect of Anthropic's Messages API. It remembers the thoughts
// that it sent: a call that was sent with one must come back with it, and with
// its signature. The zero Messages is ready to use.
type Messages struct{ memory }

// plainID matches what the API accepts as the id of a call.
var plainID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

type messagesRequest struct {
	Model     string   `json:"model"`
	MaxTokens int      `json:"max_tokens"`
	System    *content `json:"system"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content messagesContent `json:"content"`
	} `json:"messages"`
	Tools      []messagesTool `json:"tools"`
	ToolChoice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Thinking struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
	Output struct {
		Format *struct {
			Type   string `json:"type"`
			Schema struct {
				Type       string `json:"type"`
				Additional *bool  `json:"additionalProperties"`
			} `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Temperature *float64 `json:"temperature"`
	Stream      bool     `json:"stream"`
}

type messagesTool struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"input_schema"`
	providers.ToolSpec
}

type messagesBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	CallID    string          `json:"tool_use_id"`
	Content   content         `json:"content"`
	Error     bool            `json:"is_error"`
	Cache     json.RawMessage `json:"cache_control"`
}

// A messagesContent is a list of blocks, or the text of a single one.
type messagesContent []messagesBlock

// UnmarshalJSON reads either form.
func (c *messagesContent) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' {
		return json.Unmarshal(raw, (*[]messagesBlock)(c))
	}
	*c = messagesContent{{Type: "text"}}
	return json.Unmarshal(raw, &(*c)[0].Text)
}

// Read parses a request.
func (d *Messages) Read(body []byte) (Asked, error) {
	var r messagesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Asked{}, err
	}
	const maxMarks = 4
	if n := bytes.Count(body, []byte(`"cache_control":`)); n > maxMarks {
		return Asked{}, fmt.Errorf("%d blocks have cache_control, at most %d may", n, maxMarks)
	}
	if r.MaxTokens < 1 {
		return Asked{}, fmt.Errorf("max_tokens: field required")
	}
	asked := Asked{Model: r.Model, Stream: r.Stream}
	if err := r.readHead(&asked); err != nil {
		return Asked{}, err
	}
	for _, tool := range r.Tools {
		var schema struct{ Type string }
		if tool.Type != "" && tool.Type != "custom" {
			continue
		}
		tool.Parameters = tool.Schema
		if err := asked.offer(tool.ToolSpec, json.Unmarshal(tool.Schema, &schema) == nil && schema.Type == "object"); err != nil {
			return Asked{}, err
		}
	}
	role, ids := "", map[string]bool{}
	for i, m := range r.Messages {
		if m.Role == role || i == 0 && m.Role != "user" {
			return Asked{}, fmt.Errorf("messages.%d: role %q, roles must alternate, from user on", i, m.Role)
		}
		role = m.Role
		if err := d.addMessage(&asked, m.Role, m.Content, ids); err != nil {
			return Asked{}, fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	if role == "assistant" {
		return Asked{}, fmt.Errorf("the conversation must end with a user message")
	}
	return asked, r.checkThinking(asked.Messages)
}

// readHead reads the settings of a request, which are all but the conversation.
func (r messagesRequest) readHead(asked *Asked) error {
	if r.System != nil {
		asked.System = string(*r.System)
		if strings.TrimSpace(asked.System) == "" {
			return fmt.Errorf("system: text content blocks must be non-empty")
		}
	}
	if f := r.Output.Format; f != nil {
		asked.Schema = true
		if f.Type != "json_schema" || f.Schema.Type != "object" || f.Schema.Additional == nil || *f.Schema.Additional {
			return fmt.Errorf("output_config.format.schema: for 'object' type, 'additionalProperties' must be explicitly set to false")
		}
	}
	switch choice := r.ToolChoice; choice.Type {
	case "":
		asked.Choice = "auto"
	case "auto", "none":
		asked.Choice = choice.Type
	case "any":
		asked.Choice = "required"
	case "tool":
		asked.Choice = choice.Name
	default:
		return fmt.Errorf("tool_choice %q is none", choice.Type)
	}
	return nil
}

// checkThinking refuses settings that can't be combined with thinking.
func (r messagesRequest) checkThinking(messages []providers.Message) error {
	const least = 1024
	switch {
	case r.Thinking.Type == "" || r.Thinking.Type == "disabled":
		return nil
	case r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool":
		return fmt.Errorf("thinking may not be enabled when tool_choice forces tool use")
	case r.Temperature != nil && *r.Temperature != 1:
		return fmt.Errorf("temperature may only be set to 1 when thinking is enabled")
	case r.Thinking.Type == "adaptive":
		return nil
	case r.Thinking.Type != "enabled" || r.Thinking.Budget < least || r.Thinking.Budget >= r.MaxTokens:
		return fmt.Errorf("thinking %q with a budget of %d, max_tokens is %d", r.Thinking.Type, r.Thinking.Budget, r.MaxTokens)
	}
	first := -1
	for i := len(messages) - 1; i > 0 && messages[i].Role == providers.RoleTool; i -= 2 {
		first = i - 1
	}
	if first >= 0 && messages[first].Blocks[0].Type != providers.BlockThinking {
		return fmt.Errorf("expected thinking or redacted_thinking, but found %s", messages[first].Blocks[0].Type)
	}
	return nil
}

func (d *Messages) addMessage(asked *Asked, role string, blocks []messagesBlock, ids map[string]bool) error {
	switch {
	case len(blocks) == 0:
		return fmt.Errorf("all messages must have non-empty content")
	case role == "user":
		return addUser(asked, blocks)
	case role == "assistant":
		return d.addAnswer(asked, blocks, ids)
	}
	return fmt.Errorf("role %q is none", role)
}

// addUser adds the results of a message, and then its texts.
func addUser(asked *Asked, blocks []messagesBlock) error {
	var said providers.Message
	for _, b := range blocks {
		switch {
		case b.Type == "text" && strings.TrimSpace(b.Text) == "":
			return fmt.Errorf("text content blocks must contain non-whitespace text")
		case b.Type == "text":
			said.Role = providers.RoleUser
			said.Blocks = append(said.Blocks, providers.Block{Type: providers.BlockText, Text: b.Text})
		case b.Type == "tool_result" && len(said.Blocks) > 0:
			return fmt.Errorf("tool_result %q after another block: results must come first", b.CallID)
		case b.Type == "tool_result":
			if b.Error && b.Content == "" {
				return fmt.Errorf("content of the result %q: an error with none", b.CallID)
			}
			asked.add(providers.RoleTool, providers.Block{Type: providers.BlockToolResult, CallID: b.CallID, Content: string(b.Content), Error: b.Error})
		default:
			return fmt.Errorf("block of type %q in a message of the user", b.Type)
		}
	}
	if len(said.Blocks) > 0 {
		asked.Messages = append(asked.Messages, said)
	}
	return nil
}

func (d *Messages) addAnswer(asked *Asked, blocks []messagesBlock, ids map[string]bool) error {
	answer := providers.Message{Role: providers.RoleAssistant}
	signatures := map[string]bool{}
	for _, b := range blocks {
		one := providers.Block{Type: providers.BlockThinking}
		var err error
		switch b.Type {
		case "text":
			one = providers.Block{Type: providers.BlockText, Text: b.Text}
			if strings.TrimSpace(b.Text) == "" {
				err = fmt.Errorf("text content blocks must contain non-whitespace text")
			}
		case "tool_use":
			one = providers.Block{Type: providers.BlockToolCall, ID: b.ID, Name: b.Name, Arguments: b.Input}
			err = d.checkCall(b, ids, signatures)
		case "thinking":
			signatures[b.Signature] = true
			err = d.checkThought(b)
		case "tool_result":
			err = fmt.Errorf("a result in a message of the assistant")
		}
		if err != nil {
			return err
		}
		answer.Blocks = append(answer.Blocks, one)
	}
	asked.Messages = append(asked.Messages, answer)
	return nil
}

// checkThought refuses a thought without its signature, and one that was changed. The
// thoughts in recorded requests were not sent by this dialect, so it can't compare them.
func (d *Messages) checkThought(b messagesBlock) error {
	sent, known := d.text(b.Signature)
	switch {
	case b.Signature == "", !known && !d.empty(), known && sent != b.Thinking:
		return fmt.Errorf("invalid signature %q in thinking block", b.Signature)
	case len(b.Cache) > 0:
		return fmt.Errorf("cache_control may not be set on thinking blocks")
	}
	return nil
}

// checkCall refuses a malformed call, and one without the thought that it came with.
func (d *Messages) checkCall(b messagesBlock, ids, signatures map[string]bool) error {
	behind := d.before(b.ID)
	switch {
	case !plainID.MatchString(b.ID):
		return fmt.Errorf("tool_use.id %q: string should match pattern %q", b.ID, plainID)
	case ids[b.ID]:
		return fmt.Errorf("tool_use ids must be unique: %q", b.ID)
	case len(b.Input) == 0 || b.Input[0] != '{':
		return fmt.Errorf("tool_use.input: input should be a valid dictionary: %s", b.Input)
	case behind != "" && !signatures[behind]:
		return fmt.Errorf("call %q without the thinking block that came before it", b.ID)
	}
	ids[b.ID] = true
	return nil
}

// Write writes the whole stream of an answer, with padded JSON and a ping.
func (d *Messages) Write(w io.Writer, reply Reply) {
	s := &messagesStream{w: w}
	u := reply.Usage
	s.event("message_start", map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil,
		"usage": map[string]any{
			"input_tokens":            u.InputTokens - u.CachedInputTokens - u.CacheWriteTokens,
			"cache_read_input_tokens": u.CachedInputTokens, "cache_creation_input_tokens": u.CacheWriteTokens, "output_tokens": 1,
		},
	}})
	if reply.Thinking != "" {
		signature := d.think(reply)
		s.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking", reply.Thinking,
			map[string]any{"type": "signature_delta", "signature": signature})
	}
	s.event("ping", map[string]any{})
	if reply.Text != "" {
		s.block(map[string]any{"type": "text", "text": ""}, "text_delta", "text", reply.Text)
	}
	reason := "end_turn"
	for _, call := range reply.Calls {
		reason = "tool_use"
		s.block(map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": map[string]any{}}, "input_json_delta", "partial_json", call.Arguments)
	}
	s.event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": u.OutputTokens, "output_tokens_details": map[string]any{"thinking_tokens": u.ReasoningTokens}},
	})
	s.event("message_stop", map[string]any{})
}

// think signs the thought of a reply, and remembers it.
func (d *Messages) think(reply Reply) (signature string) {
	signature = fmt.Sprintf("Eq<&>/+%d==", d.next())
	d.keep(signature, reply.Thinking, reply.Calls)
	return signature
}

type messagesStream struct {
	w     io.Writer
	index int
}

// event writes one event, padded as the service pads it.
func (s *messagesStream) event(name string, fields map[string]any) {
	fields["type"] = name
	fmt.Fprintf(s.w, "event: %s\ndata: %s   }\n\n", name, strings.TrimSuffix(encoded(fields), "}"))
}

// block writes a block: its start, its text in at least one small piece, and what follows.
func (s *messagesStream) block(begin map[string]any, kind, field, text string, rest ...map[string]any) {
	s.event("content_block_start", map[string]any{"index": s.index, "content_block": begin})
	parts := pieces(text)
	if len(parts) == 0 {
		parts = []string{""}
	}
	for _, piece := range parts {
		s.event("content_block_delta", map[string]any{"index": s.index, "delta": map[string]any{"type": kind, field: piece}})
	}
	for _, delta := range rest {
		s.event("content_block_delta", map[string]any{"index": s.index, "delta": delta})
	}
	s.event("content_block_stop", map[string]any{"index": s.index})
	s.index++
}
