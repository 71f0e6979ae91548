package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	w := wireMessage{Role: m.Role, Blocks: m.Blocks, Provider: m.Provider, Model: m.Model, Finish: m.Finish}
	if w.Blocks == nil {
		w.Blocks = []Block{}
	}
	if m.Role == RoleAssistant || m.Usage != (Usage{}) {
		w.Usage = &m.Usage
	}
	return encodeJSON(w)
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
	w := wireBlock{Type: b.Type}
	switch b.Type {
	case BlockText, BlockThinking:
		w.Text = &b.Text
	case BlockToolCall:
		w.ID, w.Name = b.ID, &b.Name
		w.setArguments(b.Arguments)
	case BlockToolResult:
		w.CallID, w.Name, w.Content, w.Error = &b.CallID, &b.Name, &b.Content, &b.Error
	default:
		return nil, fmt.Errorf("block of unknown type %q", b.Type)
	}
	if json.Valid(b.Raw) {
		w.Raw = validUTF8(b.Raw)
	} else {
		w.RawText = string(b.Raw)
	}
	return encodeJSON(w)
}

func (w *wireBlock) setArguments(arguments json.RawMessage) {
	switch {
	case len(bytes.TrimSpace(arguments)) == 0:
		w.Arguments = json.RawMessage("{}")
	case json.Valid(arguments):
		w.Arguments = validUTF8(arguments)
	default:
		text := string(arguments)
		w.ArgumentsText = &text
	}
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

// encodeJSON leaves <, > and & as they are: a transcript is read by people.
func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// validUTF8 replaces what JSON's syntax lets pass inside of strings.
func validUTF8(raw json.RawMessage) json.RawMessage {
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
