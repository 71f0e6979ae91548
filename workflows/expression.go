package workflows

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/optimizer"
	exprparser "github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// What an expression may be at most.
const (
	maxExpressionBytes = 4 << 10
	maxExpressionNodes = 500
)

// errNotCompiled is our own mistake: something that the checker forgot.
var errNotCompiled = errors.New("expression was not compiled")

// An expression is one piece of expr-lang in a file.
type expression struct {
	source  string
	node    *node // the scalar that it stands in
	offset  int   // of source in the node's text, in bytes
	tree    *exprparser.Tree
	program *vm.Program
	result  nature.Nature   // once compiled
	steps   []stepReference // what it asks of steps, once compiled
}

// parseExpression reads the syntax only; names and types come with
// [expression.compile]. The error is of type *file.Error.
func parseExpression(g *grammar, source string) (*exprparser.Tree, error) {
	if len(source) > maxExpressionBytes {
		return nil, &file.Error{Message: fmt.Sprintf("the expression has %s bytes; the most is %s", thousands(len(source)), thousands(maxExpressionBytes))}
	}
	if strings.TrimSpace(source) == "" {
		return nil, &file.Error{Message: "the expression is empty"}
	}
	// A parser that is used again would begin with what it had read ahead.
	return new(exprparser.Parser).Parse(source, g.config(nature.Nature{}, reflect.Invalid))
}

// compile checks names and types against what the scope has.
func (e *expression) compile(s *scope, want reflect.Kind) error {
	config := s.grammar.config(s.nature(e), want)
	guard := &guardVisitor{}
	config.Visitors = []ast.Visitor{callsVisitor{}, guard}
	if _, err := new(checker.Checker).PatchAndCheck(e.tree, config); err != nil {
		return err
	}
	if guard.err != nil {
		return guard.err
	}
	e.result, e.steps = *e.tree.Node.Nature(), stepReferences(e.tree.Node)
	if err := optimizer.Optimize(&e.tree.Node, config); err != nil {
		return err
	}
	program, err := compiler.Compile(e.tree, config)
	if err != nil {
		return err
	}
	e.program = program
	return nil
}

// eval computes the value. The error names the expression and its place.
func (e *expression) eval(env Env) (any, error) {
	if e.program == nil {
		return nil, errNotCompiled
	}
	env, err := e.readSteps(env) // which may take its time
	if err != nil {
		return nil, e.failure(e.place(0), err)
	}
	machine := vm.VM{MemoryBudget: maxExpressionValues}
	value, err := machine.Run(e.program, newMeter().bind(env))
	if err == nil {
		err = checkResult(value)
	}
	if err == nil {
		return value, nil
	}
	var detailed *file.Error
	switch {
	case !errors.As(err, &detailed):
		return nil, e.failure(e.node.position(), err)
	case detailed.Prev != nil:
		return nil, e.failure(e.place(detailed.From), detailed.Prev)
	}
	return nil, e.failure(e.place(detailed.From), errors.New(runtimeMessage(detailed.Message, e.source)))
}

// failure says where an expression could not be computed, and why.
func (e *expression) failure(at Position, err error) error {
	return fmt.Errorf("%s: expression %s: %w", at, e.short(), err)
}

// short gives the source in one line that is not too long for a message.
func (e *expression) short() string {
	const most = 80
	return clip(visible(strings.Join(strings.Fields(clip(e.source, 4*most)), " ")), most)
}

// checkResult refuses a value that is small in memory and huge once written,
// because its parts are shared.
func checkResult(value any) error {
	m := newMeter()
	m.mostTicks, m.mostText = maxResultValues, maxResultText
	return m.walk(value)
}

// place gives the place in the file of a character of the source.
func (e *expression) place(character int) Position {
	return e.node.at(e.offset + byteOffset(e.source, character))
}

// byteOffset turns a count of characters into one of bytes.
func byteOffset(s string, characters int) int {
	offset := 0
	for ; characters > 0 && offset < len(s); characters-- {
		_, size := utf8.DecodeRuneInString(s[offset:])
		offset += size
	}
	return offset
}
