package providers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// MarshalJSON writes the message as one line of a transcript: its blocks, and for an
// assistant's also who answered, why it stopped, and its usage. A conversation can be
// continued from it. Invalid UTF-8 is replaced.
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
	if u.CacheWrite1h != 0 {
		o.Int("cache_write_1h_tokens", u.CacheWrite1h)
	}
	o.Int("reasoning_tokens", u.ReasoningTokens)
	if u.Cost != nil {
		o.Float("cost_usd", *u.Cost)
	}
}

// UnmarshalJSON reads what MarshalJSON writes. It ignores unknown keys; a message without a
// role and a block of an unknown type are errors.
func (m *Message) UnmarshalJSON(data []byte) error {
	type plain Message
	*m = Message{}
	if err := json.Unmarshal(data, (*plain)(m)); err != nil {
		return err
	}
	if m.Role == "" {
		return fmt.Errorf("message without a role")
	}
	if len(m.Blocks) == 0 {
		m.Blocks = nil
	}
	return nil
}

// MarshalJSON writes the block with the keys of its type. Arguments that are not valid JSON,
// because they were cut off, are written as a string with the key arguments_text.
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

// writeRaw writes what should be JSON, as a string if it is not.
func writeRaw(o *jsonline.Object, name string, raw json.RawMessage) {
	if json.Valid(raw) {
		o.JSON(name, bytes.ToValidUTF8(raw, []byte("\uFFFD"))) // json.Valid accepts invalid UTF-8 in strings
		return
	}
	o.Text(name+"_text", string(raw))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Block) UnmarshalJSON(data []byte) error {
	type plain Block
	w := struct {
		*plain
		ArgumentsText string `json:"arguments_text"` // in place of arguments that are no JSON
		RawText       string `json:"raw_text"`       // in place of raw that is no JSON
	}{plain: (*plain)(b)}
	*b = Block{}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	if w.ArgumentsText != "" {
		b.Arguments = json.RawMessage(w.ArgumentsText)
	}
	if w.RawText != "" {
		b.Raw = json.RawMessage(w.RawText)
	}
	switch b.Type {
	case BlockText, BlockThinking, BlockToolCall, BlockToolResult:
		return nil
	}
	return fmt.Errorf("block of unknown type %q", b.Type)
}
