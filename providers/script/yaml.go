package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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

// form is the form of a script's file. It hides secrets in each text by itself: once the text is
// quoted, nobody would know them.
type form struct{ hide func(text string) string }

func (f form) turns(answers []Answer) []yaml.MapSlice {
	turns := make([]yaml.MapSlice, len(answers))
	for i, a := range answers {
		turns[i] = f.turn(a)
	}
	return turns
}

// turn returns an answer with the keys that it has in the file.
func (f form) turn(a Answer) (t yaml.MapSlice) {
	if e := a.Error; e != nil {
		var failure yaml.MapSlice
		add(&failure, "status", e.Status, e.Status != 0)
		add(&failure, "retry_after", e.RetryAfter, e.RetryAfter != 0)
		add(&failure, "message", f.scalar(e.Message), e.Message != "")
		add(&t, "error", failure, true)
		return t
	}
	add(&t, "thinking", f.scalar(a.Thinking), a.Thinking != "")
	add(&t, "output", f.value(a.Output), a.HasOutput)
	add(&t, "text", f.scalar(a.Text), !a.HasOutput && (a.Text != "" || len(a.Calls) == 0))
	var calls []yaml.MapSlice
	for _, c := range a.Calls {
		calls = append(calls, yaml.MapSlice{{Key: "name", Value: f.scalar(c.Name)}, {Key: "arguments", Value: f.value(c.Arguments)}})
	}
	add(&t, "calls", calls, calls != nil)
	add(&t, "finish", a.Finish, a.Finish != "")
	if u := a.Usage; u != nil {
		usage := yaml.MapSlice{}
		add(&usage, "input_tokens", u.InputTokens, u.InputTokens != 0)
		add(&usage, "output_tokens", u.OutputTokens, u.OutputTokens != 0)
		add(&usage, "cached_input_tokens", u.CachedInputTokens, u.CachedInputTokens != 0)
		add(&usage, "reasoning_tokens", u.ReasoningTokens, u.ReasoningTokens != 0)
		add(&t, "usage", usage, true)
	}
	return t
}

func add(to *yaml.MapSlice, key string, value any, is bool) {
	if is {
		*to = append(*to, yaml.MapItem{Key: key, Value: value})
	}
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
