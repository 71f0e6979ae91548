package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A Word is a string with its node.
type Word struct {
	Text string
	Node *tree.Node
}

// TextSchema is the schema of a text: [ScalarText] accepts scalars that lack quotes.
var TextSchema = Fixed(map[string]any{"type": []any{"string", "number", "boolean"}})

// ScalarText returns the text of a string, or of a number or boolean that the user forgot
// to quote.
func ScalarText(r *Reader, n *tree.Node) (string, bool) {
	switch n.Kind {
	case tree.KindString, tree.KindInteger, tree.KindNumber, tree.KindBool:
		return n.Text, true
	}
	r.Errorf(n, diagnostic.CodeValue, "a string was expected, not %s", n.Kind)
	return "", false
}

// PlainText is a text in which ${{ means nothing.
func PlainText() Shape[string] { return Shape[string]{Read: ScalarText, Schema: TextSchema} }

// Text is a string without expressions.
func Text() Shape[string] { return Mapped(Words(), func(w Word) string { return w.Text }) }

// Words is a string without expressions, with its node.
func Words() Shape[Word] {
	return Shape[Word]{
		Read: func(r *Reader, n *tree.Node) (Word, bool) {
			s, ok := ScalarText(r, n)
			return Word{s, n}, ok && NoExpression(r, n)
		},
		Schema: TextSchema,
	}
}

// NoExpression reports an expression where the file must have a fixed value.
func NoExpression(r *Reader, n *tree.Node) bool {
	if !strings.Contains(strings.ReplaceAll(n.Text, "$"+tree.OpenMark, ""), tree.OpenMark) {
		return true
	}
	r.Errorf(n, diagnostic.CodeExpression, "an expression can't stand here")
	return false
}

// What a scalar must be.
const (
	aBoolean     = "true or false"
	aWholeNumber = "a whole number"
	aNumber      = "a number"
	aDuration    = "a length of time"
)

// scalarHints say how a scalar is written that is something else, by what it must be and what it is; $1 is
// the first group of the pattern. The first that fits counts.
var scalarHints = []struct{ want, pattern, hint string }{
	{aBoolean, `(?i)^(?:yes|on|true|1)$`, "write true"},
	{aBoolean, `(?i)^(?:no|off|false|0)$`, "write false"},
	{aWholeNumber, `^(\d+)[kK]$`, "write $1_000"},
	{aWholeNumber, `^(\d+)[mM]$`, "write $1_000_000"},
	{aWholeNumber, `^(\d+)$`, "write $1; in quotes it is a text"},
	{aNumber, `^\$?(\d+(?:\.\d+)?)$`, "write $1"},
	{aDuration, `^(?:0+|-.*)$`, "such as 30s or 10m; without one there is no limit"},
	{aDuration, `^(\d+)$`, "give a unit: $1s or $1m, say"},
	{aDuration, `^(\d+) ?(ms|[smh])(?:[a-z]*)$`, "write $1$2"},
	{aDuration, `^\d+ ?d`, "the longest unit is the hour: a day is 24h"},
	{aDuration, ``, "such as 500ms, 30s, 10m or 1h30m"},
}

// wrongScalar reports a value that is no scalar of the kind that is wanted.
func wrongScalar(r *Reader, n *tree.Node, want string) {
	d := r.Errorf(n, diagnostic.CodeValue, "%s was expected, not %s", want, n.Describe())
	for _, s := range scalarHints {
		if groups, fits := tree.Fit([]string{s.pattern}, []string{n.Text}); fits && s.want == want {
			d.Hint = tree.Fill(s.hint, groups)
			return
		}
	}
}

// Boolean is true or false; yes and no are strings, as YAML 1.2 has it.
func Boolean() Shape[bool] {
	return Shape[bool]{
		Read: func(r *Reader, n *tree.Node) (bool, bool) {
			yes, ok := n.Value.(bool)
			if !ok {
				wrongScalar(r, n, aBoolean)
			}
			return yes, ok
		},
		Schema: Fixed(map[string]any{"type": "boolean"}),
	}
}

