package workflows

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
)

// A parser reads one file. It goes on after a mistake, so that all of them are
// found.
type parser struct {
	*report
	loader          *loader
	src             *source
	dir             string // where the file's own paths start
	grammar         *grammar
	format          *format
	workflow        *Workflow
	root            *node
	permissionNodes []*node            // the maps of rules in the file
	used            map[*Workflow]bool // by its steps
	lent            []string           // the tools of those, as in loaded
	defaults        defaults           // of the file, once they are read
	expressions     []*expression      // all that could be read
	badExpressions  int
	outputTypes     map[string]types.Type // of the workflow's outputs
}

// checkCompiled makes sure that no expression was left out, or it would fail only
// when the workflow runs.
func (p *parser) checkCompiled() {
	for _, e := range p.expressions {
		if e.program == nil && len(p.found) == 0 {
			p.errorWithin(e.node, e.offset, len(e.source), codeExpression, "the expression was not checked: this is a mistake of flow's own")
		}
	}
}

// path gives the path of a file that the workflow names.
func (p *parser) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, filepath.FromSlash(name))
}

// fromHere gives a path as the workflow would name it.
func (p *parser) fromHere(path string) string {
	if rel, err := filepath.Rel(p.dir, path); err == nil && !filepath.IsAbs(path) {
		return filepath.ToSlash(rel)
	}
	return path
}

// expressionError reports what expr says of an expression, in our words.
func (p *parser) expressionError(e *expression, err error) *Diagnostic {
	var detailed *file.Error
	if !errors.As(err, &detailed) {
		return p.errorWithin(e.node, e.offset, len(e.source), codeExpression, "%s", err)
	}
	offset := byteOffset(e.source, detailed.From)
	for offset < len(e.source) && strings.ContainsRune(" \t\n", rune(e.source[offset])) {
		offset++
	}
	length := max(1, detailed.To-detailed.From)
	d := p.errorWithin(e.node, e.offset+offset, length, codeExpression, "%s", plainMessage(detailed.Message))
	if strings.HasPrefix(d.Message, "unexpected ") {
		d.Hint = operatorHint(e.source, offset)
	}
	return d
}

// cutOff adds a hint to the last mistake when a comment follows the scalar: an
// expression with a " #" in it ends there.
func (p *parser) cutOff(n *node) {
	if n.style != stylePlain || len(p.found) == 0 {
		return
	}
	at := n.at(len(n.text))
	rest := strings.TrimLeft(n.src.from(at.Line, at.Column), " \t")
	if d := p.found[len(p.found)-1]; strings.HasPrefix(rest, "#") && d.Hint == "" {
		d.Hint = `" #" begins a comment: put the whole value in quotes`
	}
}
