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
	switch e.Type {
	case steps.BlockStarted: // also if the answer starts over
		m.begin(*e.Block)
	case steps.BlockDelta:
		m.write(e)
		return
	case steps.BlockFinished:
		m.finish(e)
	}
	m.tell(e)
}

func (m *maskedSpeech) begin(block int) *openText {
	text := &openText{}
	text.masked = m.mask.Writer(&text.out)
	m.open[block] = text
	return text
}

func (m *maskedSpeech) write(e steps.Event) {
	text := m.open[*e.Block]
	if text == nil {
		text = m.begin(*e.Block)
	}
	_, _ = io.WriteString(text.masked, e.Delta) // a buffer returns no error
	m.pass(e, text)
}

// finish passes on what was held back of a block that has ended.
func (m *maskedSpeech) finish(e steps.Event) {
	if text := m.open[*e.Block]; text != nil {
		delete(m.open, *e.Block)
		_ = text.masked.Close()
		e.Type, e.Value = steps.BlockDelta, nil
		m.pass(e, text)
	}
}

// pass passes on what need no longer be held back of a text.
func (m *maskedSpeech) pass(e steps.Event, text *openText) {
	if e.Delta = text.out.String(); e.Delta != "" {
		text.out.Reset()
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
