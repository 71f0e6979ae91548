package runner

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

func TestSecretsInPieces(t *testing.T) {
	var told []steps.Event
	m := &maskedSpeech{mask: tools.NewMask([]string{"tok-5f2e9c"}), tell: func(e steps.Event) { told = append(told, e) }, open: map[int]*openText{}}
	block, other := 0, 1
	delta := func(block *int, text string) steps.Event {
		return steps.Event{Type: steps.BlockDelta, Turn: 1, Block: block, Delta: text}
	}
	end := func(block *int) steps.Event {
		return steps.Event{Type: steps.BlockFinished, Turn: 1, Block: block}
	}
	for _, e := range []steps.Event{
		delta(&block, "it is to"), delta(&other, "k-5f"), delta(&block, "k-5f2"), delta(&block, "e9c, is"), delta(&block, "n't it? tok-"),
		end(&block), end(&other),
	} {
		m.observe(e)
	}
	texts := map[int]string{}
	for _, e := range told {
		texts[*e.Block] += e.Delta
	}
	if texts[0] != "it is ***, isn't it? tok-" || texts[1] != "k-5f" {
		t.Errorf("told %v", texts)
	}
	if len(m.open) != 0 {
		t.Errorf("%d blocks are held for ever", len(m.open))
	}
}

func TestTextsOfEventsAreMasked(t *testing.T) {
	e := Event{
		Failure: &steps.Error{Message: "no tok-5f2e9c"},
		Event:   steps.Event{Type: steps.CallFinished, Input: []byte(`{"a":"tok-5f2e9c"}`), Error: "tok-5f2e9c", Message: "tok-5f2e9c", Rule: "read: tok-5f2e9c", Value: &providers.Block{Type: providers.BlockText, Text: "it is tok-5f2e9c"}},
	}
	e.hide(tools.NewMask([]string{"tok-5f2e9c"}))
	for _, text := range []string{e.Value.Text, e.Failure.Message, string(e.Input), e.Event.Error, e.Message, e.Rule} {
		if strings.Contains(text, "tok-5f2e9c") || !strings.Contains(text, "***") {
			t.Errorf("told %q", text)
		}
	}
}
