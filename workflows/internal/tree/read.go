package tree

import (
	"errors"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// MaxFileBytes is how long a workflow, a prompt or data may be.
const MaxFileBytes = 1 << 20

// Limits are what a YAML file may hold at most. A file beyond any of these is
// refused before its values are built.
type Limits struct {
	bytes  int
	values int // aliases expanded
}

// WorkflowLimits are for files that someone writes.
func WorkflowLimits() Limits { return Limits{bytes: MaxFileBytes, values: 100_000} }

// ScriptLimits are for scripted models, which may be recordings of long runs.
func ScriptLimits() Limits { return Limits{bytes: 16 * MaxFileBytes, values: 800_000} }

// Read reads one YAML document (JSON is YAML, too) into a tree. It gives
// nil when there is none, and then r has the reason.
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

// ReadText reads a file that is text as a whole, such as a prompt. It gives nil
// when it is none, and then r has the reason.
func ReadText(file string, text []byte, r *Report) *Node {
	src := NewSource(file, string(text))
	if !checkText(src, text, MaxFileBytes, r) {
		return nil
	}
	return &Node{Src: src, Line: 1, Column: 1, Kind: KindString, Style: StylePlain, Text: src.text, Value: src.text, size: 1}
}

// checkText refuses what is too long or no text at all.
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

// reportSyntax reports what the YAML library says, at its place.
func reportSyntax(src *Source, err error, r *Report) {
	place, message := &token.Position{Line: 1, Column: 1}, err.Error()
	var detailed yaml.Error
	if errors.As(err, &detailed) {
		message = detailed.GetMessage()
		if tk := detailed.GetToken(); tk != nil {
			place = tk.Position
		}
	}
	plain, hint := explainSyntax(src, place, message)
	r.errorAt(src, place, diagnostic.CodeSyntax, "no valid YAML: %s", plain).Hint = hint
}

// onlyDocument gives the body of the one document in the file.
func onlyDocument(src *Source, file *ast.File, r *Report) ast.Node {
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.DirectiveType:
		case body != nil:
			place := doc.Body.GetToken().Position
			if doc.Start != nil {
				place = doc.Start.Position
			}
			r.errorAt(src, place, diagnostic.CodeSyntax, "a second document begins here; a file holds one")
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
