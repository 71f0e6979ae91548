package runner

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

func TestSecretsInPieces(t *testing.T) {
	m := &masker{mask: tools.NewMask([]string{"tok-5f2e9c"})}
	block, other := 0, 1
	delta := func(block *int, text string) Event {
		return Event{Step: "a", Event: steps.Event{Type: steps.BlockDelta, Turn: 1, Block: block, Delta: text}}
	}
	end := func(block *int, text string) Event {
		return Event{Step: "a", Event: steps.Event{
			Type: steps.BlockFinished, Turn: 1, Block: block, Value: &providers.Block{Type: providers.BlockText, Text: text},
		}}
	}
	var told []Event
	for _, e := range []Event{
		delta(&block, "it is to"), delta(&other, "k-5f"), delta(&block, "k-5f2"), delta(&block, "e9c, is"), delta(&block, "n't it? tok-"),
		end(&block, "it is tok-5f2e9c, isn't it? tok-"), end(&other, "k-5f"),
	} {
		before, emitted := m.hide(&e)
		if before != nil {
			told = append(told, *before)
		}
		if emitted {
			told = append(told, e)
		}
	}
	texts := map[int]string{}
	for _, e := range told {
		texts[*e.Block] += e.Delta
		if e.Value != nil && strings.Contains(e.Value.Text, "tok-5f2e9c") {
			t.Errorf("the whole block is told: %q", e.Value.Text)
		}
	}
	if texts[0] != "it is ***, isn't it? tok-" || texts[1] != "k-5f" {
		t.Errorf("told %v", texts)
	}
	if len(m.open) != 0 {
		t.Errorf("%d blocks are held for ever", len(m.open))
	}
}

func TestTextsOfEventsAreMasked(t *testing.T) {
	m := &masker{mask: tools.NewMask([]string{"tok-5f2e9c"})}
	e := Event{
		Failure: &steps.Error{Message: "no tok-5f2e9c"},
		Event:   steps.Event{Type: steps.CallFinished, Input: []byte(`{"a":"tok-5f2e9c"}`), Error: "tok-5f2e9c", Message: "tok-5f2e9c", Rule: "read: tok-5f2e9c"},
	}
	m.hide(&e)
	for _, text := range []string{e.Failure.Message, string(e.Input), e.Event.Error, e.Message, e.Rule} {
		if strings.Contains(text, "tok-5f2e9c") || !strings.Contains(text, "***") {
			t.Errorf("told %q", text)
		}
	}
}

func TestOpenTextsOfBrokenAnswersAreForgotten(t *testing.T) {
	m := &masker{mask: tools.NewMask([]string{"tok-5f2e9c"})}
	block := 0
	for _, u := range []string{"a[3]~1", "a[3]~2", "a[4]~1"} {
		m.hide(&Event{Unit: unitOf(t, u), Event: steps.Event{Type: steps.BlockDelta, Turn: 1, Block: &block, Delta: "tok-"}})
	}
	m.hide(&Event{Unit: unitOf(t, "a[3]"), Event: steps.Event{Type: StepFinished}})
	if len(m.open) != 1 {
		t.Errorf("%d texts are held, want that of the other element", len(m.open))
	}
}
