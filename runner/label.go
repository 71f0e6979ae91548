package runner

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// labelFor returns the name of the site's element for people: the step's label, or the default.
// A label that can't be evaluated does not stop the work; there is a warning.
func (t *site) labelFor(ctx context.Context, item any) string {
	if t.step.Label == nil {
		return beginning(labelOf(item), t.exec.Mask)
	}
	label, err := t.step.Label.Text(t.names(ctx, nil))
	if err != nil {
		t.observe(steps.Event{Type: steps.Warning, Message: "label", Error: err.Error()})
		label = labelOf(item)
	}
	return beginning(label, t.exec.Mask)
}

// labelOf returns the default label of an element: the element if it is text, or the first
// text of a map, by its sorted keys.
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

// beginning returns the beginning of the first line of a text, without secrets, by which a
// person recognises it.
func beginning(text string, mask *tools.Mask) string {
	line := firstLine(text)
	runes := []rune(firstLine(mask.String(line[:min(len(line), maxMasked)])))
	return string(runes[:min(len(runes), maxItemText)])
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

const (
	maxItemText = 100      // characters
	maxMasked   = 64 << 10 // bytes of the text in which secrets are looked for
)
