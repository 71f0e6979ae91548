package expression

import (
	"cmp"
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

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// What an expression may be at most.
const (
	maxExpressionBytes = 4 << 10
	maxExpressionNodes = 500
)

// errNotCompiled is a mistake of flow's own: the checks left an expression out.
var errNotCompiled = errors.New("expression was not compiled")

// An Expression is one piece of expr-lang in a file.
type Expression struct {
	Source  string
	Node    *tree.Node // the scalar that it stands in
	Offset  int        // of source in the node's text, in bytes
	tree    *exprparser.Tree
	program *vm.Program // nil before it is compiled, as are all fields below

	Result nature.Nature
	Steps  []StepReference
	Words  Words    // who has a say in its value
	names  []string // that it refers to, those of functions among them
	scope  *Scope
	nevers []never
}

// parseExpression checks the syntax only; [Expression.compile] checks names and types.
// The error is of type *file.Error.
func parseExpression(g *Grammar, source string) (*exprparser.Tree, error) {
	if len(source) > maxExpressionBytes {
		return nil, &file.Error{Message: fmt.Sprintf("the expression has %s bytes; the most is %s", quantity.Thousands(len(source)), quantity.Thousands(maxExpressionBytes))}
	}
	if strings.TrimSpace(source) == "" {
		return nil, &file.Error{Message: "the expression is empty"}
	}
	// A parser that is reused would start with the token that it had read ahead.
	return new(exprparser.Parser).Parse(source, g.config(nature.Nature{}, reflect.Invalid))
}

// compile checks names and types against the scope, and compiles the expression.
func (e *Expression) compile(s *Scope, want reflect.Kind) error {
	e.scope = s
	names := s.nature(e)
	// Checked without visitors first: with them the checker does not check a call again
	// once it knows its type, and drops the errors of the first round, such as an unknown
	// name among the arguments. A variable may have the name of a function in this check.
	if _, err := new(checker.Checker).Check(e.tree, s.grammar.config(names, reflect.Invalid)); err != nil && !strings.HasPrefix(err.Error(), "cannot redeclare ") {
		return err
	}
	config := s.grammar.config(names, want)
	e.nevers = s.neversIn(e.tree.Node) // before the guard changes comparisons
	guard := &guardVisitor{}
	config.Visitors = []ast.Visitor{callsVisitor{}, guard}
	if _, err := new(checker.Checker).PatchAndCheck(e.tree, config); err != nil {
		return err
	}
	if guard.err != nil {
		return guard.err
	}
	e.Result, e.Steps, e.names = *e.tree.Node.Nature(), s.stepReferences(e.tree.Node), namesIn(e.tree.Node)
	e.Words = s.wordsOf(e.tree.Node, nil)
	e.bindReaders(s)
	if err := optimizer.Optimize(&e.tree.Node, config); err != nil {
		return err
	}
	compareAbsent(e.tree.Node)
	program, err := compiler.Compile(e.tree, config)
	if err != nil {
		return err
	}
	e.program = program
	return nil
}

// compareAbsent has the compiler take no comparison for one of two texts or two numbers: a field of a step
// may be absent, and an absent value is like no other.
func compareAbsent(root ast.Node) {
	for _, node := range nodesOf[*ast.BinaryNode](root) {
		if node.Operator == "==" || node.Operator == "!=" {
			for _, side := range []ast.Node{node.Left, node.Right} {
				if contains(side, is[*ast.MemberNode]) {
					side.SetNature(nature.Nature{})
				}
			}
		}
	}
}

// Compiled reports whether the expression has been compiled without mistakes.
func (e *Expression) Compiled() bool { return e.program != nil }

// Eval evaluates the expression. The error has its source and its position.
func (e *Expression) Eval(env Env) (any, error) {
	if e.program == nil {
		return nil, errNotCompiled
	}
	env, err := e.withSteps(env) // before the meter starts: reading may take long
	if err != nil {
		return nil, e.Failure(e.Position(0), err)
	}
	machine := vm.VM{MemoryBudget: maxExpressionValues}
	value, err := machine.Run(e.program, newMeter().bind(env))
	if err == nil {
		value, err = resultOf(value)
	}
	if err == nil {
		return value, nil
	}
	var detailed *file.Error
	if !errors.As(err, &detailed) {
		return nil, e.Failure(e.Node.Position(), err)
	}
	message, hint, known := inWords(detailed.Message)
	if !known && detailed.Prev != nil {
		return nil, e.Failure(e.Position(detailed.From), detailed.Prev)
	}
	if hint != "" {
		message += " (" + hint + ")"
	}
	failed := &Failed{At: e.Position(detailed.From), source: e.short()}
	if field, why := e.absentIn(env); why != "" && strings.Contains(message, "nothing") { // see [TypeName]
		message += fmt.Sprintf("; %s is absent, because %s", field, why)
	}
	failed.err = errors.New(message)
	return nil, failed
}

// absentIn returns the first field of a step that the expression uses and the step has not, and why
// that is so; "" if there is none.
func (e *Expression) absentIn(env Env) (field, why string) {
	for _, r := range e.Steps {
		all, _ := env[r.Of].(map[string]any)
		step, _ := all[r.ID].(map[string]any)
		if r.Field == "" || r.Field == "error" || r.defaulted || step[r.Field] != nil {
			continue
		}
		status, _ := step["status"].(string)
		how := cmp.Or(endedAs[status], "has not run")
		return fmt.Sprintf("%s.%s.%s", r.Of, r.ID, r.Field), fmt.Sprintf("step %q %s", r.ID, how)
	}
	return "", ""
}

// endedAs says by the status of a step how it ended.
var endedAs = map[string]string{
	"succeeded": "has none", "failed": "failed", "skipped": "was skipped", "stopped": "was stopped",
	"cancelled": "was cancelled", "waiting": "waits for a person",
}

// Failure returns the error for an expression that could not be evaluated.
func (e *Expression) Failure(at diagnostic.Position, err error) error {
	return &Failed{At: at, source: e.short(), err: err}
}

// A Failed expression could not be evaluated. Its message begins with its place.
type Failed struct {
	At     diagnostic.Position
	source string
	err    error
}

func (f *Failed) Error() string {
	return fmt.Sprintf("%s: the expression `%s` failed: %v", f.At, f.source, f.err)
}

// Unwrap returns why it could not be evaluated.
func (f *Failed) Unwrap() error { return f.err }

// short returns the source as one line, shortened for a message.
func (e *Expression) short() string {
	const most = 80
	return tree.Clip(diagnostic.Visible(strings.Join(strings.Fields(tree.Clip(e.Source, 4*most)), " ")), most)
}

// resultOf returns a value as JSON can have it. It returns an error for one that is small in
// memory because its parts are shared, and huge once it is written.
func resultOf(value any) (any, error) {
	m := newMeter()
	m.maxTicks, m.maxText = maxResultValues, maxResultText
	return m.plain(value)
}

// Position returns the position in the file of a character of the source.
func (e *Expression) Position(character int) diagnostic.Position {
	return e.Node.At(e.Offset + byteOffset(e.Source, character))
}

// byteOffset converts an offset in characters to one in bytes.
func byteOffset(s string, characters int) int {
	offset := 0
	for ; characters > 0 && offset < len(s); characters-- {
		_, size := utf8.DecodeRuneInString(s[offset:])
		offset += size
	}
	return offset
}
