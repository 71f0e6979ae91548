package workflows

import (
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
	p.Errorf(n, diagnostic.CodeValue, "a string was expected, not %s", n.Kind)
	return "", false
}

// text is a string without expressions.
func text() shape[string] {
	return shape[string]{
		read: func(p *parser, n *tree.Node) (string, bool) {
			s, ok := scalarText(p, n)
			return s, ok && p.noExpression(n)
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

// wrongScalar reports a value that is no scalar of the kind that is wanted.
func (p *parser) wrongScalar(n *tree.Node, want string) {
	p.Errorf(n, diagnostic.CodeValue, "%s was expected, not %s", want, n.Describe()).Hint = scalarHint(want, n)
}

// boolean is true or false; yes and no are strings, as YAML 1.2 has it.
func boolean() shape[bool] {
	return shape[bool]{
		read: func(p *parser, n *tree.Node) (bool, bool) {
			if n.Kind != tree.KindBool {
				p.wrongScalar(n, aBoolean)
				return false, false
			}
			return n.Value.(bool), true
		},
		schema: fixed(map[string]any{"type": "boolean"}),
	}
}

// wholeNumber is an integer not below least, such as 20 or 2_000_000.
func wholeNumber(least int) shape[int] {
	return shape[int]{
		read: func(p *parser, n *tree.Node) (int, bool) {
			v, isInt := n.Value.(int)
			switch {
			case n.Kind != tree.KindInteger:
				p.wrongScalar(n, aWholeNumber)
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
				p.wrongScalar(n, aNumber)
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

// span is a duration, such as 500ms, 30s, 10m or 1h30m.
func span() shape[time.Duration] {
	return shape[time.Duration]{
		read: func(p *parser, n *tree.Node) (time.Duration, bool) {
			d, err := time.ParseDuration(n.Text)
			switch {
			case n.Kind != tree.KindString || err != nil:
				p.wrongScalar(n, aDuration)
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
			} else if meant := foreignWords()["values"][strings.ToLower(n.Text)]; slices.Contains(choices, meant) {
				d.Hint = "write " + meant
			}
			return "", false
		},
		schema: fixed(map[string]any{"enum": enum}),
	}
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

// noExpression reports an expression where the file must have a fixed value.
func (p *parser) noExpression(n *tree.Node) bool {
	if !strings.Contains(strings.ReplaceAll(n.Text, "$"+expression.OpenMark, ""), expression.OpenMark) {
		return true
	}
	p.Errorf(n, diagnostic.CodeExpression, "an expression can't stand here")
	return false
}

// noExpressionIn warns of expressions in the texts of data that is taken as it stands.
func (p *parser) noExpressionIn(n *tree.Node) {
	if n.Kind == tree.KindString && strings.Contains(n.Text, expression.OpenMark) && !p.ReportedAt(n) {
		p.Warnf(n, diagnostic.CodeExpression, "this is a text as it stands: no expression is evaluated in it")
	}
	for _, item := range n.Items {
		p.noExpressionIn(item)
	}
	for _, e := range n.Entries {
		p.noExpressionIn(e.Value)
	}
}