// WholeNumber is an integer not below a minimum, such as 20 or 2_000_000.
func WholeNumber(minimum int) Shape[int] {
	return Shape[int]{
		Read: func(r *Reader, n *tree.Node) (int, bool) {
			v, isInt := n.Value.(int)
			switch {
			case n.Kind != tree.KindInteger:
				wrongScalar(r, n, aWholeNumber)
			case !isInt:
				r.Errorf(n, diagnostic.CodeValue, "%s is too big a number", n.Text)
			case v < minimum:
				r.Errorf(n, diagnostic.CodeValue, "%s is too small; the least is %d", n.Text, minimum)
			default:
				return v, true
			}
			return 0, false
		},
		Schema: Fixed(map[string]any{"type": "integer", "minimum": minimum}),
	}
}

// BigNumber is [WholeNumber] for numbers that may need 64 bits.
func BigNumber(minimum int) Shape[int64] {
	return Mapped(WholeNumber(minimum), func(v int) int64 { return int64(v) })
}

// Decimal is a number between two bounds.
func Decimal(minimum, maximum float64) Shape[float64] {
	schema := map[string]any{"type": "number", "minimum": minimum}
	if !math.IsInf(maximum, 1) {
		schema["maximum"] = maximum
	}
	return Shape[float64]{
		Read: func(r *Reader, n *tree.Node) (float64, bool) {
			v, ok := asFloat(n)
			switch {
			case !ok:
				wrongScalar(r, n, aNumber)
			case v < minimum:
				r.Errorf(n, diagnostic.CodeValue, "%s is too small; the least is %v", n.Text, minimum)
			case v > maximum:
				r.Errorf(n, diagnostic.CodeValue, "%s is too big; the most is %v", n.Text, maximum)
			}
			return v, ok && v >= minimum && v <= maximum
		},
		Schema: Fixed(schema),
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

// Span is a duration, such as 500ms, 30s, 10m or 1h30m.
func Span() Shape[time.Duration] {
	return Shape[time.Duration]{
		Read: func(r *Reader, n *tree.Node) (time.Duration, bool) {
			d, err := time.ParseDuration(n.Text)
			switch {
			case n.Kind != tree.KindString || err != nil:
				wrongScalar(r, n, aDuration)
			case d <= 0:
				r.Errorf(n, diagnostic.CodeValue, "a length of time must be more than nothing, not %s", n.Text)
			default:
				return d, true
			}
			return 0, false
		},
		Schema: Fixed(map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, "examples": []any{"500ms", "30s", "10m", "1h"}}),
	}
}

// OneOf is one of a few words.
func OneOf(choices ...string) Shape[string] {
	enum := make([]any, len(choices))
	for i, c := range choices {
		enum[i] = c
	}
	return Shape[string]{
		Read: func(r *Reader, n *tree.Node) (string, bool) {
			if n.Kind == tree.KindString && slices.Contains(choices, n.Text) {
				return n.Text, true
			}
			d := r.Errorf(n, diagnostic.CodeValue, "one of %s was expected, not %s", tree.Quoted(choices), n.Describe())
			if near := nearest.Of(n.Text, choices); near != "" {
				d.Hint = tree.DidYouMean(n.Text, choices)
			} else if meant := Foreign("values")[strings.ToLower(n.Text)]; slices.Contains(choices, meant) {
				d.Hint = "write " + meant
			}
			return "", false
		},
		Schema: Fixed(map[string]any{"enum": enum}),
	}
}

// ListHint shows how a value that is no list would be written as one.
func ListHint(what string, n *tree.Node) string {
	switch {
	case n.Kind == tree.KindMap && len(n.Entries) > 0 && IsMap(n.Entries[0].Value):
		key := "name"
		if what == "steps" {
			key = "id"
		}
		return fmt.Sprintf("each of its items begins with a dash, and has its name in it: - %s: %s", key, tree.Clip(n.Entries[0].Key.Text, 40))
	case n.Kind == tree.KindMap:
		return "each of its items begins with a dash"
	case n.Kind != tree.KindString || strings.Contains(n.Text, "\n"):
		return ""
	}
	words := strings.FieldsFunc(n.Text, func(r rune) bool { return r == ',' || r == ' ' })
	for i, word := range words {
		words[i] = tree.InBrackets(word)
	}
	return "write [" + tree.Clip(strings.Join(words, ", "), 200) + "]"
}
