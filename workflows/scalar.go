package workflows

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A word is a string of a file with its place.
type word struct {
	text string
	node *node
}

// fixed makes the schema of a shape that does not depend on others.
func fixed(schema map[string]any) func(*schemaWriter) any {
	return func(*schemaWriter) any { return schema }
}

// scalarText gives the text of a string, or of a number or boolean that the
// user forgot to quote.
func scalarText(p *parser, n *node) (string, bool) {
	switch n.kind {
	case kindString, kindInteger, kindNumber, kindBool:
		return n.text, true
	}
	p.errorf(n, codeValue, "a string was expected, not %s", n.kind)
	return "", false
}

// text is a string without expressions.
func text() shape[string] {
	return shape[string]{
		read: func(p *parser, n *node) (string, bool) {
			s, ok := scalarText(p, n)
			return s, ok && p.noExpression(n)
		},
		schema: fixed(map[string]any{"type": []any{"string", "number", "boolean"}}),
	}
}

// wordShape is a string that keeps its place.
func wordShape() shape[word] {
	t := text()
	return shape[word]{
		read: func(p *parser, n *node) (word, bool) {
			s, ok := t.read(p, n)
			return word{s, n}, ok
		},
		schema: t.schema,
	}
}

// templateText is a string that may hold expressions.
func templateText() shape[*Template] {
	return shape[*Template]{
		read: func(p *parser, n *node) (*Template, bool) {
			if _, ok := scalarText(p, n); !ok {
				return nil, false
			}
			return p.template(n), true
		},
		schema: fixed(map[string]any{"type": []any{"string", "number", "boolean"}}),
	}
}

// pathText is a template that names a path: the line break at the end of a block
// is no part of it.
func pathText() shape[*Template] {
	s := templateText()
	read := s.read
	s.read = func(p *parser, n *node) (*Template, bool) {
		t, ok := read(p, n)
		return t.withoutEnd(), ok
	}
	return s
}

// anything is data in which every string may hold expressions.
func anything() shape[*Value] {
	return shape[*Value]{
		read:   func(p *parser, n *node) (*Value, bool) { return p.anyValue(n), true },
		schema: fixed(map[string]any{}),
	}
}

// bareExpression is an expression that is true or false.
func bareExpression() shape[*Condition] {
	return shape[*Condition]{
		read: func(p *parser, n *node) (*Condition, bool) {
			c := p.condition(n)
			return c, c != nil
		},
		schema: fixed(map[string]any{"type": []any{"string", "boolean"}}),
	}
}

// boolean is true or false; yes and no are strings, as YAML 1.2 has it.
func boolean() shape[bool] {
	return shape[bool]{
		read: func(p *parser, n *node) (bool, bool) {
			if n.kind != kindBool {
				p.errorf(n, codeValue, "true or false was expected, not %s", n.kind)
				return false, false
			}
			return n.value.(bool), true
		},
		schema: fixed(map[string]any{"type": "boolean"}),
	}
}

// wholeNumber is an integer of at least least, such as 20 or 2_000_000.
func wholeNumber(least int) shape[int] {
	return shape[int]{
		read: func(p *parser, n *node) (int, bool) {
			v, isInt := n.value.(int)
			switch {
			case n.kind != kindInteger:
				p.errorf(n, codeValue, "a whole number was expected, not %s", describe(n))
			case !isInt:
				p.errorf(n, codeValue, "%s is too big a number", n.text)
			case v < least:
				p.errorf(n, codeValue, "%s is too small; the least is %d", n.text, least)
			default:
				return v, true
			}
			return 0, false
		},
		schema: fixed(map[string]any{"type": "integer", "minimum": least}),
	}
}

// bigNumber is wholeNumber for what may not fit 32 bits.
func bigNumber(least int) shape[int64] {
	whole := wholeNumber(least)
	return shape[int64]{
		read: func(p *parser, n *node) (int64, bool) {
			v, ok := whole.read(p, n)
			return int64(v), ok
		},
		schema: whole.schema,
	}
}

