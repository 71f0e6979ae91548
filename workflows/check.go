package workflows

import (
	"errors"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
)

// check looks at what only the whole file can tell: names, types and the order
// of steps. It compiles every expression.
func (p *parser) check(d *fileDraft) {
	base := newScope(p.grammar, map[string]types.Type{
		"inputs": p.inputsType(), "env": p.envType(), "run": runType(), "workflow": workflowType(),
	})
	base.why = map[string]string{
		"item": "it is the element of a step with foreach", "index": "it counts the elements of a step with foreach",
		"round": "it counts the rounds of a group with until", "steps": "steps can't be named here",
		"success": "only if asks it", "failure": "only if asks it", "always": "only if asks it",
		"output": "checks have it; elsewhere it is steps.<id>.output", "args": "custom tools have it",
		"calls": "only stop.when has it", "turn": "only stop.when has it", "finished": "only stop.when has it",
		"secrets": "a secret is read by env.<name>", "vars": "values given by the caller are inputs", "params": "values given by the caller are inputs",
		"needs": "a step that has ended is steps.<id>", "jobs": "a step that has ended is steps.<id>",
		"NOT": "it is written not", "True": "it is written true", "False": "it is written false", "null": "it is written nil", "None": "it is written nil",
		"matrix": "the element of a foreach is item", "github": "flow has inputs, env, steps, run and workflow",
	}
	p.checkNames(d)
	p.checkModels(d)
	p.checkToolNames()
	p.checkDefaults(d, base)
	p.checkServices(base)
	top := p.checkSteps(d.steps, base, nil, "")
	p.checkPermissions(p.workflow.Permissions, p.lent)
	for _, output := range p.workflow.Outputs {
		p.outputTypes[output.Name] = p.compileData(output.Value, base.withSteps(top))
	}
}

// inputsType gives the types of the inputs, by name.
func (p *parser) inputsType() types.Type {
	fields := types.Map{}
	for _, in := range p.workflow.Inputs {
		fields[in.Name] = schemaType(in.keywords)
	}
	return fields
}

// envType gives the variables that may be read. A variable that is not set is
// nil, which expr takes for a string, too: `env.X ?? "default"` is right.
func (p *parser) envType() types.Type {
	fields := types.Map{}
	for _, name := range p.workflow.Env {
		fields[name] = types.String
	}
	return fields
}

// checkNames looks at the names that the user gives to things.
func (p *parser) checkNames(d *fileDraft) {
	for _, list := range [][]word{d.env, d.secrets} {
		for i, name := range list {
			if !isVariableName(name.text) {
				p.errorf(name.node, codeValue, "%q is no name of an environment variable", name.text)
			}
			if slices.ContainsFunc(list[:i], func(w word) bool { return w.text == name.text }) {
				p.errorf(name.node, codeValue, "%q is named twice", name.text)
			}
		}
	}
	for _, in := range d.inputs {
		if !isStepID(in.name.text) {
			p.errorf(in.name, codeValue, "%q is no name for an input", in.name.text).Hint = idSyntax
		}
	}
	for _, out := range d.outputs {
		if !isStepID(out.name.text) {
			p.errorf(out.name, codeValue, "%q is no name for an output", out.name.text).Hint = idSyntax
		}
	}
}

// checkDefaults compiles what steps take over from the file. It must make sense
// in every step, so it sees no steps and no element.
func (p *parser) checkDefaults(d *fileDraft, base *scope) {
	p.compileTemplate(p.workflow.Workspace, base)
	p.compileValue(d.defaults.model, base)
	p.workflow.Model = d.defaults.model
	p.compileTemplate(d.defaults.system, base)
	for _, t := range d.defaults.instructions {
		p.compileTemplate(t, base)
	}
	p.compileCondition(d.defaults.stop.When, base.with(whenNames()))
	if p.loader.opts.Tools != nil {
		p.checkCalls(d.defaults.stop.When, p.toolNames())
	}
	p.checkEntries(d.defaults.tools, base)
}

// checkServices compiles what custom tools and servers are started with.
func (p *parser) checkServices(base *scope) {
	for _, tool := range p.workflow.CustomTools {
		args := types.Type(types.TypeOf(map[string]any{}))
		if data, err := parseJSON(string(tool.Parameters)); err == nil {
			args = schemaType(data)
		}
		inner := base.with(map[string]types.Type{"args": args})
		for _, t := range tool.Args {
			p.compileTemplate(t, inner)
		}
		p.compileScript(tool.Script, inner)
	}
	for _, server := range p.workflow.MCP {
		p.checkServer(server, base)
	}
}

