package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Words says who has a say in the value of an expression. A greater value is further from
// the author of the file.
type Words int

// The values of Words.
const (
	Own     Words = iota // what stands in the file, and what is known of the run and its environment
	Given                // the inputs of the run, too
	Foreign              // anyone: models, what commands print, files, the names of files
)

// readers are the functions that read files. An evaluation calls them by one of three
// names, which says who has a say in the path: the name itself for the author of the
// file, with ? behind it for inputs, too, and with ! for anyone.
var readers = []string{"file", "glob"}

// Called is the name in an [Env] of a function that reads files, for paths in whose value
// w has a say.
func (w Words) Called(function string) string { return function + [...]string{"", "?", "!"}[w] }

// wordsOf returns who has a say in a part of an expression: without names its author, and
// anyone where nothing is known of the names.
func (s *Scope) wordsOf(part ast.Node, lets []string) Words {
	names := namesIn(part)
	switch {
	case contains(part, is[*ast.PointerNode]) || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(lets, name) }):
		return Foreign
	case len(names) == 0:
		return Own
	case s.whose == nil:
		return Foreign
	}
	variables, all := variablesIn(part)
	return s.whose(names, variables, all)
}

// bindReaders renames each use of a function that reads files as [Words.Called] says. A
// function that is not called where it stands could get any path.
func (e *Expression) bindReaders(s *Scope) {
	if !s.grammar.IsFunction(readers[0]) {
		return // a value may have its name
	}
	var lets []string
	walk(e.tree.Node, func(n ast.Node) {
		if let, isLet := n.(*ast.VariableDeclaratorNode); isLet {
			lets = append(lets, let.Name)
		}
	})
	called := map[*ast.IdentifierNode]Words{}
	walk(e.tree.Node, func(n ast.Node) {
		call, isCall := n.(*ast.CallNode)
		if !isCall {
			return
		}
		callee, isName := call.Callee.(*ast.IdentifierNode)
		if !isName || !slices.Contains(readers, callee.Value) {
			return
		}
		words := Own
		if len(call.Arguments) > 0 { // the path; a default is no file
			words = s.wordsOf(call.Arguments[0], lets)
		}
		called[callee] = words
	})
	walk(e.tree.Node, func(n ast.Node) {
		name, isName := n.(*ast.IdentifierNode)
		if !isName || !slices.Contains(readers, name.Value) {
			return
		}
		words, known := called[name]
		if !known {
			words = Foreign
		}
		name.Value = words.Called(name.Value)
	})
}
