package workflows

import (
	"errors"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFileBytes is how long a workflow, a prompt or data may be.
const maxFileBytes = 1 << 20

// limits are what a YAML file may hold at most. A file beyond any of these is
// refused before its values are built.
type limits struct {
	bytes  int
	values int // aliases expanded
}

// workflowLimits are for files that someone writes.
func workflowLimits() limits { return limits{bytes: maxFileBytes, values: 100_000} }

// scriptLimits are for scripted models, which may be recordings of long runs.
func scriptLimits() limits { return limits{bytes: 16 * maxFileBytes, values: 800_000} }

// readTree reads one YAML document (JSON is YAML, too) into a tree. It gives
// nil when there is none, and then r has the reason.
func readTree(src *source, text []byte, most limits, r *report) *node {
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
	t := treeBuilder{src: src, report: r, most: most, anchors: map[string]*node{}}
	root := t.build(body)
	if t.failed {
		return nil
	}
	return root
}

// checkText refuses what is too long or no text at all.
func checkText(src *source, text []byte, most int, r *report) bool {
	if len(text) > most {
		r.errorAt(src, &token.Position{Line: 1, Column: 1}, codeSyntax, "the file has %s bytes; the most is %s", thousands(len(text)), thousands(most))
		return false
	}
	line, column := 1, 1
	for rest := src.text; len(rest) > 0; column++ {
		c, size := utf8.DecodeRuneInString(rest)
		switch {
		case c == utf8.RuneError && size == 1:
			r.errorAt(src, &token.Position{Line: line, Column: column}, codeSyntax, "the file is not UTF-8: byte 0x%02X", rest[0])
			return false
		case c == '\n':
			line, column = line+1, 0
		case c < ' ' && c != '\t' || c == 0x7f:
			r.errorAt(src, &token.Position{Line: line, Column: column}, codeSyntax, "the file has the control character U+%04X; in double quotes it can be written \\x%02X", c, c)
			return false
		}
		rest = rest[size:]
	}
	return true
}

// reportSyntax reports what the YAML library says, at its place.
func reportSyntax(src *source, err error, r *report) {
	place, message := &token.Position{Line: 1, Column: 1}, err.Error()
	var detailed yaml.Error
	if errors.As(err, &detailed) {
		message = detailed.GetMessage()
		if tk := detailed.GetToken(); tk != nil {
			place = tk.Position
		}
	}
	plain, hint := explainSyntax(src, place, message)
	r.errorAt(src, place, codeSyntax, "no valid YAML: %s", plain).Hint = hint
}

// onlyDocument gives the body of the one document in the file.
func onlyDocument(src *source, file *ast.File, r *report) ast.Node {
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.DirectiveType:
		case body != nil:
			place := doc.Body.GetToken().Position
			if doc.Start != nil {
				place = doc.Start.Position
			}
			r.errorAt(src, place, codeSyntax, "a second document begins here; a file holds one")
			return nil
		default:
			body = doc.Body
		}
	}
	if body == nil {
		r.errorAt(src, &token.Position{Line: 1, Column: 1}, codeSyntax, "the file is empty")
	}
	return body
}
