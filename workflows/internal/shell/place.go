package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// AsArithmetic completes "the expression stands …" where only a number may stand.
const AsArithmetic = "where the shell evaluates it as arithmetic, which can run code"

const (
	asName    = "where the shell takes it as the name of a variable, which can run code"
	asPattern = "where the shell takes it as a pattern"
)

// useOf judges a value by the nodes around it, from the innermost outwards.
func useOf(around []syntax.Node) Use {
	use := Use{Bare: true}
	if slices.ContainsFunc(around, inBackquotes) {
		return Use{Problem: "inside backquotes", Hint: "use $( )"}
	}
	printed := false // the value is in what a substitution gives
	for i := len(around) - 1; i >= 0; i-- {
		var child syntax.Node
		if i+1 < len(around) {
			child = around[i+1]
		}
		switch around[i].(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			printed = true
		}
		if !printed {
			if use.placed(around[i], child); use.Problem != "" || use.Number {
				return use
			}
		}
		if use.asCode(around[i], child); use.Warning != "" {
			return use
		}
	}
	return use
}

// placed judges a value right inside a node: how it is quoted there, and whether it is a word.
func (u *Use) placed(n, child syntax.Node) {
	switch n := n.(type) {
	case *syntax.DblQuoted:
		u.Bare = false
	case *syntax.Redirect:
		if child != nil && n.Hdoc == child {
			u.Bare = false
		} else if n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc {
			u.Problem = "in the delimiter of a here-document"
		}
	case *syntax.DeclClause:
		if assign, isAssign := child.(*syntax.Assign); isAssign && assign.Naked || declaresNumber(n) {
			u.Problem = asName
		}
	case *syntax.UnaryTest:
		if slices.Contains([]syntax.UnTestOperator{syntax.TsVarSet, syntax.TsRefVar}, n.Op) {
			u.Problem = asName
		}
	case *syntax.CallExpr:
		if namesVariable(n, child) {
			u.Problem = asName
		}
	case *syntax.ParamExp:
		if n.Repl != nil || n.Exp != nil && !isDefault(n.Exp.Op) {
			u.Problem, u.Hint = asPattern, `set a variable first, x=${{ … }}, and write "$x"`
		}
	}
	if isArithmetic(n, child) {
		*u = Use{Number: true}
	}
}

// namesVariable reports whether a word of a command stands behind its -v, which names a variable.
func namesVariable(n *syntax.CallExpr, word syntax.Node) bool {
	words := wordsOf(n)
	if !slices.Contains([]string{"test", "[", "printf"}, words0(words)) {
		return false
	}
	i := slices.IndexFunc(n.Args, func(w *syntax.Word) bool { return syntax.Node(w) == word })
	return i > 0 && words[i-1] == "-v"
}

func words0(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// isArithmetic reports whether the shell computes with what is right inside a node.
func isArithmetic(n, child syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.ArithmExp, *syntax.CStyleLoop,
		*syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.FlagsArithm:
		return true
	case *syntax.ParamExp:
		return n.Index != nil && child == syntax.Node(n.Index) || n.Slice != nil
	case *syntax.Assign:
		return n.Index != nil && child == syntax.Node(n.Index)
	case *syntax.ArrayElem:
		return n.Index != nil && child == syntax.Node(n.Index)
	case *syntax.BinaryTest:
		return slices.Contains([]syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr}, n.Op)
	}
	return false
}

// isDefault reports whether the word behind an operator of ${name…} replaces a missing value, and is
// taken as it is.
func isDefault(op syntax.ParExpOperator) bool {
	return slices.Contains([]syntax.ParExpOperator{
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
	}, op)
}

// inBackquotes reports whether a node is `…`, where quotes have other rules.
func inBackquotes(n syntax.Node) bool {
	substitution, ok := n.(*syntax.CmdSubst)
	return ok && substitution.Backquotes
}

// declaresNumber reports whether the values of a declaration are arithmetic, or names of
// other variables.
func declaresNumber(n *syntax.DeclClause) bool {
	return slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
		flag := ""
		if a.Naked && a.Value != nil {
			flag = a.Value.Lit()
		}
		return strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, "in")
	})
}
