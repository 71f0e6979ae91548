package providers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// wireMessage is a message as a line of a transcript has it.
type wireMessage struct {
	Role     Role    `json:"role"`
	Blocks   []Block `json:"blocks"`
	Provider string  `json:"provider,omitempty"`
	Model    string  `json:"model,omitempty"`
	Finish   Finish  `json:"finish,omitempty"`
	Usage    *Usage  `json:"usage,omitempty"`
}

// MarshalJSON writes the message as one line of a transcript: its blocks, and
// for an assistant's also who answered, why it stopped, and its usage. What a
// conversation needs to go on is all there. Invalid UTF-8 is replaced.
func (m Message) MarshalJSON() ([]byte, error) {
	var o jsonline.Object
	o.Text("role", string(m.Role))
	o.List("blocks", len(m.Blocks), func(o *jsonline.Object, i int) { m.Blocks[i].write(o) })
	o.TextIf("provider", m.Provider)
	o.TextIf("model", m.Model)
	o.TextIf("finish", string(m.Finish))
	if m.Role == RoleAssistant || m.Usage != (Usage{}) {
		o.Object("usage", m.Usage.write)
	}
	return o.Line()
}

// MarshalJSON writes the counts, and the cost where it is known.
func (u Usage) MarshalJSON() ([]byte, error) {
	var o jsonline.Object
	u.write(&o)
	return o.Line()
}

func (u Usage) write(o *jsonline.Object) {
	o.Int("input_tokens", u.InputTokens)
	o.Int("output_tokens", u.OutputTokens)
	o.Int("cached_input_tokens", u.CachedInputTokens)
	if u.CacheWriteTokens != 0 {
		o.Int("cache_write_tokens", u.CacheWriteTokens)
	}
	o.Int("reasoning_tokens", u.ReasoningTokens)
	if u.Cost != nil {
		o.Float("cost_usd", *u.Cost)
	}
}

// UnmarshalJSON reads what MarshalJSON writes. Keys that it does not know are
// left out; a role must be there, and a block be of a known type.
func (m *Message) UnmarshalJSON(data []byte) error {
	var w wireMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	if w.Role == "" {
		return fmt.Errorf("message without a role")
	}
	*m = Message{Role: w.Role, Blocks: w.Blocks, Provider: w.Provider, Model: w.Model, Finish: w.Finish}
	if len(w.Blocks) == 0 {
		m.Blocks = nil
	}
	if w.Usage != nil {
		m.Usage = *w.Usage
	}
	return nil
}

// wireBlock has the keys of all types of blocks. Which are written is decided
// by pointers: an empty text is there, the text of a call is not.
type wireBlock struct {
	Type          BlockType       `json:"type"`
	ID            string          `json:"id,omitempty"`
	CallID        *string         `json:"call_id,omitempty"`
	Name          *string         `json:"name,omitempty"`
	Text          *string         `json:"text,omitempty"`
	Arguments     json.RawMessage `json:"arguments,omitempty"`
	ArgumentsText *string         `json:"arguments_text,omitempty"` // in place of arguments that are no JSON
	Content       *string         `json:"content,omitempty"`
	Error         *bool           `json:"error,omitempty"`
	Raw           json.RawMessage `json:"raw,omitempty"`
	RawText       string          `json:"raw_text,omitempty"` // in place of raw that is no JSON
}

// MarshalJSON writes the block with the keys of its type. Arguments are
// written as JSON; where they are none, because they were cut, as a text with
// the key arguments_text.
func (b Block) MarshalJSON() ([]byte, error) {
	var o jsonline.Object
	b.write(&o)
	return o.Line()
}

func (b Block) write(o *jsonline.Object) {
	o.Text("type", string(b.Type))
	switch b.Type {
	case BlockText, BlockThinking:
		o.Text("text", b.Text)
	case BlockToolCall:
		o.TextIf("id", b.ID)
		o.Text("name", b.Name)
		if len(bytes.TrimSpace(b.Arguments)) == 0 {
			o.JSON("arguments", []byte("{}"))
		} else {
			writeRaw(o, "arguments", b.Arguments)
		}
	case BlockToolResult:
		o.Text("call_id", b.CallID)
		o.Text("name", b.Name)
		o.Text("content", b.Content)
		o.Bool("error", b.Error)
	default:
		o.Fail(fmt.Errorf("block of unknown type %q", b.Type))
	}
	if len(b.Raw) > 0 {
		writeRaw(o, "raw", b.Raw)
	}
}

// writeRaw writes what should be JSON, or as a text what is none.
func writeRaw(o *jsonline.Object, name string, raw json.RawMessage) {
	if json.Valid(raw) {
		o.JSON(name, bytes.ToValidUTF8(raw, []byte("\uFFFD"))) // which JSON's syntax lets pass inside of strings
		return
	}
	o.Text(name+"_text", string(raw))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Block) UnmarshalJSON(data []byte) error {
	var w wireBlock
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*b = Block{Type: w.Type, Raw: w.Raw}
	if w.RawText != "" {
		b.Raw = json.RawMessage(w.RawText)
	}
	switch w.Type {
	case BlockText, BlockThinking:
		b.Text = value(w.Text)
	case BlockToolCall:
		b.ID, b.Name, b.Arguments = w.ID, value(w.Name), w.Arguments
		if w.ArgumentsText != nil {
			b.Arguments = json.RawMessage(*w.ArgumentsText)
		}
	case BlockToolResult:
		b.CallID, b.Name, b.Content, b.Error = value(w.CallID), value(w.Name), value(w.Content), value(w.Error)
	default:
		return fmt.Errorf("block of unknown type %q", w.Type)
	}
	return nil
}

func value[T any](p *T) (zero T) {
	if p == nil {
		return zero
	}
	return *p
}