// decimal is a number between two bounds.
func decimal(least, most float64) shape[float64] {
	schema := map[string]any{"type": "number", "minimum": least}
	if !math.IsInf(most, 1) {
		schema["maximum"] = most
	}
	return shape[float64]{
		read: func(p *parser, n *node) (float64, bool) {
			v, ok := asFloat(n)
			switch {
			case !ok:
				p.errorf(n, codeValue, "a number was expected, not %s", describe(n))
				return 0, false
			case v < least:
				p.errorf(n, codeValue, "%s is too small; the least is %v", n.text, least)
				return 0, false
			case v > most:
				p.errorf(n, codeValue, "%s is too big; the most is %v", n.text, most)
				return 0, false
			}
			return v, true
		},
		schema: fixed(schema),
	}
}

// asFloat gives the value of a number; 1e3 is one, too, which YAML's library
// takes for a string.
func asFloat(n *node) (float64, bool) {
	switch v := n.value.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	if n.style != stylePlain {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.text, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// pointer makes a shape whose absence can be told from its zero value.
func pointer[V any](s shape[V]) shape[*V] {
	return shape[*V]{
		read: func(p *parser, n *node) (*V, bool) {
			v, ok := s.read(p, n)
			return &v, ok
		},
		schema: s.schema,
	}
}

// span is a length of time, such as 500ms, 30s, 10m or 1h30m.
func span() shape[time.Duration] {
	return shape[time.Duration]{
		read: func(p *parser, n *node) (time.Duration, bool) {
			d, err := time.ParseDuration(n.text)
			switch {
			case n.kind == kindInteger || n.kind == kindNumber:
				p.errorf(n, codeValue, "a length of time was expected, not %s", describe(n)).Hint = "give a unit: " + n.text + "s or " + n.text + "m, say"
			case n.kind != kindString || err != nil:
				p.errorf(n, codeValue, "a length of time was expected, not %s", describe(n)).Hint = "such as 500ms, 30s, 10m or 1h30m"
			case d <= 0:
				p.errorf(n, codeValue, "a length of time must be more than nothing, not %s", n.text)
			default:
				return d, true
			}
			return 0, false
		},
		schema: fixed(map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, "examples": []any{"500ms", "30s", "10m", "1h"}}),
	}
}

// oneOf is one of a few words.
func oneOf(choices ...string) shape[string] {
	enum := make([]any, len(choices))
	for i, c := range choices {
		enum[i] = c
	}
	return shape[string]{
		read: func(p *parser, n *node) (string, bool) {
			if n.kind == kindString && slices.Contains(choices, n.text) {
				return n.text, true
			}
			d := p.errorf(n, codeValue, "one of %s was expected, not %s", quoted(choices), describe(n))
			if near := nearest.Of(n.text, choices); near != "" {
				d.Hint = didYouMean(n.text, choices)
			}
			return "", false
		},
		schema: fixed(map[string]any{"enum": enum}),
	}
}

// mapped turns what a shape reads into something else.
func mapped[V, W any](s shape[V], turn func(V) W) shape[W] {
	return shape[W]{
		read: func(p *parser, n *node) (W, bool) {
			v, ok := s.read(p, n)
			return turn(v), ok
		},
		schema: s.schema,
	}
}

// describe names a value for a message: what it is, and what it says.
func describe(n *node) string {
	switch n.kind {
	case kindList, kindMap, kindNull:
		return string(n.kind)
	case kindString:
		return strconv.Quote(clip(n.text, 40))
	}
	return n.text
}

// clip shortens a text for a message.
func clip(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// noExpression refuses expressions where the file must say what it means.
func (p *parser) noExpression(n *node) bool {
	t := &parser{report: &report{}, grammar: p.grammar}
	if _, static := t.template(n).Static(); static && len(t.found) == 0 {
		return true
	}
	p.errorf(n, codeExpression, "an expression can't stand here")
	return false
}
