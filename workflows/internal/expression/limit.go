package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

const limitFunction = "limit"

// limit keeps at most most bytes of a text: of both ends, or of the head or the tail as
// keep says. A mark replaces what it leaves out, and no character is cut in two.
func (m *meter) limit(text string, most int, keep ...string) (string, error) {
	if most < 0 || len(keep) > 1 {
		return "", fmt.Errorf("limit takes a text, a number of bytes that is not negative, and which part to keep")
	}
	if len(text) <= most {
		return text, nil
	}
	head, tail := most-most/2, most/2
	switch strings.Join(keep, "") {
	case "", "both":
	case "head":
		head, tail = most, 0
	case "tail":
		head, tail = 0, most
	default:
		return "", fmt.Errorf(`limit keeps "head", "tail" or "both", not %q`, keep[0])
	}
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	from := len(text) - tail
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	mark := fmt.Sprintf("\n… %s bytes left out …\n", quantity.Thousands(from-head))
	limited := strings.TrimPrefix(text[:head]+mark, "\n") + text[from:]
	if from == len(text) {
		limited = strings.TrimSuffix(limited, "\n")
	}
	return limited, m.write(len(limited))
}

// SaysWhatToKeep reports whether the expression is a call of limit.
func (e *Expression) SaysWhatToKeep() bool {
	if e.tree == nil {
		return false
	}
	call, isCall := e.tree.Node.(*ast.CallNode)
	return isCall && isIdentifier(call.Callee, limitFunction)
}
