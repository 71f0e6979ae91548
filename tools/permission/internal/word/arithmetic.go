package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// IsCopy reports whether the word after >& or <& copies, moves or closes a
// descriptor.
func IsCopy(text string) bool {
	return text == "-" || IsDigits(strings.TrimSuffix(text, "-"))
}

// Digits reports whether an arithmetic expression is a plain number, or absent.
func Digits(x syntax.ArithmExpr) bool {
	if x == nil {
		return true
	}
	word, ok := x.(*syntax.Word)
	return ok && IsDigits(word.Lit())
}

func IsDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// IsAll reports whether a subscript is @ or *.
func IsAll(x syntax.ArithmExpr) bool {
	word, ok := x.(*syntax.Word)
	return ok && (word.Lit() == "@" || word.Lit() == "*")
}

// ConstantArithmetic reports whether an expression consists of digits and operators.
func ConstantArithmetic(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		return IsDigits(x.Lit())
	case *syntax.ParenArithm:
		return ConstantArithmetic(x.X)
	case *syntax.UnaryArithm:
		return x.Op != syntax.Inc && x.Op != syntax.Dec && ConstantArithmetic(x.X)
	case *syntax.BinaryArithm:
		return ConstantArithmetic(x.X) && ConstantArithmetic(x.Y)
	}
	return false
}
