package runner

import (
	"bytes"
	"errors"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A maskedSpeech hides secrets in what a model says piece by piece, before it is observed: it holds
// back the end of a block that may be the beginning of one.
type maskedSpeech struct {
	mask *tools.Mask
	tell func(steps.Event)
	open map[int]*openText // by block
}

// An openText is the text of an unfinished block on its way through the mask.
type openText struct {
	out    bytes.Buffer
	masked io.WriteCloser
}

// observe passes an event of a conversation on. Events with blocks come one at a time.
func (m *maskedSpeech) observe(e steps.Event) {
	if e.Block == nil {
		m.tell(e)
		return
	}
	text := m.open[*e.Block]
	if text == nil || e.Type == steps.BlockStarted { // also if the answer starts over
		text = &openText{}
		text.masked = m.mask.Writer(&text.out)
		m.open[*e.Block] = text
	}
	_, _ = io.WriteString(text.masked, e.Delta) // a buffer returns no error
	if e.Type == steps.BlockFinished {
		delete(m.open, *e.Block)
		_ = text.masked.Close()
	}
	if text.out.Len() > 0 {
		shown := e
		shown.Type, shown.Value, shown.Delta = steps.BlockDelta, nil, text.out.String()
		text.out.Reset()
		m.tell(shown)
	}
	if e.Type != steps.BlockDelta {
		m.tell(e)
	}
}

// hide hides secrets in the event's texts, except in a delta: see [maskedSpeech].
func (e *Event) hide(mask *tools.Mask) {
	if mask == nil {
		return
	}
	e.Input = mask.JSON(e.Input)
	e.Event.Error, e.Message, e.Rule = mask.String(e.Event.Error), mask.String(e.Message), mask.String(e.Rule)
	if e.Value != nil {
		block := *e.Value
		block.Text, block.Content = mask.String(block.Text), mask.String(block.Content)
		block.Arguments, block.Raw = mask.JSON(block.Arguments), mask.JSON(block.Raw)
		e.Value = &block
	}
	if e.Failure != nil {
		failure := *e.Failure
		failure.Message = mask.String(failure.Message)
		e.Failure = &failure
	}
}

// unquoted returns err, which may quote the beginning of texts in a value, or if there are
// secrets in the value an error without quotes: a mask does not find the beginning of a secret.
func (e *exec) unquoted(err error, value any) error {
	if err == nil {
		return nil
	}
	if data, unwritten := jsonline.Encode(value); unwritten == nil && bytes.Equal(e.Mask.JSON(data), data) {
		return err
	}
	return errors.New("the value is invalid; it is not shown, because it contains a secret")
}
