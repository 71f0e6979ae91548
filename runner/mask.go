package runner

import (
	"bytes"
	"errors"
	"io"
	"maps"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A masker hides secrets in events before they are observed, also secrets that come in
// pieces: it holds back the end of a block that may be the beginning of one. The zero value
// hides nothing. It is not safe for concurrent use.
type masker struct {
	mask *tools.Mask
	open map[blockKey]*openText
}

type blockKey struct {
	unit        journal.Unit
	turn, block int
}

// An openText is the text of an unfinished block on its way through the mask.
type openText struct {
	out    bytes.Buffer
	masked io.WriteCloser
}

// hide hides the secrets of an event. It reports whether the event is to be emitted: a delta
// may be held back. What was held back of a block comes before the event that ends it; nil is
// nothing.
func (m *masker) hide(e *Event) (before *Event, emitted bool) {
	if m.mask == nil {
		return nil, true
	}
	switch e.Type {
	case steps.BlockStarted:
		delete(m.open, keyOf(e)) // the answer starts over
	case steps.BlockDelta:
		e.Delta = m.delta(e)
		return nil, e.Delta != ""
	case StepFinished:
		m.forget(e)
	case steps.BlockFinished:
		if rest := m.rest(e); rest != "" {
			last := *e
			last.Type, last.Value, last.Delta = steps.BlockDelta, nil, rest
			before = &last
		}
	}
	m.hideTexts(e)
	return before, true
}

// delta returns the text of a block that need no longer be held back.
func (m *masker) delta(e *Event) string {
	key := keyOf(e)
	text := m.open[key]
	if text == nil {
		text = &openText{}
		text.masked = m.mask.Writer(&text.out)
		if m.open == nil {
			m.open = map[blockKey]*openText{}
		}
		m.open[key] = text
	}
	_, _ = io.WriteString(text.masked, e.Delta) // a buffer returns no error
	defer text.out.Reset()
	return text.out.String()
}

// rest returns what was held back of a block that has ended.
func (m *masker) rest(e *Event) string {
	key := keyOf(e)
	text := m.open[key]
	if text == nil {
		return ""
	}
	delete(m.open, key)
	_ = text.masked.Close()
	return text.out.String()
}

// forget drops what is held back of answers of a step that broke off, in all of its attempts.
func (m *masker) forget(e *Event) {
	maps.DeleteFunc(m.open, func(key blockKey, _ *openText) bool { return e.Unit.Contains(key.unit) })
}

// hideTexts masks the event's texts.
func (m *masker) hideTexts(e *Event) {
	e.Input = m.mask.JSON(e.Input)
	e.Event.Error, e.Message, e.Rule = m.mask.String(e.Event.Error), m.mask.String(e.Message), m.mask.String(e.Rule)
	if e.Value != nil {
		block := *e.Value
		block.Text, block.Content = m.mask.String(block.Text), m.mask.String(block.Content)
		block.Arguments, block.Raw = m.mask.JSON(block.Arguments), m.mask.JSON(block.Raw)
		e.Value = &block
	}
	if e.Failure != nil {
		failure := *e.Failure
		failure.Message = m.mask.String(failure.Message)
		e.Failure = &failure
	}
}

func keyOf(e *Event) blockKey {
	key := blockKey{unit: e.Unit, turn: e.Turn}
	if e.Block != nil {
		key.block = *e.Block
	}
	return key
}

// unquoted returns err, which may quote the beginning of texts in a value, or if there are
// secrets in the value an error without quotes: a mask does not find the beginning of a secret.
func (r *run) unquoted(err error, value any) error {
	if err == nil {
		return nil
	}
	if data, unwritten := jsonline.Encode(value); unwritten == nil && bytes.Equal(r.Mask.JSON(data), data) {
		return err
	}
	return errors.New("the value is invalid; it is not shown, because it contains a secret")
}
