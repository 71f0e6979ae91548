package script

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// The value of a variable is known where a script sets it only once, and visibly: it is
// the text after =, or one of the words of a for loop. Nothing is known of any other
// variable.

// knownNames returns the variables that a script sets only once, and visibly.
func (w *walker) knownNames(file *syntax.File) map[string]bool {
	set := assignments{count: map[string]int{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		set.note(w.expand, n)
		return !set.hidden
	})
	known := map[string]bool{}
	for name, n := range set.count {
		known[name] = n == 1 && !set.hidden && word.IsFreeVariable(name)
	}
	return known
}

// assignments counts how often a script sets each variable.
type assignments struct {
	count map[string]int
	// hidden says that something in the script may set any variable.
	hidden bool
}

// note counts the assignments of one node.
func (a *assignments) note(e word.Expander, n syntax.Node) {
	a.hidden = a.hidden || setsUnseen(n)
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil {
			a.count[n.Name.Value]++
		}
	case *syntax.DeclClause:
		for _, arg := range n.Args {
			if arg.Name != nil {
				a.count[arg.Name.Value] += 2
			}
		}
	case *syntax.WordIter:
		a.count[n.Name.Value]++
	case *syntax.CallExpr:
		a.command(e, n)
	}
}

// setsUnseen reports whether a node that is not a simple command may set any variable, or
// change what values mean.
func setsUnseen(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Assign:
		return n.Name != nil && (n.Name.Value == "IFS" || n.Append)
	case *syntax.DeclClause:
		plain := n.Variant.Value == "export" || n.Variant.Value == "readonly" // the others may declare a reference to a variable
		return slices.ContainsFunc(n.Args, func(arg *syntax.Assign) bool { return arg.Name == nil || !plain })
	case *syntax.ParamExp:
		return n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) || guardedParam(n) != ""
	case *syntax.BinaryTest:
		return isNumeric(n.Op)
	case *syntax.Redirect:
		return n.N != nil && strings.HasPrefix(n.N.Value, "{")
	case *syntax.ArithmExp:
		return !word.ConstantArithmetic(n.X)
	case *syntax.FuncDecl, *syntax.ArithmCmd, *syntax.CStyleLoop:
		return true
	}
	return false
}

// command counts the variables that a simple command sets.
func (a *assignments) command(e word.Expander, call *syntax.CallExpr) {
	words, ok := e.ExpandAll(call.Args)
	if len(words) == 0 && ok {
		return
	}
	if !ok || words[0].Kind != word.Static {
		a.hidden = true
		return
	}
	known := program.Named(program.NameOf(words[0]))
	switch {
	case program.NameOf(words[0]) == "read" && program.IsPlainRead(words):
		for _, x := range words[1:] {
			a.count[x.Text] += 2
		}
	case words[0].Is("printf") && !program.NamesVariable(words), words[0].Is("test"), words[0].Is("["):
	case known.Subscripts != nil, known.Runs != 0 && known.Runs != program.MovesDir && known.Runs != program.ExecutesFound && known.Runs != program.ShellScript,
		known.Wrapper != nil && known.Wrapper.InShell, words[0].Is("let"):
		a.hidden = true
	}
}

// setAlone records the variables that a command sets which does nothing else.
func (w *walker) setAlone(call *syntax.CallExpr) {
	for _, a := range call.Assigns {
		if a.Name != nil && a.Index == nil && a.Array == nil && !a.Append && !a.Naked {
			w.setVariable(a.Name.Value, w.expand.Whole(a.Value))
		}
	}
}

// setVariable records the value of a variable, if that is one harmless word.
func (w *walker) setVariable(name string, value word.Word) {
	if w.known[name] && (value.Kind == word.Static || value.Kind == word.Opaque || value.Kind == word.Dynamic && value.Plain) {
		w.vars[name] = value
	}
}

// setLoopVariable records the value of a for loop's variable in its body.
func (w *walker) setLoopVariable(name string, items []*syntax.Word) {
	words, ok := w.expand.ExpandAll(items)
	if !w.known[name] || !ok || len(words) == 0 {
		return
	}
	value := word.Word{Kind: word.Opaque}
	plain := true
	for _, x := range words {
		if x.Kind != word.Opaque && (x.Kind != word.Static || !word.IsDigits(x.Text)) {
			value = word.Word{Kind: word.Dynamic}
		}
		plain = plain && x.Kind == word.Static && word.IsOneText(x.Text) && strings.IndexByte("-+", x.Text[0]) < 0
	}
	if value.Plain = plain; len(words) == 1 && (words[0].Kind == word.Static || words[0].Kind == word.Globbed) {
		value = words[0]
	}
	w.vars[name] = value
}

// scoped walks what may not run, or runs in a subshell: the variables that it sets are
// not known after it.
func (w *walker) scoped(walk func()) {
	before := w.vars
	w.vars = maps.Clone(before)
	walk()
	w.vars = before
}

// noteValue records the value of a plain expansion, if the variable's value is known.
func (w *walker) noteValue(p *syntax.ParamExp) {
	value, ok := w.vars[p.Param.Value]
	if ok && p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && !p.Excl && !p.Length && p.Names == 0 {
		w.expand.Values[p] = value
	}
}
