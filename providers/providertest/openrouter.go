package providertest

import (
	"encoding/json"
	"fmt"
	"io"
)

// OpenRouter is the dialect of OpenRouter: Chat Completions with thoughts in
// reasoning_details, the last of which is signed. It remembers what it sent: the calls
// of an answer must come back with its thoughts, unchanged, and no other thoughts may.
// The zero OpenRouter is ready to use.
type OpenRouter struct{ memory }

// A routedDetail is one of the reasoning_details, in a fragment or whole.
type routedDetail struct {
	Type      string `json:"type"`
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	Format    string `json:"format"`
	Index     int    `json:"index"`
}

// Read takes a request apart.
func (o *OpenRouter) Read(body []byte) (Asked, error) {
	var r struct {
		Messages []struct {
			Details []routedDetail `json:"reasoning_details"`
			Calls   []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return Asked{}, err
	}
	for _, m := range r.Messages {
		got := textOf(m.Details)
		if _, sent := o.text(got); got != "" && !sent {
			return Asked{}, fmt.Errorf("these reasoning_details were never sent: %s", got)
		}
		for _, call := range m.Calls {
			if want := o.before(call.ID); got != want {
				return Asked{}, fmt.Errorf("call %q came with reasoning_details %q, and is back with %q", call.ID, want, got)
			}
		}
	}
	return Chat{}.Read(body)
}

// Write writes the whole stream of an answer.
func (o *OpenRouter) Write(w io.Writer, reply Reply) {
	var thoughts []map[string]any
	delta := func(text, signature string) {
		detail := routedDetail{Type: "reasoning.text", Text: text, Signature: signature, Format: "anthropic-claude-v1"}
		thoughts = append(thoughts, map[string]any{"reasoning": text, "reasoning_details": []routedDetail{detail}})
	}
	for _, piece := range pieces(reply.Thinking) {
		delta(piece, "")
	}
	if reply.Thinking != "" {
		delta("", o.sign(reply))
	}
	writeChat(w, reply, thoughts)
}

// sign remembers the thought of a reply, and signs it.
func (o *OpenRouter) sign(reply Reply) (signature string) {
	signature = fmt.Sprintf("sig<&>/%d==", o.next())
	details := textOf([]routedDetail{{Type: "reasoning.text", Text: reply.Thinking, Signature: signature, Format: "anthropic-claude-v1"}})
	o.keep(details, "", reply.Calls)
	return signature
}

// textOf is a list of details as one text; "" where there are none.
func textOf(details []routedDetail) string {
	if len(details) == 0 {
		return ""
	}
	return encoded(details)
}
