package pattern

import (
	"runtime"
	"testing"
)

// TestExpression: rules share an expression as long as any of them has it.
func TestExpression(t *testing.T) {
	const source = "^a test of this alone$"
	if first, second := Expression(source), Expression(source); first != second || !first.MatchString("a test of this alone") {
		t.Error("it is compiled twice, or wrong")
	}
	for range 1000 {
		runtime.GC()
		if _, kept := expressions.Load(source); !kept {
			return
		}
	}
	t.Error("it stays when nothing has it")
}
