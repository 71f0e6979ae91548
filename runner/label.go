package runner

import (
	"context"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/steps"
)

// called is what people are told that the element of the site is called: what
// the step's label comes to, or what the element says itself. A label that
// can't be evaluated is no reason to leave the work undone: a warning says why.
func (t *site) called(ctx context.Context, item any) string {
	if t.step.Label == nil {
		return t.run.beginning(labelOf(item))
	}
	label, err := t.step.Label.Text(t.names(ctx, nil))
	if err != nil {
		t.tell(&Event{Event: steps.Event{Type: steps.Warning, Message: "label", Error: err.Error()}})
		label = labelOf(item)
	}
	return t.run.beginning(label)
}

// labelOf is what an element is called without a label: itself where it is text,
// and of a map the first text in it, by its sorted keys.
func labelOf(item any) string {
	if text, ok := item.(string); ok {
		return text
	}
	fields, _ := item.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if text, ok := fields[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// beginning is the beginning of a text, without secrets: it tells a person which
// one it is.
func (r *run) beginning(text string) string {
	return beginning(r.Mask.String(text[:min(len(text), mostMasked)]))
}

func beginning(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), mostItemText)])
}

const (
	mostItemText = 100      // characters
	mostMasked   = 64 << 10 // bytes that are looked through for a secret at the beginning
)
