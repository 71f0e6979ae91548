package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// UnmarshalJSON reads a message of a transcript, from which a conversation can be continued. It ignores
// unknown keys; a message without a role and a block of an unknown type are errors.
func (m *Message) UnmarshalJSON(data []byte) error {
	type plain Message
	*m = Message{}
	if err := json.Unmarshal(data, (*plain)(m)); err != nil {
		return err
	}
	if m.Role == "" {
		return errors.New("message without a role")
	}
	return nil
}

// plainBlock is a block without its methods.
type plainBlock Block

// A blockLine is the JSON of a block.
type blockLine struct {
	*plainBlock
	ArgumentsText string `json:"arguments_text,omitempty"` // in place of arguments that are no JSON
	RawText       string `json:"raw_text,omitempty"`       // in place of raw that is no JSON
}

// MarshalJSON writes the block. Arguments that are not valid JSON, because they were cut off, are
// written as a string with the key arguments_text. Invalid UTF-8 is replaced.
func (b Block) MarshalJSON() ([]byte, error) {
	line := blockLine{plainBlock: (*plainBlock)(&b)}
	if b.Type == BlockToolCall && len(bytes.TrimSpace(b.Arguments)) == 0 {
		b.Arguments = []byte("{}")
	}
	b.Arguments, line.ArgumentsText = jsonOrText(b.Arguments)
	b.Raw, line.RawText = jsonOrText(b.Raw)
	if err := b.Type.check(); err != nil {
		return nil, err
	}
	return jsonline.Encode(line)
}

// jsonOrText returns what should be JSON, or as a text what is not.
func jsonOrText(raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) > 0 && !json.Valid(raw) {
		return nil, string(raw)
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD")), "" // json.Valid accepts invalid UTF-8 in strings
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Block) UnmarshalJSON(data []byte) error {
	*b = Block{}
	line := blockLine{plainBlock: (*plainBlock)(b)}
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	if line.ArgumentsText != "" {
		b.Arguments = json.RawMessage(line.ArgumentsText)
	}
	if line.RawText != "" {
		b.Raw = json.RawMessage(line.RawText)
	}
	return b.Type.check()
}

func (t BlockType) check() error {
	switch t {
	case BlockText, BlockThinking, BlockToolCall, BlockToolResult:
		return nil
	}
	return fmt.Errorf("block of unknown type %q", t)
}
