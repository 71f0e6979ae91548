package workflows

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A word is a string with its node.
type word struct {
	text string
	node *tree.Node
}

// fixed is the schema of a shape that contains no others.
func fixed(schema map[string]any) func(*schemaWriter) any {
	return func(*schemaWriter) any { return schema }
}

// textSchema is the schema of a text: [scalarText] accepts scalars that lack quotes.
var textSchema = fixed(map[string]any{"type": []any{"string", "number", "boolean"}})

// scalarText returns the text of a string, or of a number or boolean that the user forgot
// to quote.
func scalarText(p *parser, n *tree.Node) (string, bool) {
	switch n.Kind {
	case tree.KindString, tree.KindInteger, tree.KindNumber, tree.KindBool:
		return n.Text, true
	}
	d := p.Errorf(n, diagnostic.CodeValue, "a string was expected, not %s", n.Kind)
	switch {
	case len(n.Items) == 1 && n.Items[0].Kind == tree.KindString:
		d.Hint = "write " + tree.Clip(n.Items[0].Text, 40)
	case len(n.Items) > 0 && n.Items[0].Get("content") != nil:
		d.Hint = `what the user says is one string, and what the system says is "system"`
	case len(n.Items) > 1:
		d.Hint = oneString
	}
	return "", false
}

const oneString = "it is one string: its lines stand below a |, without dashes"

// text is a string without expressions.
func text() shape[string] {
	return shape[string]{
		read: func(p *parser, n *tree.Node) (string, bool) {
			s, ok := scalarText(p, n)
			return s, ok && p.noExpression(n, "")
		},
		schema: textSchema,
	}
}

// wordShape is a string without expressions, with its node.
func wordShape() shape[word] {
	t := text()
	return shape[word]{
		read: func(p *parser, n *tree.Node) (word, bool) {
			s, ok := t.read(p, n)
			return word{s, n}, ok
		},
		schema: t.schema,
	}
}

// templateText is a string that may contain expressions.
func templateText() shape[*Template] {
	return shape[*Template]{
		read: func(p *parser, n *tree.Node) (*Template, bool) {
			if _, ok := scalarText(p, n); !ok {
				return nil, false
			}
			return p.template(n), true
		},
		schema: textSchema,
	}
}

// pathText is a template for a path, without the line break at the end of a block.
func pathText() shape[*Template] { return mapped(templateText(), (*Template).withoutEnd) }

// anything is data in which every string may contain expressions.
func anything() shape[*Value] {
	return shape[*Value]{
		read:   func(p *parser, n *tree.Node) (*Value, bool) { return p.anyValue(n), true },
		schema: fixed(map[string]any{}),
	}
}

// bareExpression is an expression that is true or false.
func bareExpression() shape[*Condition] {
	return shape[*Condition]{
		read: func(p *parser, n *tree.Node) (*Condition, bool) {
			c := p.condition(n)
			return c, c != nil
		},
		schema: fixed(map[string]any{"type": []any{"string", "boolean"}}),
	}
}

// boolean is true or false; yes and no are strings, as YAML 1.2 has it.
func boolean() shape[bool] {
	return shape[bool]{
		read: func(p *parser, n *tree.Node) (bool, bool) {
			if n.Kind != tree.KindBool {
				p.Errorf(n, diagnostic.CodeValue, "true or false was expected, not %s", n.Describe()).Hint = boolHint(n.Text)
				return false, false
			}
			return n.Value.(bool), true
		},
		schema: fixed(map[string]any{"type": "boolean"}),
	}
}

// yesOrNo returns "true" or "false" for what other formats write for it, and "" for other
// words.
func yesOrNo(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "true", "1":
		return "true"
	case "no", "off", "false", "0":
		return "false"
	}
	return ""
}

// wholeNumber is an integer not below least, such as 20 or 2_000_000.
func wholeNumber(least int) shape[int] {
	return shape[int]{
		read: func(p *parser, n *tree.Node) (int, bool) {
			v, isInt := n.Value.(int)
			switch {
			case n.Kind != tree.KindInteger:
				p.Errorf(n, diagnostic.CodeValue, "a whole number was expected, not %s", n.Describe()).Hint = wholeNumberHint(n)
			case !isInt:
				p.Errorf(n, diagnostic.CodeValue, "%s is too big a number", n.Text)
			case v < least:
				p.Errorf(n, diagnostic.CodeValue, "%s is too small; the least is %d", n.Text, least)
			default:
				return v, true
			}
			return 0, false
		},
		schema: fixed(map[string]any{"type": "integer", "minimum": least}),
	}
}

