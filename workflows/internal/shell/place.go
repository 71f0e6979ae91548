package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// useOf judges a place in the tree by the nodes around it, from the outermost.
func useOf(stack []syntax.Node) Use {
	use := Use{Bare: true}
	if slices.ContainsFunc(stack, inBackquotes) {
		return Use{Problem: "inside backquotes", Hint: "use $( )"}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		var child syntax.Node
		if i+1 < len(stack) {
			child = stack[i+1]
		}
		switch n := stack[i].(type) {
		case *syntax.DblQuoted:
			use.Bare = false
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return use
		case *syntax.Redirect:
			if child != nil && n.Hdoc == child {
				use.Bare = false
			} else if n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc {
				return Use{Problem: "in the delimiter of a here-document"}
			}
		case *syntax.CallExpr:
			return judgeCall(n, child, use)
		case syntax.Command:
			if problem := commandProblem(n, child); problem != "" {
				return unsafeUse(problem)
			}
		default:
			if problem := partProblem(n, child); problem != "" {
				return unsafeUse(problem)
			}
		}
	}
	return use
}

// unsafeUse is a place in which the shell does more with a value than to take it
// as a word. What it computes with may be a number, which is known later.
func unsafeUse(problem string) Use {
	switch problem {
	case AsArithmetic:
		return Use{Number: true}
	case asPattern:
		return Use{Problem: problem, Hint: `set a variable first, x=${{ … }}, and write "$x"`}
	}
	return Use{Problem: problem} // a variable's value would be code there, too
}

// inBackquotes reports whether a node is `…`, in which the shell reads quotes in
// its own way.
func inBackquotes(n syntax.Node) bool {
	substitution, ok := n.(*syntax.CmdSubst)
	return ok && substitution.Backquotes
}

// AsArithmetic is where only a number may stand, as in "the expression stands …".
const AsArithmetic = "where the shell evaluates it as arithmetic, which can run code"

const (
	asName    = "where the shell takes it as the name of a variable, which can run code"
	asPattern = "where the shell takes it as a pattern"
)

// commandProblem says what is wrong with an expression right inside a command.
func commandProblem(n syntax.Command, child syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause:
		return AsArithmetic
	case *syntax.DeclClause:
		assign, isAssign := child.(*syntax.Assign)
		if isAssign && assign.Naked || declaresNumber(n) {
			return asName
		}
	}
	return ""
}

// declaresNumber reports whether a declaration makes its values arithmetic, or
// names of other variables.
func declaresNumber(n *syntax.DeclClause) bool {
	return slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
		flag := ""
		if a.Naked && a.Value != nil {
			flag = a.Value.Lit()
		}
		return strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, "in")
	})
}

// partProblem says what is wrong with an expression in a part of a word or a
// test.
func partProblem(n, child syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ArithmExp, *syntax.CStyleLoop, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.FlagsArithm:
		return AsArithmetic
	case *syntax.ParamExp:
		return expansionProblem(n, child)
	case *syntax.Assign:
		if n.Index != nil && child == syntax.Node(n.Index) {
			return AsArithmetic
		}
	case *syntax.ArrayElem:
		if n.Index != nil && child == syntax.Node(n.Index) {
			return AsArithmetic
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return AsArithmetic
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			return asName
		}
	}
	return ""
}

// expansionProblem judges an expression inside ${name…}: only the word that
// stands in for a missing value is taken as it is.
func expansionProblem(n *syntax.ParamExp, child syntax.Node) string {
	switch {
	case n.Index != nil && child == syntax.Node(n.Index), n.Slice != nil:
		return AsArithmetic
	case n.Repl != nil:
		return asPattern
	case n.Exp != nil:
		switch n.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return ""
		}
		return asPattern
	}
	return ""
}
