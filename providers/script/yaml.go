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

	"github.com/a-seed-11b9befa/flow/providers"
)

// document returns the file of a script: a comment with its origin, and the turns of each
// key.
func document(models []string, parts []part) ([]byte, error) {
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
	if len(models) > 0 {
		header = "# Recorded by flow from " + strings.Map(visible, strings.Join(models, ", ")) + ".\n"
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
type turn = yaml.MapSlice

func turnsOf(answers []Answer) []turn {
	turns := make([]turn, len(answers))
	for i, a := range answers {
		turns[i] = turnOf(a)
	}
	return turns
}

func turnOf(a Answer) turn {
	var t turn
	add := func(key string, value any) { t = append(t, yaml.MapItem{Key: key, Value: value}) }
	if a.Error != nil {
		add("error", failureItems(a.Error))
		return t
	}
	if a.Thinking != "" {
		add("thinking", scalar(a.Thinking))
	}
	switch {
	case a.HasOutput:
		add("output", escaped(a.Output))
	case a.Text != "" || len(a.Calls) == 0:
		add("text", scalar(a.Text))
	}
	if len(a.Calls) > 0 {
		add("calls", callItems(a.Calls))
	}
	if a.Finish != "" {
		add("finish", a.Finish)
	}
	if a.Usage != nil {
		add("usage", usageItems(*a.Usage))
	}
	return t
}

func callItems(calls []Call) []yaml.MapSlice {
	var items []yaml.MapSlice
	for _, c := range calls {
		items = append(items, yaml.MapSlice{
			{Key: "name", Value: scalar(c.Name)},
			{Key: "arguments", Value: escaped(c.Arguments)},
		})
	}
	return items
}

func failureItems(f *Failure) yaml.MapSlice {
	var items yaml.MapSlice
	if f.Status != 0 {
		items = yaml.MapSlice{{Key: "status", Value: f.Status}}
	}
	if f.RetryAfter > 0 {
		items = append(items, yaml.MapItem{Key: "retry_after", Value: f.RetryAfter.String()})
	}
	if f.Message != "" {
		items = append(items, yaml.MapItem{Key: "message", Value: scalar(f.Message)})
	}
	return items
}

func usageItems(u providers.Usage) yaml.MapSlice {
	var items yaml.MapSlice
	for _, count := range []struct {
		key    string
		tokens int64
	}{
		{"input_tokens", u.InputTokens}, {"output_tokens", u.OutputTokens},
		{"cached_input_tokens", u.CachedInputTokens}, {"reasoning_tokens", u.ReasoningTokens},
	} {
		if count.tokens != 0 {
			items = append(items, yaml.MapItem{Key: count.key, Value: count.tokens})
		}
	}
	return items
}

// escaped returns a decoded value with all of its strings in the form of the file.
func escaped(value any) any {
	switch v := value.(type) {
	case string:
		return scalar(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = escaped(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			object[key] = escaped(v[key])
		}
		return object
	}
	return value
}

// scalar returns a text in the form of the file: marks of expressions are escaped, and a
// text that the YAML library would not write correctly is quoted here.
func scalar(text string) any {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "${{", "$${{")
	if plainEnough(text) {
		return text
	}
	return quoted(text)
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