// checkServer compiles what one server is started or reached with.
func (p *parser) checkServer(server *Server, base *scope) {
	for _, t := range server.Command {
		p.compileTemplate(t, base)
	}
	for _, t := range server.Env {
		p.compileTemplate(t, base)
	}
	for _, t := range server.Headers {
		p.compileTemplate(t, base)
	}
	p.compileTemplate(server.URL, base)
}

// compileTemplate compiles the expressions of a template that may be nil.
func (p *parser) compileTemplate(t *Template, s *scope) {
	if t == nil {
		return
	}
	for _, e := range t.expressions() {
		p.compile(e, s, reflect.Invalid)
	}
}

// compileCondition compiles a condition that may be nil.
func (p *parser) compileCondition(c *Condition, s *scope) {
	if c != nil {
		p.compile(c.expr, s, reflect.Bool)
	}
}

// compileValue compiles the expressions of a value that may be nil, and gives
// the value's type.
func (p *parser) compileValue(v *Value, s *scope) types.Type {
	if v == nil {
		return types.Any
	}
	for _, e := range v.expressions() {
		p.compile(e, s, reflect.Invalid)
	}
	return v.typeOf()
}

// typeOf gives the type of a value whose expressions are compiled.
func (v *Value) typeOf() types.Type {
	switch {
	case v.template != nil && len(v.template.parts) == 1:
		return natureType{v.template.parts[0].expr.result}
	case v.template != nil:
		return types.String
	case v.node.kind == kindList:
		if len(v.items) == 0 {
			return types.Array(types.Any)
		}
		first := v.items[0].typeOf()
		for _, item := range v.items[1:] {
			if item.typeOf().String() != first.String() {
				return types.Array(types.Any)
			}
		}
		return types.Array(first)
	case v.node.kind == kindMap:
		fields := types.Map{}
		for _, key := range v.keys {
			fields[key] = v.values[key].typeOf()
		}
		return fields
	case v.literal == nil:
		return types.Any
	}
	return types.TypeOf(v.literal)
}

// A natureType is a type that an expression was found to have.
type natureType struct{ of nature.Nature }

// Nature gives the type as expr's checker knows it.
func (t natureType) Nature() nature.Nature { return t.of }

// Equal reports whether two types read the same.
func (t natureType) Equal(other types.Type) bool { return t.String() == other.String() }

// String names the type.
func (t natureType) String() string { return t.of.String() }

// compile checks one expression and reports what is wrong with it.
func (p *parser) compile(e *expression, s *scope, want reflect.Kind) {
	if e.program != nil || e.tree == nil || p.full() {
		return
	}
	if !p.checkReferences(e, s) {
		return
	}
	err := e.compile(s, want)
	if err == nil {
		p.checkWords(e)
		return
	}
	var detailed *file.Error
	if errors.As(err, &detailed) {
		p.explain(e, s, p.expressionError(e, err), detailed)
	} else {
		p.wrongResult(e)
	}
	if e.node.style == stylePlain {
		p.cutOff(e.node)
	}
	e.tree = nil
}

// wrongResult reports a condition that is neither true nor false.
func (p *parser) wrongResult(e *expression) {
	result := e.tree.Node.Nature()
	if isUnknown(result) {
		p.errorWithin(e.node, e.offset, len(e.source), codeExpression, "the condition may be something else than true or false").
			Hint = "compare it: … == true"
		return
	}
	p.errorWithin(e.node, e.offset, len(e.source), codeExpression, "the condition must be true or false, not %s", plainMessage(result.String()))
}

// checkReferences reports steps that do not exist, or can't have ended when the
// expression is computed.
func (p *parser) checkReferences(e *expression, s *scope) bool {
	ok := true
	report := func(at file.Location, length int, code, format string, args ...any) *Diagnostic {
		ok = false
		return p.errorWithin(e.node, e.offset+byteOffset(e.source, at.From), length, code, format, args...)
	}
	if s.steps == nil {
		return true
	}
	for _, n := range bareSteps(e.tree.Node) {
		report(n.Location(), len("steps"), codeReference, "steps must be followed by the id of a step").Hint = "such as steps.build.text"
	}
	for _, r := range stepReferences(e.tree.Node) {
		problem, hint := s.steps.problem(r.id)
		if problem == "" {
			problem, hint = s.steps.fieldProblem(r)
			if problem != "" {
				at := r.fieldAt.Location()
				report(at, len(r.field), codeExpression, "%s", problem).Hint = hint
			}
			continue
		}
		report(r.at.Location(), len(r.id), codeReference, "%s", problem).Hint = hint
	}
	return ok
}
