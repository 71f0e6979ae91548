package workflows

import (
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A parser reads one file. It goes on after a mistake to find the others.
type parser struct {
	*format.Reader
	loader    *loader
	workflow  *Workflow
	root      *tree.Node
	badRules  bool        // some could not be read, which has been reported
	patterns  []*Template // with expressions, of rules
	defaults  Step        // what each step starts from; complete once the keys before agents and steps are read
	agents    map[string]*AgentRules
	models    []format.Named[[]word] // the short names
	reader    *expression.Reader
	variables Variables // of commands in the step that is checked: the file's and those of the steps around it
	refs      *fileRefs // nil until a schema is read
}

// A word is a string of the file with its node.
type word = format.Word

// newParser returns a parser for a part of a file whose expressions are of a grammar.
func newParser(r *tree.Report, g *expression.Grammar) *parser {
	p := &parser{reader: expression.NewReader(r, g)}
	p.Reader = &format.Reader{Report: r, Owner: p}
	return p
}

// parserOf returns the parser that a shape is read for.
func parserOf(r *format.Reader) *parser { return r.Owner.(*parser) }

// path returns the path of a file that the workflow names.
func (p *parser) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.workflow.Dir, filepath.FromSlash(name))
}

// fromHere returns a path as the workflow would name it.
func (p *parser) fromHere(path string) string {
	if rel, err := filepath.Rel(p.workflow.Dir, path); err == nil && !filepath.IsAbs(path) {
		return filepath.ToSlash(rel)
	}
	return path
}
