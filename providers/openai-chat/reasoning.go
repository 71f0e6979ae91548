package openaichat

import (
	"cmp"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// reasoning collects the fields with a model's reasoning, as they will be sent back.
type reasoning struct {
	answer *wire.Answer
	part   *wire.Part

	content []byte            // reasoning_content
	text    []byte            // reasoning
	details []json.RawMessage // reasoning_details
	open    *detail           // the last of them, not yet complete
}

// add adds the reasoning of one delta. OpenRouter sends the same in two fields; it is shown
// once.
func (r *reasoning) add(d delta) {
	r.content = append(r.content, d.ReasoningContent...)
	r.text = append(r.text, d.Reasoning...)
	shown := cmp.Or(d.Reasoning, d.ReasoningContent)
	told := ""
	for _, raw := range d.Details {
		told += r.addDetail(raw)
	}
	if shown == "" && len(r.text) == 0 && len(r.content) == 0 {
		shown = told
	}
	shown += d.Content.thinking
	if shown == "" && len(d.Details) == 0 {
		return
	}
	if r.part == nil {
		r.part = r.answer.Start(providers.Block{Type: providers.BlockThinking})
	}
	r.part.Append(shown)
}

// keep sets the block's Raw, once everything has come.
func (r *reasoning) keep() {
	if r.part == nil {
		return
	}
	r.closeDetail()
	fields := map[string]any{}
	if len(r.content) > 0 {
		fields["reasoning_content"] = string(r.content)
	}
	if len(r.text) > 0 {
		fields["reasoning"] = string(r.text)
	}
	if len(r.details) > 0 {
		fields["reasoning_details"] = r.details
	}
	if len(fields) > 0 {
		r.part.Block.Raw = wire.JSON(fields)
	}
}

// A detail is one of OpenRouter's reasoning_details. It may come in fragments: pieces of its
// text, and its signature.
type detail struct {
	fields map[string]json.RawMessage
	kind   detailKind
	grown  map[string][]byte // texts that come in fragments, by field
}

type detailKind struct {
	Type  string `json:"type"`
	Index *int   `json:"index"`
}

// addDetail adds a fragment, and returns its text.
func (r *reasoning) addDetail(raw json.RawMessage) string {
	var kind detailKind
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &kind) != nil || json.Unmarshal(raw, &fields) != nil {
		r.closeDetail()
		r.details = append(r.details, raw)
		return ""
	}
	if r.open == nil || !r.open.kind.continues(kind) {
		r.closeDetail()
		r.open = &detail{fields: map[string]json.RawMessage{}, kind: kind, grown: map[string][]byte{}}
	}
	return r.open.add(fields)
}

// continues reports whether a fragment of kind next belongs to the same detail. Encrypted
// details are not fragmented.
func (k detailKind) continues(next detailKind) bool {
	return k.Type == next.Type && k.Index != nil && next.Index != nil && *k.Index == *next.Index &&
		k.Type != "reasoning.encrypted"
}

func (d *detail) add(fields map[string]json.RawMessage) string {
	told := ""
	for name, value := range fields {
		var text string
		switch {
		case name != "text" && name != "summary":
			if string(value) != "null" || d.fields[name] == nil {
				d.fields[name] = value
			}
		case json.Unmarshal(value, &text) == nil:
			d.grown[name] = append(d.grown[name], text...)
			told += text
		}
	}
	return told
}

func (r *reasoning) closeDetail() {
	if r.open == nil {
		return
	}
	for name, text := range r.open.grown {
		r.open.fields[name] = wire.JSON(string(text))
	}
	r.details = append(r.details, wire.JSON(r.open.fields))
	r.open = nil
}
