package script

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// document returns the file of a script: a comment with its origin, and the turns of each key.
func document(models string, steps yaml.MapSlice) ([]byte, error) {
	body, err := yaml.MarshalWithOptions(yaml.MapSlice{{Key: "steps", Value: steps}},
		yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	header := "# Recorded by flow.\n"
	if models != "" {
		header = "# Recorded by flow from " + strings.Map(visible, models) + ".\n"
	}
	return append([]byte(header), body...), nil
}

func visible(r rune) rune {
	if !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// A turn is a turn of the file.
type turn struct {
	Error    *turnError `yaml:"error,omitempty"`
	Thinking any        `yaml:"thinking,omitempty"`
	Output   any        `yaml:"output,omitempty"`
	Text     any        `yaml:"text,omitempty"`
	Calls    []turnCall `yaml:"calls,omitempty"`
	Finish   string     `yaml:"finish,omitempty"`
	Usage    *turnUsage `yaml:"usage,omitempty"`
}

type turnCall struct {
	Name      any `yaml:"name"`
	Arguments any `yaml:"arguments"`
}

type turnUsage struct {
	Input     int64 `yaml:"input_tokens,omitempty"`
	Output    int64 `yaml:"output_tokens,omitempty"`
	Cached    int64 `yaml:"cached_input_tokens,omitempty"`
	Reasoning int64 `yaml:"reasoning_tokens,omitempty"`
}

type turnError struct {
	Status     int           `yaml:"status,omitempty"`
	RetryAfter time.Duration `yaml:"retry_after,omitempty"`
	Message    any           `yaml:"message,omitempty"`
}

// textIf is text, or nil for none.
func (r *Recorder) textIf(text string) any {
	if text == "" {
		return nil
	}
	return r.text(text)
}

// text returns a text in the form of the file: marks of expressions are escaped, and a text that the
// YAML library would not write correctly is quoted here. Secrets are hidden before: once the text is
// quoted, nobody would know them.
func (r *Recorder) text(text string) any {
	text = escaped(strings.ToValidUTF8(r.hidden(text), "\uFFFD"))
	if plainEnough(text) {
		return text
	}
	return literal(strconv.Quote(text)) // Go's escapes are YAML's, too
}

// json returns a JSON object or array as it is, because it is YAML, too; false for anything else.
func (r *Recorder) json(raw json.RawMessage) (value any, is bool) {
	text, err := jsonline.Encode(json.RawMessage(r.hidden(strings.ToValidUTF8(string(raw), "\uFFFD"))))
	return literal(escaped(string(text))), err == nil && isYAML(text)
}

func (r *Recorder) hidden(text string) string {
	if r.Hide == nil {
		return text
	}
	return r.Hide(text)
}

func escaped(text string) string { return strings.ReplaceAll(text, "${{", "$${{") }

// literal is a value of YAML that is written here.
type literal string

// MarshalYAML returns the value itself.
func (l literal) MarshalYAML() ([]byte, error) { return []byte(l), nil }

// isYAML reports whether a text is a JSON object or array that means the same in YAML, where 1e5 is no
// number.
func isYAML(text []byte) bool {
	var meant, read, again any
	if len(text) == 0 || text[0] != '{' && text[0] != '[' || json.Unmarshal(text, &meant) != nil || yaml.Unmarshal(text, &read) != nil {
		return false
	}
	back, err := json.Marshal(read)
	return err == nil && json.Unmarshal(back, &again) == nil && reflect.DeepEqual(meant, again)
}

// plainEnough reports whether the YAML library writes a text correctly: all of it is
// visible, and its beginning and end have no meaning in YAML.
func plainEnough(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }):
		return false
	case strings.Contains(text, "\n"): // a block: its first line sets the indentation
		return !unicode.IsSpace(first) && strings.TrimRight(text, "\n") == strings.TrimRightFunc(text, unicode.IsSpace)
	case strings.Contains(text, "\t"):
		return false
	}
	return unicode.IsLetter(first) || unicode.IsDigit(first) || text != "" && strings.ContainsRune("./$<(", first)
}
