package expression

import (
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// The marks around an expression in a string.
const (
	OpenMark  = tree.OpenMark
	CloseMark = "}}"
)

// A Reader parses the expressions of one file, and reports their mistakes.
type Reader struct {
	report  *tree.Report
	Grammar *Grammar
	all     []*Expression // that were parsed
	Bad     int           // how many could not be parsed
}

func NewReader(r *tree.Report, g *Grammar) *Reader { return &Reader{report: r, Grammar: g} }

// CheckCompiled reports an expression that the checks left out: otherwise it would fail
// only when the workflow runs.
func (r *Reader) CheckCompiled() {
	for _, e := range r.all {
		if e.program == nil && len(r.report.Found) == 0 {
			r.report.ErrorWithin(e.Node, e.Offset, len(e.Source), diagnostic.CodeExpression, "the expression was not checked: this is a mistake of flow's own")
		}
	}
}

// Naming returns the sources of the expressions that refer to one of the names, other than
// behind a dot: for the name of a function, all that may call it.
func (r *Reader) Naming(names ...string) []string {
	var sources []string
	for _, e := range r.all {
		if e.tree == nil {
			continue // it has a mistake, and never runs
		}
		if slices.ContainsFunc(namesIn(e.tree.Node), func(name string) bool { return slices.Contains(names, strings.TrimRight(name, "?!")) }) {
			sources = append(sources, strings.TrimSpace(e.Source))
		}
	}
	return sources
}

// Bare parses a scalar that is an expression without marks; nil where it has a mistake.
func (r *Reader) Bare(n *tree.Node) *Expression {
	tree, err := parseExpression(r.Grammar, n.Text)
	e := &Expression{Source: n.Text, Node: n, tree: tree}
	if err != nil {
		d := r.mistake(e, err)
		if strings.Contains(n.Text, OpenMark) {
			d.Hint = "the whole of it is an expression, without marks: write " + WithoutMarks(n.Text)
		}
		r.cutOff(n)
		return nil
	}
	r.all = append(r.all, e)
	return e
}

const longestShown = 120 // bytes of what a hint shows

// WithoutMarks removes the marks around the expressions in a text, for a hint.
func WithoutMarks(text string) string {
	return tree.Clip(strings.Join(strings.Fields(strings.NewReplacer(OpenMark, "", CloseMark, "").Replace(text)), " "), longestShown)
}

// Marked parses the expression whose mark opens at a byte of a scalar's text, and returns
// the byte behind it. It ends at the first closing mark before which the source is an
// expression, so that a string or a map in it may contain one.
func (r *Reader) Marked(n *tree.Node, open int) (*Expression, int) {
	start := open + len(OpenMark)
	rest := n.Text[start:]
	var firstErr error
	first := -1
	for end := 0; r.Bad < maxBadExpressions; end += len(CloseMark) {
		next := strings.Index(rest[end:], CloseMark)
		if next < 0 || end+next > maxExpressionBytes && first >= 0 {
			break
		}
		end += next
		tree, err := parseExpression(r.Grammar, rest[:end])
		if err == nil {
			e := &Expression{Source: rest[:end], Node: n, Offset: start, tree: tree}
			r.all = append(r.all, e)
			return e, start + end + len(CloseMark)
		}
		if first < 0 {
			first, firstErr = end, err
		}
		if !mayContinue(err, rest[:end]) {
			break
		}
	}
	r.Bad++
	if first < 0 {
		r.unclosed(n, open)
		return nil, len(n.Text)
	}
	r.mistake(&Expression{Source: rest[:first], Node: n, Offset: start}, firstErr)
	return nil, start + first + len(CloseMark)
}

// maxBadExpressions is the number of expressions with mistakes after which the others are
// not parsed.
const maxBadExpressions = 100

// mayContinue reports whether more text could complete the expression: the error is at its
// end.
func mayContinue(err error, source string) bool {
	var e *file.Error
	if !errors.As(err, &e) {
		return false
	}
	return strings.Contains(e.Message, "not terminated") || strings.Contains(e.Message, "EOF") ||
		byteOffset(source, e.From) >= len(strings.TrimRight(source, " \t\n"))
}

// unclosed reports an expression without an end.
func (r *Reader) unclosed(n *tree.Node, open int) {
	r.report.ErrorWithin(n, open, len(OpenMark), diagnostic.CodeExpression, "the expression has no closing }}")
	r.cutOff(n)
}

// mistake reports an error of expr, in flow's words.
func (r *Reader) mistake(e *Expression, err error) *diagnostic.Diagnostic {
	var detailed *file.Error
	if !errors.As(err, &detailed) {
		return r.report.ErrorWithin(e.Node, e.Offset, len(e.Source), diagnostic.CodeExpression, "%s", err)
	}
	offset := byteOffset(e.Source, detailed.From)
	for offset < len(e.Source) && strings.ContainsRune(" \t\n", rune(e.Source[offset])) {
		offset++
	}
	theirs, _, _ := strings.Cut(detailed.Message, "\n")
	plain, hint, known := inWords(theirs)
	if !known {
		plain, hint = explainSyntax(theirs, e.Source, offset)
	}
	d := r.report.ErrorWithin(e.Node, e.Offset+offset, max(1, detailed.To-detailed.From), diagnostic.CodeExpression, "%s", plain)
	d.Hint = hint
	return d
}

// cutOff adds a hint to the last mistake where a comment follows the plain scalar: a " #"
// in an expression begins one.
func (r *Reader) cutOff(n *tree.Node) {
	if len(r.report.Found) == 0 {
		return
	}
	if d := r.report.Found[len(r.report.Found)-1]; n.Comment() != "" && (d.Hint == "" || d.Message == endsTooEarly) {
		d.Hint = `" #" begins a comment: put the whole value in quotes`
	}
}
