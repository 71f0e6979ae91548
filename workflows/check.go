package workflows

import (
	"maps"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// check finds mistakes that only the whole file shows: in names, types and the order
// of steps. It compiles every expression.
func (p *parser) check() {
	base := expression.NewScope(p.reader.Grammar, map[string]types.Type{
		"inputs": p.inputsType(), "run": types.Map{"id": types.String, "dir": types.String},
		"workflow": types.Map{"name": types.String, "dir": types.String},
	})
	base.Choices = func(path []string) []string {
		if in := p.workflow.input(path[1]); path[0] == "inputs" && in != nil {
			return expression.SchemaChoices(in.keywords, path[2:])
		}
		return nil
	}
	named := p.withVariables(base, Variables{Names: p.workflow.Env.Names})
	p.compileTemplate(p.workflow.Workspace, named)
	p.compileGiven(p.workflow.Env, named)
	p.variables = p.workflow.Env
	base = p.withVariables(base, p.variables)
	p.compilePatterns(base)
	p.checkModels()
	p.checkToolNames()
	p.checkDefaults(base)
	p.checkAgents(base)
	p.checkServices(base)
	top, behind := p.checkSteps(p.workflow.Steps, base, nil, false)
	p.checkPermissions(p.workflow.Permissions, p.workflow.lent)
	p.warnDenied()
	p.checkFindings(base, top)
	for _, output := range p.workflow.Outputs {
		p.workflow.outputTypes[output.Name] = p.compileData(output.Value, behind)
	}
}

func (p *parser) inputsType() types.Type {
	given := p.root.Get("inputs")
	if given != nil && given.Kind != tree.KindMap {
		return types.TypeOf(map[string]any{}) // which has been reported
	}
	fields := types.Map{}
	if given != nil {
		for _, e := range given.Entries {
			fields[e.Key.Text] = types.Any // as it is if it could not be read
		}
	}
	for _, in := range p.workflow.Inputs {
		fields[in.Name] = expression.SchemaType(in.keywords)
	}
	return fields
}

// checkName reports a name that expressions could not refer to.
func (p *parser) checkName(name *tree.Node, of string) {
	if !isStepID(name.Text) {
		p.Errorf(name, diagnostic.CodeValue, "%q is no name for %s", name.Text, of).Hint = idHint(name.Text)
	}
}

// checkDefaults checks what steps inherit from the file. It must make sense in every
// step, so its expressions see no steps and no element.
func (p *parser) checkDefaults(base *expression.Scope) {
	agent := p.defaults.Agent
	p.workflow.Model = agent.Model
	p.compileTemplates(agent.Instructions, base)
	offers := []string{"*"}
	if p.loader.opts.Tools != nil {
		offers = p.toolNames()
	}
	p.checkSettings(p.root, agent, base, offers)
}

// checkSettings checks what a file says of an agent in one place: in a step, under
// "agents", or at its top. given is the map there; what it does not have is inherited, and
// was checked where it stands.
func (p *parser) checkSettings(given *tree.Node, a *Agent, s *expression.Scope, offers []string) {
	if given.Get("model") != nil {
		p.compileValue(a.Model, s)
	}
	if given.Get("system") != nil {
		p.compileTemplate(a.System, s)
	}
	if given.Get("tools") != nil {
		p.checkEntries(a.Tools, s)
	}
	if given.Get("stop").Get("when") != nil && a.Stop.When != nil {
		p.compileCondition(a.Stop.When, s.With(whenNames()))
		p.checkCalls(a.Stop.When, offers)
	}
}

// checkServices checks custom tools and MCP servers.
func (p *parser) checkServices(base *expression.Scope) {
	for _, tool := range p.workflow.CustomTools {
		args := types.Type(types.TypeOf(map[string]any{}))
		if data, err := tree.ParseJSON(string(tool.Parameters)); err == nil {
			args = expression.SchemaType(data)
		}
		inner := base.With(map[string]types.Type{"args": args})
		p.compileTemplates(tool.Args, inner)
		p.compileScript(tool.Script, inner)
	}
	for _, server := range p.workflow.MCP {
		p.checkServer(server, base)
	}
}

func (p *parser) checkServer(server *Server, base *expression.Scope) {
	all := slices.Concat(server.Command, slices.Collect(maps.Values(server.Env)), slices.Collect(maps.Values(server.Headers)))
	p.compileTemplates(append(all, server.URL), base)
	if address, static := server.URL.Static(); static && address != "" && !isWebAddress(address) {
		p.Errorf(server.URL.node, diagnostic.CodeValue, "the url of the server %q is no http or https URL", server.Name).Hint = addressHint
	}
}

// checkFindings compiles what the run has found, which is a list.
func (p *parser) checkFindings(base *expression.Scope, top *stepScope) {
	from := &stepScope{list: top.list, step: top.step}
	s, found := base.WithSteps(from), p.workflow.Findings
	t := p.compileValue(found, s)
	p.workflow.FindingsFrom = from.behind
	if compatible(types.Array(types.Any), t) {
		return
	}
	d := p.Errorf(found.node, diagnostic.CodeValue, "findings must be a list, not %s", expression.TypeName(t.String()))
	d.Hint = "its elements are objects with file, line and message"
	if text, isText := found.literal.(string); isText && isUnmarked(text, s) {
		d.Hint = marked(text)
	}
}

func (p *parser) compileTemplates(all []*Template, s *expression.Scope) {
	for _, t := range all {
		p.compileTemplate(t, s)
	}
}

// compileTemplate compiles the expressions of a template, which may be nil.
func (p *parser) compileTemplate(t *Template, s *expression.Scope) {
	p.compileAll(t.expressions(), s)
	p.warnOtherMarks(t, s, false)
}

// compileAll compiles expressions, each of any type.
func (p *parser) compileAll(all []*expression.Expression, s *expression.Scope) {
	for _, e := range all {
		p.reader.Compile(e, s, reflect.Invalid)
	}
}

// compileCondition compiles a condition, which may be nil.
func (p *parser) compileCondition(c *Condition, s *expression.Scope) {
	if c != nil {
		p.reader.Compile(c.expr, s, reflect.Bool)
	}
}

// compileValue compiles the expressions of a value, which may be nil, and returns the
// value's type.
func (p *parser) compileValue(v *Value, s *expression.Scope) types.Type {
	if v == nil {
		return types.Any
	}
	p.compileAll(v.expressions(), s)
	return v.typeOf()
}

// typeOf returns the type of a value whose expressions are compiled.
func (v *Value) typeOf() types.Type {
	switch {
	case v.broken:
		return types.Any
	case v.template != nil && len(v.template.parts) == 1:
		return natureType{v.template.parts[0].expr.Result}
	case v.template != nil:
		return types.String
	case v.node.Kind == tree.KindList:
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
	case v.node.Kind == tree.KindMap:
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

// A natureType makes a [types.Type] of the nature that expr's checker gave an expression.
type natureType struct{ of nature.Nature }

func (t natureType) Nature() nature.Nature       { return t.of }
func (t natureType) Equal(other types.Type) bool { return t.String() == other.String() }
func (t natureType) String() string              { return t.of.String() }
