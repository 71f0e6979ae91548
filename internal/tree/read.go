package tree

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// MaxFileBytes is the maximum size of a workflow, a prompt or data.
const MaxFileBytes = 1 << 20

// Limits bound a YAML file. A file beyond one is refused before its values are built.
type Limits struct {
	bytes  int
	values int // aliases expanded
}

// WorkflowLimits are for files that people write.
func WorkflowLimits() Limits { return Limits{bytes: MaxFileBytes, values: 100_000} }

// ScriptLimits are for scripted models, which may be recordings of long runs.
func ScriptLimits() Limits { return Limits{bytes: 16 * MaxFileBytes, values: 800_000} }

// Read parses one YAML document (JSON is YAML, too). It returns nil for an invalid one, and
// reports why.
func Read(src *Source, text []byte, most Limits, r *Report) *Node {
	if !checkText(src, text, most.bytes, r) {
		return nil
	}
	tokens := tokensOf(src, most, r)
	if tokens == nil {
		return nil
	}
	file, err := yamlparser.Parse(tokens, 0, yamlparser.AllowDuplicateMapKey())
	if err != nil {
		reportSyntax(src, err, r)
		return nil
	}
	body := onlyDocument(src, file, r)
	if body == nil {
		return nil
	}
	t := treeBuilder{src: src, report: r, most: most, anchors: map[string]*Node{}}
	root := t.build(body)
	if t.failed {
		return nil
	}
	return root
}

// ReadText returns a file that is text as a whole, such as a prompt. It returns nil for one
// that is no text, or too long, and reports why.
func ReadText(file string, text []byte, r *Report) *Node {
	src := NewSource(file, string(text))
	if !checkText(src, text, MaxFileBytes, r) {
		return nil
	}
	return &Node{Src: src, Line: 1, Column: 1, Kind: KindString, Style: StylePlain, Text: src.text, Value: src.text, size: 1}
}

// checkText reports a file that is too long, or no text.
func checkText(src *Source, text []byte, most int, r *Report) bool {
	if len(text) > most {
		r.errorAt(src, &token.Position{Line: 1, Column: 1}, diagnostic.CodeSyntax, "the file has %s bytes; the most is %s", quantity.Thousands(len(text)), quantity.Thousands(most))
		return false
	}
	line, column := 1, 1
	for rest := src.text; len(rest) > 0; column++ {
		c, size := utf8.DecodeRuneInString(rest)
		switch {
		case c == utf8.RuneError && size == 1:
			r.errorAt(src, &token.Position{Line: line, Column: column}, diagnostic.CodeSyntax, "the file is not UTF-8: byte 0x%02X", rest[0])
			return false
		case c == '\n':
			line, column = line+1, 0
		case c < ' ' && c != '\t' || c == 0x7f:
			r.errorAt(src, &token.Position{Line: line, Column: column}, diagnostic.CodeSyntax, "the file has the control character U+%04X; in double quotes it can be written \\x%02X", c, c)
			return false
		}
		rest = rest[size:]
	}
	return true
}

// reportSyntax reports an error of the YAML library at its position.
func reportSyntax(src *Source, err error, r *Report) {
	position, message := &token.Position{Line: 1, Column: 1}, err.Error()
	var detailed yaml.Error
	if errors.As(err, &detailed) {
		message = detailed.GetMessage()
		if tk := detailed.GetToken(); tk != nil {
			position = tk.Position
		}
	}
	plain, hint := explainSyntax(src, position, message)
	if open := openQuote(src, position, message); open != nil {
		plain = fmt.Sprintf("the quote that begins here is closed by the next one, in line %d", position.Line)
		position, hint = open, "close it where the text ends; a text of several lines stands below a |"
	} else if column, quoted := unquotedExpression(src.line(position.Line)); quoted != "" {
		plain, hint = "an expression in a map in braces needs quotes", "quote it: "+quoted
		position = &token.Position{Line: position.Line, Column: column}
	}
	r.errorAt(src, position, diagnostic.CodeSyntax, "no valid YAML: %s", plain).Hint = hint
}

// onlyDocument returns the body of the only document in the file; nil where there is none,
// or another.
func onlyDocument(src *Source, file *ast.File, r *Report) ast.Node {
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.DirectiveType:
		case body != nil:
			position := doc.Body.GetToken().Position
			if doc.Start != nil {
				position = doc.Start.Position
			}
			r.errorAt(src, position, diagnostic.CodeSyntax, "a second document begins here; a file holds one")
			return nil
		default:
			body = doc.Body
		}
	}
	if body == nil {
		r.errorAt(src, &token.Position{Line: 1, Column: 1}, diagnostic.CodeSyntax, "the file is empty")
	}
	return body
}
