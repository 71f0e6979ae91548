package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxValues bounds the lines of a text, and the values of JSON: in memory the
// smallest takes many times the bytes that it is written in.
const maxValues = 2_000_000

// Read turns a text into the value that the output's kind asks for: a string,
// a list of strings, or what the JSON says. The error is for whoever wrote the
// text.
func (o Output) Read(text string) (any, error) {
	switch o.Kind {
	case OutputLines:
		return lines(text)
	case OutputJSON:
		return decode(text)
	case OutputSchema:
		return o.readSchema(text)
	}
	return text, nil
}

// readSchema names every misfit, in the validator's words.
func (o Output) readSchema(text string) (any, error) {
	value, err := decode(text)
	if err != nil {
		return nil, err
	}
	if o.Schema == nil {
		return value, nil
	}
	problems := o.Schema.Validate(json.RawMessage(text))
	if len(problems) == 0 {
		return value, nil
	}
	words := make([]string, len(problems))
	for i, p := range problems {
		words[i] = p.String()
	}
	return nil, fmt.Errorf("the result does not fit its schema: %s", strings.Join(words, "; "))
}

// isText reports whether the result is the text itself.
func (o Output) isText() bool { return o.Kind == OutputText || o.Kind == "" }

// structured reports whether the result is JSON.
func (o Output) structured() bool {
	return o.Kind == OutputJSON || o.Kind == OutputSchema
}

// lines splits a text; the newline at its end begins no line, and the carriage
// return before a newline belongs to it. A text without a character has none.
func lines(text string) (any, error) {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return []any{}, nil
	}
	count := 1 + strings.Count(text, "\n")
	if count > maxValues {
		return nil, fmt.Errorf("the result has %d lines, and at most %d are read", count, maxValues)
	}
	list := make([]any, 0, count)
	for line := range strings.SplitSeq(text, "\n") {
		list = append(list, strings.TrimSuffix(line, "\r"))
	}
	return list, nil
}

// decode reads one JSON value, and nothing after it. Whole numbers are ints
// where they fit, because expressions index and count with them.
func decode(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the result is not JSON: it is empty")
	}
	switch values, levels := extent(text); {
	case values > maxValues:
		return nil, fmt.Errorf("the result has more than the %d values that are read", maxValues)
	case levels > mostLevels:
		return nil, fmt.Errorf("the result is not JSON that can be read: it is nested deeper than %d levels", mostLevels)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the result is not JSON: %w; it begins %q", placed(text, err), beginning(text))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the result is not JSON alone: line %d: more text after the value", lineOf(text, decoder.InputOffset()))
	}
	return tools.ExactNumbers(value), nil
}

// beginning is the first line of a text, clipped.
func beginning(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 80 {
		line = string(runes[:79]) + "…"
	}
	return strings.TrimSpace(line)
}

// placed says where in the text the mistake is.
func placed(text string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", lineOf(text, syntax.Offset), err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends before the value does")
	}
	return err
}

// lineOf counts lines from 1.
func lineOf(text string, offset int64) int {
	end := min(int(offset), len(text))
	return 1 + strings.Count(text[:end], "\n")
}
