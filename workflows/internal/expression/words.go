package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Words says who has a say in the value of an expression; the greater, the further
// from the author of the file.
type Words int

// Whose words there are.
const (
	Own     Words = iota // what stands in the file, and what is known of the run and its environment
	Given                // the inputs of the run, too
	Foreign              // anyone: models, what commands print, files, the names of files
)

// The functions that read files are called by one of three names when an expression
// is evaluated, so that the evaluator knows whose words the path is made of: as the
// file has it where they are its own, with ? behind it where inputs are among them,
// with ! where they may be anyone's.
var readers = []string{"file", "glob"}

// Called is the name under which an [Env] has a function that reads files, for paths
// made of these words.
func (w Words) Called(function string) string { return function + [...]string{"", "?", "!"}[w] }

// WithWords gives a scope that knows whose words its names are: whose is asked for the
// names in an expression, or a part of it, and for the variables of env among them,
// all of which it may see where all is true. It is not asked about what a predicate
// goes over, nor about what let names: these are foreign.
func (s *Scope) WithWords(whose func(names, variables []string, all bool) Words) *Scope {
	told := *s
	told.whose = whose
	return &told
}

// wordsOf says whose words a part of an expression is made of. Without names it is
// the author's; where nobody knows about names it is foreign.
func (s *Scope) wordsOf(part ast.Node, lets []string) Words {
	names, pointers := namesIn(part), false
	ast.Walk(&part, walkFunc(func(n ast.Node) {
		if _, is := n.(*ast.PointerNode); is {
			pointers = true
		}
	}))
	switch {
	case pointers || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(lets, name) }):
		return Foreign
	case len(names) == 0:
		return Own
	case s.whose == nil:
		return Foreign
	}
	variables, all := membersOf(part, "env")
	return s.whose(names, variables, all)
}

// bindReaders gives each use of a function that reads files the name that says whose
// words its path is made of. A function that is not called where it stands could be
// given any path.
func (e *Expression) bindReaders(s *Scope) {
	if !s.grammar.IsFunction(readers[0]) {
		return // a value may have its name
	}
	root := e.tree.Node
	var lets []string
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		if let, is := n.(*ast.VariableDeclaratorNode); is {
			lets = append(lets, let.Name)
		}
	}))
	called := map[*ast.IdentifierNode]Words{}
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		call, is := n.(*ast.CallNode)
		if !is {
			return
		}
		callee, is := call.Callee.(*ast.IdentifierNode)
		if !is || !slices.Contains(readers, callee.Value) {
			return
		}
		words := Own
		for _, argument := range call.Arguments {
			words = max(words, s.wordsOf(argument, lets))
		}
		called[callee] = words
	}))
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		name, is := n.(*ast.IdentifierNode)
		if !is || !slices.Contains(readers, name.Value) {
			return
		}
		words, known := called[name]
		if !known {
			words = Foreign
		}
		name.Value = words.Called(name.Value)
	}))
}
