package script

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// words walks what runs while words are expanded.
func (w *walker) words(list []*syntax.Word, at Cwd) {
	for _, word := range list {
		w.word(word, at)
	}
}

func (w *walker) word(word *syntax.Word, at Cwd) {
	if word != nil {
		w.parts(word.Parts, at)
	}
}

func (w *walker) parts(parts []syntax.WordPart, at Cwd) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			w.parts(slices.DeleteFunc(slices.Clone(part.Parts), isLiteral), at)
		case *syntax.CmdSubst:
			if part.TempFile || part.ReplyVar {
				w.refuse("it holds a substitution of another shell")
			}
			w.nested(part.Stmts, at)
		case *syntax.ProcSubst:
			w.unordered = true
			w.nested(part.Stmts, at)
		case *syntax.ParamExp:
			w.param(part, at)
		case *syntax.ArithmExp:
			if !word.ConstantArithmetic(part.X) {
				w.construct(part, "it evaluates arithmetic that names a variable")
			}
			w.arithmetic(part.X, at)
		default:
			w.refuse(fmt.Sprintf("it holds a word that is not known here (%T)", part))
		}
	}
}

// isLiteral reports whether a part of double quotes is known text, and runs nothing.
func isLiteral(part syntax.WordPart) bool {
	c, ok := part.(*syntax.CmdSubst)
	if !ok {
		return false
	}
	_, ok = word.LiteralText(c)
	return ok
}

// param walks ${…}. The forms that assign a variable, expand one named by another, or
// evaluate arithmetic are guarded.
func (w *walker) param(p *syntax.ParamExp, at Cwd) {
	if p.Flags != nil || p.NestedParam != nil || p.Width || p.IsSet || len(p.Modifiers) > 0 ||
		p.Split != syntax.OptUnset || p.GlobSubst != syntax.OptUnset || p.RcExpand != syntax.OptUnset || p.Param == nil {
		w.refuse("it holds an expansion of another shell")
		return
	}
	w.noteValue(p)
	if why := guardedParam(p); why != "" {
		w.construct(p, why)
	}
	w.arithmetic(p.Index, at)
	if p.Slice != nil {
		w.arithmetic(p.Slice.Offset, at)
		w.arithmetic(p.Slice.Length, at)
	}
	if p.Repl != nil {
		w.substitute(p.Repl.Orig, at)
		w.substitute(p.Repl.With, at)
	}
	if p.Exp != nil {
		w.substitute(p.Exp.Word, at)
	}
}

// substitute walks a word inside ${…}, where the parser takes a process
// substitution for text.
func (w *walker) substitute(word *syntax.Word, at Cwd) {
	if word == nil {
		return
	}
	syntax.Walk(word, func(n syntax.Node) bool {
		lit, ok := n.(*syntax.Lit)
		if ok && (strings.Contains(lit.Value, "<(") || strings.Contains(lit.Value, ">(")) {
			w.refuse("an expansion holds a process substitution")
		}
		return !walkedByItself(n)
	})
	w.word(word, at)
}

// walkedByItself reports whether parts walks the inside of a node anyway.
func walkedByItself(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp:
		return true
	}
	return false
}

// guardedParam returns why an expansion is guarded, or "".
func guardedParam(p *syntax.ParamExp) string {
	switch {
	case p.Excl || p.Names != 0:
		return "it expands a variable named by another (${!…})"
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		return "it transforms a variable (${…@…})"
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		return "an expansion assigns a variable"
	case p.Slice != nil && !(word.Digits(p.Slice.Offset) && word.Digits(p.Slice.Length)):
		return "an offset in an expansion is not a plain number"
	case p.Index != nil && !word.Digits(p.Index) && !word.IsAll(p.Index):
		return "a subscript is not a plain number"
	}
	return ""
}

// arithmetic walks the words in an expression.
func (w *walker) arithmetic(x syntax.ArithmExpr, at Cwd) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		w.word(x, at)
	case *syntax.ParenArithm:
		w.arithmetic(x.X, at)
	case *syntax.UnaryArithm:
		w.arithmetic(x.X, at)
	case *syntax.BinaryArithm:
		w.arithmetic(x.X, at)
		w.arithmetic(x.Y, at)
	default:
		w.refuse("it holds arithmetic of another shell")
	}
}

// testClause walks [[ … ]].
func (w *walker) testClause(clause *syntax.TestClause, at Cwd) {
	w.units = append(w.units, &Unit{Source: w.text(clause), NeedsNoRule: true, Name: "[[", Forms: []program.Form{{Name: word.Of("[[")}},
		Allows: []AllowForm{{Words: []word.Word{word.Of("[[")}}}})
	w.test(clause.X, at)
}

func (w *walker) test(x syntax.TestExpr, at Cwd) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		w.word(x, at)
	case *syntax.ParenTest:
		w.test(x.X, at)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			w.construct(x, "it tests a variable by name")
		}
		w.test(x.X, at)
	case *syntax.BinaryTest:
		if isNumeric(x.Op) && !(digitsTest(x.X) && digitsTest(x.Y)) {
			w.construct(x, "it compares as numbers what is not digits")
		}
		w.test(x.X, at)
		w.test(x.Y, at)
	default:
		w.refuse("it holds a test that is not known here")
	}
}

func isNumeric(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

func digitsTest(x syntax.TestExpr) bool {
	node, ok := x.(*syntax.Word)
	return ok && word.IsDigits(node.Lit())
}
