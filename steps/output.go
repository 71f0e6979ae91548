package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

// maxValues is how many lines a text may have, and how many values JSON: a small value takes
// many times as many bytes in memory as in the text.
const maxValues = 2_000_000

// Read returns the value of a text according to the output's kind: a string, a list of
// strings, or the JSON value. An error is for the writer of the text.
func (o Output) Read(text string) (any, error) {
	return o.read(text, nil)
}

// read is Read for a text with secrets, which hide removes from what an error quotes, before that
// is cut: no mask finds a part of a secret. A nil hide changes nothing.
func (o Output) read(text string, hide func(text string) string) (any, error) {
	switch o.Kind {
	case OutputLines:
		return lines(text)
	case OutputJSON:
		return decode(text, hide)
	case OutputSchema:
		return o.readSchema(text, hide)
	}
	return text, nil
}

// readSchema returns the JSON value, or an error with everything that is not valid.
func (o Output) readSchema(text string, hide func(string) string) (any, error) {
	value, err := decode(text, hide)
	if err != nil {
		return nil, err
	}
	if o.Schema == nil {
		return value, nil
	}
	exact, err := jsonschema.Parse([]byte(text)) // with numbers of any size as written
	if err != nil {
		return nil, fmt.Errorf("the result does not fit its schema: %w", err)
	}
	var words []string
	for _, p := range o.Schema.ValidateHiding(exact, hide) {
		words = append(words, p.String())
	}
	if len(words) > 0 {
		return nil, fmt.Errorf("the result does not fit its schema: %s", strings.Join(words, "; "))
	}
	return value, nil
}

// isText reports whether the result is the text itself.
func (o Output) isText() bool { return o.Kind == OutputText || o.Kind == "" }

// structured reports whether the result is JSON.
func (o Output) structured() bool {
	return o.Kind == OutputJSON || o.Kind == OutputSchema
}

// lines splits a text into lines without their \n or \r\n. After a newline at the end there
// is no further line, and an empty text has none.
func lines(text string) (any, error) {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return []any{}, nil
	}
	count := 1 + strings.Count(text, "\n")
	if count > maxValues {
		return nil, fmt.Errorf("the result has %d lines; the limit is %d", count, maxValues)
	}
	list := make([]any, 0, count)
	for line := range strings.SplitSeq(text, "\n") {
		list = append(list, strings.TrimSuffix(line, "\r"))
	}
	return list, nil
}

// decode parses a text that is one JSON value. Whole numbers are ints if possible, because
// expressions use them as indexes.
func decode(text string, hide func(string) string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the result is not JSON: it is empty")
	}
	switch values, levels := extent(text); {
	case values > maxValues:
		return nil, fmt.Errorf("the result has more than %d values", maxValues)
	case levels > maxLevels:
		return nil, fmt.Errorf("the result is JSON nested deeper than %d levels", maxLevels)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the result is not JSON: %w; it begins %q", withLine(text, err), beginning(hidden(text, hide)))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the result is not JSON alone: line %d: more text after the value", lineOf(text, decoder.InputOffset()))
	}
	return jsonline.ExactNumbers(value), nil
}

func hidden(text string, hide func(string) string) string {
	if hide == nil {
		return text
	}
	return hide(text)
}

// beginning returns the first line of a text, shortened.
func beginning(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 80 {
		line = string(runes[:79]) + "…"
	}
	return strings.TrimSpace(line)
}

// withLine adds the line of a mistake to its error.
func withLine(text string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", lineOf(text, syntax.Offset), err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends before the value does")
	}
	return err
}

// lineOf returns the line of an offset, from 1.
func lineOf(text string, offset int64) int {
	end := min(int(offset), len(text))
	return 1 + strings.Count(text[:end], "\n")
}
