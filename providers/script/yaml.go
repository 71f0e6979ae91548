package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// document returns the file of a script: a comment with its origin, the models, and the turns of
// each key.
func document(models string, parts []part) ([]byte, error) {
	steps := yaml.MapSlice{}
	for _, p := range parts {
		steps = append(steps, yaml.MapItem{Key: p.key, Value: p.turns})
	}
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

// A turn is an answer in the form of the file.
type turn struct {
	Error    *refusal `yaml:"error,omitempty"`
	Thinking any      `yaml:"thinking,omitempty"`
	Output   *any     `yaml:"output,omitempty"`
	Text     any      `yaml:"text,omitempty"`
	Calls    []called `yaml:"calls,omitempty"`
	Finish   string   `yaml:"finish,omitempty"`
	Usage    *counts  `yaml:"usage,omitempty"`
}

type refusal struct {
	Status     int           `yaml:"status,omitempty"`
	RetryAfter time.Duration `yaml:"retry_after,omitempty"`
	Message    any           `yaml:"message,omitempty"`
}

type called struct {
	Name      any `yaml:"name"`
	Arguments any `yaml:"arguments"`
}

type counts struct {
	Input     int64 `yaml:"input_tokens,omitempty"`
	Output    int64 `yaml:"output_tokens,omitempty"`
	Cached    int64 `yaml:"cached_input_tokens,omitempty"`
	Reasoning int64 `yaml:"reasoning_tokens,omitempty"`
}

// form is the form of a script's file. It hides secrets in each text by itself: once the text is
// quoted, nobody would know them.
type form struct{ hide func(text string) string }

func (f form) turns(answers []Answer) []turn {
	turns := make([]turn, len(answers))
	for i, a := range answers {
		turns[i] = f.turn(a)
	}
	return turns
}

func (f form) turn(a Answer) turn {
	if e := a.Error; e != nil {
		return turn{Error: &refusal{e.Status, e.RetryAfter, f.scalarIf(e.Message)}}
	}
	t := turn{Thinking: f.scalarIf(a.Thinking), Finish: a.Finish}
	switch {
	case a.HasOutput:
		output := f.value(a.Output)
		t.Output = &output
	case a.Text != "" || len(a.Calls) == 0:
		t.Text = f.scalar(a.Text)
	}
	for _, c := range a.Calls {
		t.Calls = append(t.Calls, called{f.scalar(c.Name), f.value(c.Arguments)})
	}
	if u := a.Usage; u != nil {
		t.Usage = &counts{u.InputTokens, u.OutputTokens, u.CachedInputTokens, u.ReasoningTokens}
	}
	return t
}

// value returns a decoded value with all of its strings in the form of the file.
func (f form) value(value any) any {
	switch v := value.(type) {
	case string:
		return f.scalar(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = f.value(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			object[f.hidden(key)] = f.value(v[key])
		}
		return object
	}
	return value
}

// scalar returns a text in the form of the file: marks of expressions are escaped, and a
// text that the YAML library would not write correctly is quoted here.
func (f form) scalar(text string) any {
	text = strings.ReplaceAll(strings.ToValidUTF8(f.hidden(text), "\uFFFD"), "${{", "$${{")
	if plainEnough(text) {
		return text
	}
	return quoted(text)
}

// scalarIf is scalar, and nil for an empty text.
func (f form) scalarIf(text string) any {
	if text == "" {
		return nil
	}
	return f.scalar(text)
}

func (f form) hidden(text string) string {
	if f.hide == nil {
		return text
	}
	return f.hide(text)
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

// quoted is a text in double quotes.
type quoted string

// MarshalYAML writes the text; Go's escapes are YAML's, too.
func (q quoted) MarshalYAML() ([]byte, error) { return []byte(strconv.Quote(string(q))), nil }

// isPlainKey reports whether a key of an object needs no quotes for any YAML parser.
func isPlainKey(key string) bool {
	const longest = 101
	for i, c := range []byte(key) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.' && c != '-') {
			return false
		}
	}
	return key != "" && len(key) <= longest
}

// readable decodes JSON that can be written as YAML and read back without loss. Any other
// text is returned as a string, which as arguments means itself.
func readable(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if !json.Valid(raw) || decoder.Decode(&value) != nil {
		return string(raw)
	}
	if _, isText := value.(string); isText {
		return string(raw)
	}
	if value, ok := exact(value, 0); ok {
		return value
	}
	return string(raw)
}

// exact converts numbers to int64 or float64, and reports whether nothing is lost.
func exact(value any, depth int) (any, bool) {
	const deepest = 50
	ok := depth <= deepest
	switch v := value.(type) {
	case json.Number:
		return exactNumber(v)
	case []any:
		for i := 0; i < len(v) && ok; i++ {
			v[i], ok = exact(v[i], depth+1)
		}
	case map[string]any:
		for key := range v {
			if ok = ok && isPlainKey(key); !ok {
				break
			}
			v[key], ok = exact(v[key], depth+1)
		}
	}
	return value, ok
}

func exactNumber(n json.Number) (any, bool) {
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	back, _ := json.Marshal(f)
	return f, err == nil && string(back) == n.String()
}