// decimalDigits reports whether a text is a number such as 5 or 0.50.
func decimalDigits(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "0123456789.") == ""
}

// wholeNumberHint shows how a number is written that is in quotes, or has a unit.
func wholeNumberHint(n *tree.Node) string {
	if n.Kind != tree.KindString {
		return ""
	}
	zeros := map[byte]string{'k': "_000", 'K': "_000", 'm': "_000_000", 'M': "_000_000"}
	digits := n.Text
	unit := ""
	if digits != "" {
		if unit = zeros[digits[len(digits)-1]]; unit != "" {
			digits = digits[:len(digits)-1]
		}
	}
	if _, err := strconv.ParseUint(digits, 10, 31); err != nil {
		return ""
	}
	if unit != "" {
		return "write " + digits + unit
	}
	return "write " + digits + "; in quotes it is a text"
}

// bigNumber is wholeNumber for numbers that may need 64 bits.
func bigNumber(least int) shape[int64] {
	return mapped(wholeNumber(least), func(v int) int64 { return int64(v) })
}

// decimal is a number between two bounds.
func decimal(least, most float64) shape[float64] {
	schema := map[string]any{"type": "number", "minimum": least}
	if !math.IsInf(most, 1) {
		schema["maximum"] = most
	}
	return shape[float64]{
		read: func(p *parser, n *tree.Node) (float64, bool) {
			v, ok := asFloat(n)
			switch {
			case !ok:
				d := p.Errorf(n, diagnostic.CodeValue, "a number was expected, not %s", n.Describe())
				if digits := strings.TrimLeft(n.Text, "$"); n.Kind == tree.KindString && decimalDigits(digits) {
					d.Hint = "write " + digits
				}
				return 0, false
			case v < least:
				p.Errorf(n, diagnostic.CodeValue, "%s is too small; the least is %v", n.Text, least)
				return 0, false
			case v > most:
				p.Errorf(n, diagnostic.CodeValue, "%s is too big; the most is %v", n.Text, most)
				return 0, false
			}
			return v, true
		},
		schema: fixed(schema),
	}
}

// asFloat returns the value of a number, also of one like 1e3, which is a string to the
// YAML library.
func asFloat(n *tree.Node) (float64, bool) {
	switch v := n.Value.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	if n.Style != tree.StylePlain {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// pointer is a shape that is nil where the file has no value.
func pointer[V any](s shape[V]) shape[*V] { return mapped(s, func(v V) *V { return &v }) }

// unitHint shows how a duration is written that has no unit. Hundreds are probably
// milliseconds.
func unitHint(n *tree.Node) string {
	count, isInt := n.Value.(int)
	if strings.HasPrefix(n.Text, "-") || isInt && count == 0 {
		return "such as 30s or 10m; without one there is no limit"
	}
	if isInt && count%100 == 0 {
		return "give a unit: " + n.Text + "s or " + n.Text + "ms, say"
	}
	return "give a unit: " + n.Text + "s or " + n.Text + "m, say"
}

// span is a duration, such as 500ms, 30s, 10m or 1h30m.
func span() shape[time.Duration] {
	return shape[time.Duration]{
		read: func(p *parser, n *tree.Node) (time.Duration, bool) {
			d, err := time.ParseDuration(n.Text)
			switch {
			case n.Kind == tree.KindInteger || n.Kind == tree.KindNumber:
				p.Errorf(n, diagnostic.CodeValue, "a length of time was expected, not %s", n.Describe()).Hint = unitHint(n)
			case n.Kind != tree.KindString || err != nil:
				p.Errorf(n, diagnostic.CodeValue, "a length of time was expected, not %s", n.Describe()).Hint = spanHint(n.Text)
			case d <= 0:
				p.Errorf(n, diagnostic.CodeValue, "a length of time must be more than nothing, not %s", n.Text)
			default:
				return d, true
			}
			return 0, false
		},
		schema: fixed(map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, "examples": []any{"500ms", "30s", "10m", "1h"}}),
	}
}

// numberIn returns the number at the beginning of a text, and the words after it.
func numberIn(text string) (digits, unit string) {
	digits = text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	return digits, strings.TrimSpace(text[len(digits):])
}

// daysIn returns the number of a text such as 30 days.
func daysIn(text string) (digits string, ok bool) {
	digits, unit := numberIn(text)
	return digits, len(digits) < 5 && strings.Trim(digits, "0") != "" && slices.Contains([]string{"d", "day", "days"}, strings.ToLower(unit))
}

// spanHint shows how a duration is written.
func spanHint(text string) string {
	digits, unit := numberIn(text)
	count, err := strconv.Atoi(digits)
	const most = 9999
	switch {
	case err != nil || count == 0 || count > most || unit == "" || strings.ContainsAny(unit, "0123456789"):
	case unit[0] == 'd':
		return fmt.Sprintf("write %dh; the longest unit is the hour", 24*count)
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "mil"):
		return "write " + digits + "ms"
	case unit[0] == 's' || unit[0] == 'm' || unit[0] == 'h':
		return "write " + digits + unit[:1]
	}
	return "such as 500ms, 30s, 10m or 1h30m"
}

