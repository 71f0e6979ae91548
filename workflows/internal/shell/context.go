package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/known"
)

// useOf judges a node of the tree by the nodes around it, the outermost first.
func useOf(stack []syntax.Node) Use {
	if slices.ContainsFunc(stack, inBackquotes) {
		return Use{Problem: "inside backquotes", Hint: "use $( )"}
	}
	return useFrom(stack, len(stack)-1, Use{Bare: true})
}

// useFrom judges a node by the nodes around it, from the one at an index outwards.
func useFrom(stack []syntax.Node, from int, use Use) Use {
	for i := from; i >= 0; i-- {
		var child syntax.Node
		if i+1 < len(stack) {
			child = stack[i+1]
		}
		switch n := stack[i].(type) {
		case *syntax.DblQuoted:
			use.Bare = false
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return use.printed(useFrom(stack, i-1, Use{}))
		case *syntax.Redirect:
			if child != nil && n.Hdoc == child {
				use.Bare = false
			} else if n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc {
				return Use{Problem: "in the delimiter of a here-document"}
			}
		case *syntax.CallExpr:
			return use.or(judgeCall(n, child, use)).piped(stack[:i])
		default:
			if problem := partProblem(n, child); problem != "" {
				return unsafeUse(problem)
			}
			use = use.fed(readerOf(n, child))
			if assign, is := n.(*syntax.Assign); is && assign.Name != nil {
				use = use.assigned(assign.Name.Value)
			}
		}
	}
	return use
}

// readerOf returns the command that reads, by a redirect or a pipe, what is in a node; nil
// for none.
func readerOf(n, child syntax.Node) syntax.Command {
	switch n := n.(type) {
	case *syntax.Stmt:
		if r, is := child.(*syntax.Redirect); is && r.Op != syntax.RdrOut && r.Op != syntax.AppOut {
			return n.Cmd
		}
	case *syntax.BinaryCmd:
		if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && child == syntax.Node(n.X) {
			return n.Y.Cmd
		}
	}
	return nil
}

// or returns judged where that says more than the use itself.
func (u Use) or(judged Use) Use {
	if judged.Problem != "" || judged.Warning != "" || judged.Ruling != "" || judged.Number {
		return judged
	}
	return u
}

// assigned adds that the value becomes a part of an environment variable, if that decides what runs.
func (u Use) assigned(name string) Use {
	if known.DecidesWhatRuns(name) {
		u.Ruling = "in the variable " + name + ", which changes what programs do"
	}
	return u
}

// harm returns why another value should not stand where this one does; "" for no reason.
// One in a pattern is most likely meant.
func (u Use) harm() string {
	if u.Warning == "" && u.Problem != asPattern {
		return u.Problem
	}
	return u.Warning
}

// fed adds a warning where the command that reads the value runs it.
func (u Use) fed(cmd syntax.Command) Use {
	if name := runsInput(cmd); name != "" && u.Warning == "" {
		u.Warning, u.Hint = "in what "+name+" reads and runs as a program", "pass it as an argument or by the environment"
	}
	return u
}

// piped adds a warning where another command reads and runs what this one prints.
func (u Use) piped(around []syntax.Node) Use {
	for i := len(around) - 1; i >= 0 && u.Warning == ""; i-- {
		switch n := around[i].(type) {
		case *syntax.BinaryCmd:
			if i+1 < len(around) {
				u = u.fed(readerOf(n, around[i+1]))
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return u.printed(useFrom(around, i-1, Use{}))
		}
	}
	return u
}

// printed adds a warning for a value in a substitution whose own use is outer. In
// arithmetic it is most likely a count.
func (u Use) printed(outer Use) Use {
	if what := outer.harm(); what != "" && u.Warning == "" && u.Problem == "" {
		u.Warning = "in what a substitution gives, which stands " + what
	}
	u.Ruling = cmp.Or(u.Ruling, outer.Ruling)
	return u
}

// unsafeUse is a use where a value is more to the shell than a word. Whether one in
// arithmetic is a number is known later.
func unsafeUse(problem string) Use {
	switch problem {
	case AsArithmetic:
		return Use{Number: true}
	case asPattern:
		return Use{Problem: problem, Hint: `set a variable first, x=${{ … }}, and write "$x"`}
	}
	return Use{Problem: problem} // a variable's value would be code there, too
}

// inBackquotes reports whether a node is `…`, where quotes have other rules.
func inBackquotes(n syntax.Node) bool {
	substitution, ok := n.(*syntax.CmdSubst)
	return ok && substitution.Backquotes
}

// AsArithmetic completes "the expression stands …" where only a number may stand.
const AsArithmetic = "where the shell evaluates it as arithmetic, which can run code"

const (
	asName    = "where the shell takes it as the name of a variable, which can run code"
	asPattern = "where the shell takes it as a pattern"
)

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

// partProblem returns what is wrong with a value right inside a node; "" for nothing.
func partProblem(n, child syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.ArithmExp, *syntax.CStyleLoop,
		*syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.FlagsArithm:
		return AsArithmetic
	case *syntax.DeclClause:
		if assign, isAssign := child.(*syntax.Assign); isAssign && assign.Naked || declaresNumber(n) {
			return asName
		}
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

// expansionProblem is partProblem for ${name…}, in which only the word that replaces a
// missing value is taken as it is.
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