// oneOf is one of a few words.
func oneOf(choices ...string) shape[string] {
	enum := make([]any, len(choices))
	for i, c := range choices {
		enum[i] = c
	}
	return shape[string]{
		read: func(p *parser, n *tree.Node) (string, bool) {
			if n.Kind == tree.KindString && slices.Contains(choices, n.Text) {
				return n.Text, true
			}
			d := p.Errorf(n, diagnostic.CodeValue, "one of %s was expected, not %s", tree.Quoted(choices), n.Describe())
			if near := nearest.Of(n.Text, choices); near != "" {
				d.Hint = tree.DidYouMean(n.Text, choices)
			} else if longer := around(n.Text, choices); longer != nil {
				d.Hint = "did you mean " + strings.Join(longer, " or ") + "?"
			} else if meant := foreignWords()["values"][strings.ToLower(n.Text)]; slices.Contains(choices, meant) {
				d.Hint = "write " + meant
			}
			return "", false
		},
		schema: fixed(map[string]any{"enum": enum}),
	}
}

// around gives those of the words that go on where a text ends, or have it as a part of
// theirs: chat of openai-chat; or else those that are a part of the text.
func around(text string, words []string) []string {
	isPart := func(part, whole string) bool {
		return slices.Contains(strings.FieldsFunc(whole, func(r rune) bool { return r == '-' || r == '_' }), part)
	}
	var longer, parts []string
	for _, word := range words {
		if text != "" && (strings.HasPrefix(word, text) || isPart(text, word)) {
			longer = append(longer, strconv.Quote(word))
		} else if isPart(word, text) {
			parts = append(parts, strconv.Quote(word))
		}
	}
	if longer == nil {
		return parts
	}
	return longer
}

// mapped converts the value of a shape.
func mapped[V, W any](s shape[V], turn func(V) W) shape[W] {
	return shape[W]{
		read: func(p *parser, n *tree.Node) (W, bool) {
			v, ok := s.read(p, n)
			return turn(v), ok
		},
		schema: s.schema,
	}
}

// noExpression reports an expression where the file must have a fixed value. The hint says what else
// to write.
func (p *parser) noExpression(n *tree.Node, hint string) bool {
	if !strings.Contains(n.Text, expression.OpenMark) {
		return true
	}
	trial := p.apart()
	if _, static := trial.template(n).Static(); static && len(trial.Found) == 0 {
		return true
	}
	p.Errorf(n, diagnostic.CodeExpression, "an expression can't stand here").Hint = hint
	return false
}

// noExpressionIn warns of expressions in the texts of data that is taken as it stands.
func (p *parser) noExpressionIn(n *tree.Node) {
	if n.Kind == tree.KindString && strings.Contains(n.Text, expression.OpenMark) && !p.toldAt(n) {
		p.Warnf(n, diagnostic.CodeExpression, "this is a text as it stands: no expression is evaluated in it")
	}
	for _, item := range n.Items {
		p.noExpressionIn(item)
	}
	for _, e := range n.Entries {
		p.noExpressionIn(e.Value)
	}
}

// apart returns a parser for a part of the same file, with a report of its own.
func (p *parser) apart() *parser {
	own := &tree.Report{}
	return &parser{Report: own, loader: p.loader, src: p.src, format: p.format, defaults: p.defaults, reader: expression.NewReader(own, p.reader.Grammar)}
}
