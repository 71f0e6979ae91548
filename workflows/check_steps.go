package workflows

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// checkSteps checks a list of steps, each after those that it waits for, and returns the
// scope of what comes after the list, and the names there. outer is the scope of the group
// that the list is in; nil at the top. If the list repeats, its steps see the round before.
func (p *parser) checkSteps(steps []*Step, base *expression.Scope, outer *stepScope, repeats bool) (*stepScope, *expression.Scope) {
	list := &stepList{steps: steps, outer: outer, indexes: map[string]int{}, needs: make([][]int, len(steps)), natures: make([]nature.Nature, len(steps))}
	p.checkIDs(list)
	p.checkNeeds(list)
	if repeats {
		for i, step := range steps { // a step may refer to a later one in the round before
			list.natures[i] = stepType(step).Nature()
		}
		alone := *list
		alone.outer = nil
		base = base.WithPrevious(&stepScope{list: &alone, step: -1})
	}
	for _, i := range list.order {
		visible := &stepScope{list: list, step: i}
		p.checkStep(steps[i], base.WithSteps(visible), visible)
		list.natures[i] = stepType(steps[i]).Nature()
	}
	after := &stepScope{list: list, step: -1}
	return after, base.WithSteps(after)
}

// checkIDs indexes the steps of a list by id, and reports invalid ids.
func (p *parser) checkIDs(list *stepList) {
	for i, s := range list.steps {
		id := s.node.Get("id")
		if id == nil || p.ReportedAt(id) {
			continue
		}
		switch first, twice := list.indexes[s.ID]; {
		case !isStepID(s.ID):
			p.Errorf(id, diagnostic.CodeID, "%q is no id", s.ID).Hint = idHint(s.ID)
		case list.unnamed(s.ID) != nil:
			p.Errorf(id, diagnostic.CodeID, "%q is the name of the step without an id in line %d", s.ID, list.unnamed(s.ID).node.Line).
				Hint = "give that step an id, or this one another"
		case twice:
			p.Errorf(id, diagnostic.CodeID, "the id %q is taken by the step in line %d", s.ID, list.steps[first].node.Line)
		default:
			list.indexes[s.ID] = i
		}
	}
}

// checkNeeds sets which steps each step waits for, and reports invalid needs.
func (p *parser) checkNeeds(list *stepList) {
	for i, s := range list.steps {
		if s.node.Get("needs") == nil {
			if i > 0 {
				list.needs[i] = []int{i - 1}
			}
			continue
		}
		for _, need := range s.needs {
			index, known := list.indexes[need.Text]
			switch {
			case !known:
				p.Errorf(need.Node, diagnostic.CodeNeeds, "the step needs %q, but no step beside it has that id", need.Text).Hint = cmp.Or(list.groupHint(need.Text), tree.DidYouMean(need.Text, list.ids(i)))
			case index == i:
				p.Errorf(need.Node, diagnostic.CodeNeeds, "the step %q needs itself", need.Text)
			case slices.Contains(list.needs[i], index):
				p.Errorf(need.Node, diagnostic.CodeNeeds, "the step needs %q twice", need.Text)
			default:
				list.needs[i] = append(list.needs[i], index)
			}
		}
	}
	if cycle := list.sort(); cycle != nil {
		p.reportCycle(list, cycle)
		list.sort()
	}
	for i, s := range list.steps {
		s.Needs = list.needs[i]
		if s.node.Get("needs") != nil {
			s.Depends = slices.Clone(s.Needs)
		}
	}
}

// reportCycle reports steps that wait for each other.
func (p *parser) reportCycle(list *stepList, cycle []int) {
	names := make([]string, len(cycle))
	at := -1
	for k, i := range cycle {
		names[k] = list.steps[i].Name
		if at < 0 && list.steps[i].node.Get("needs") != nil {
			at = i
		}
	}
	n := list.steps[max(at, 0)].node
	p.Errorf(n.Key("needs"), diagnostic.CodeNeeds, "steps wait for each other: %s", strings.Join(append(names, names[0]), " → ")).
		Hint = "a step without needs waits for the one above it: with needs: [] it waits for none, or it stands above"
	list.needs = make([][]int, len(list.steps)) // so that the rest can be checked
	for i := range list.needs[1:] {
		list.needs[i+1] = []int{i}
	}
}

// checkStep checks one step. It sees the steps of visible.
func (p *parser) checkStep(step *Step, s *expression.Scope, visible *stepScope) {
	p.checkTogether(step)
	if step.If != nil {
		p.compileCondition(step.If, s.With(statusNames()))
	}
	if step.Foreach != nil {
		s = p.checkForeach(step, s, visible)
		p.compileCondition(step.When, s)
		p.compileTemplate(step.Label, s)
	}
	around := p.variables
	s = p.checkSurroundings(step, s)
	p.checkWork(step, s, visible)
	p.variables = around
}

// checkWork checks what a step does, as its kind says.
func (p *parser) checkWork(step *Step, s *expression.Scope, visible *stepScope) {
	switch step.Kind {
	case KindPrompt:
		p.checkAgent(step, s)
	case KindRun:
		p.compileScript(step.Command.Script, s)
		p.warnVariables(step.Command.Script, s)
	case KindTool:
		p.compileWith(step, s)
		p.checkPermissions(step.Permissions, nil)
		if !p.ReportedAt(step.node.Get("tool")) {
			p.checkCall(step)
			p.warnCommand(step)
		}
	case KindAsk:
		p.compileTemplate(step.Question.Text, s)
		p.compileData(step.Question.Default, s)
	case KindUses:
		p.compileWith(step, s)
		if !p.ReportedAt(step.node.Get("uses")) {
			p.checkUse(step)
		}
	case KindGroup:
		p.checkGroup(step, s, visible)
	case KindEnd:
		p.compileTemplate(step.End.Message, s)
		if step.End.Fails && step.End.Message == nil {
			p.Errorf(step.node.Get("end"), diagnostic.CodeKey, "end: failed needs a \"message\" that says why")
		}
	}
}

// checkTogether reports keys that mean nothing without others, or contradict them.
func (p *parser) checkTogether(s *Step) {
	has := func(key string) bool { return s.node.Get(key) != nil }
	report := func(key string, holds bool, format string, args ...any) {
		if holds && has(key) {
			p.Errorf(s.node.Key(key), diagnostic.CodeKey, format, args...)
		}
	}
	for _, pair := range [][2]string{{"as", "foreach"}, {"label", "foreach"}, {"max_parallel", "foreach"}, {"max_failures", "foreach"}, {"max_rounds", "until"}, {"max_fixes", "checks"}, {"when", "foreach"}} {
		report(pair[0], !has(pair[1]), "%q means nothing without %q", pair[0], pair[1])
	}
	report("outputs", has("output"), `"outputs" contradicts "output": a group with outputs returns a map of them`)
	report("max_failures", has("foreach") && !s.OnError.GoesOn(), `"max_failures" means nothing without "on_error: continue" or "finish"`)
	report("retry", s.Once, `"retry" contradicts "once": a step that may begin once has one attempt`)
	if s.Once {
		s.Retry.MaxAttempts = 1 // the file's default does not apply to it
	}
	if !has("foreach") && s.OnError == OnErrorFinish {
		p.Errorf(s.node.Get("on_error"), diagnostic.CodeValue, "on_error: finish means nothing without \"foreach\"")
	}
	p.checkBudget(s)
}

// checkBudget reports a budget that bounds nothing.
func (p *parser) checkBudget(s *Step) {
	budget, key := s.node.Get("budget"), s.node.Key("budget")
	switch {
	case budget == nil || p.ReportedAt(key):
	case s.node.Get("foreach") == nil && s.Works():
		wrong := p.Errorf(key, diagnostic.CodeKey, `"budget" means nothing without "foreach", "steps" or "uses"`)
		if wrong.Hint = `a group has it: put the step into one, under "steps"`; s.Kind == KindPrompt {
			wrong.Hint = `an agent is bounded by "stop": {max_tokens: …, max_cost_usd: …}`
		}
	case s.Budget.GoesOn && budget.Get("cost_usd") == nil && budget.Get("tokens") == nil && budget.Get("time") == nil:
		p.Errorf(budget, diagnostic.CodeKey, `"on_limit" means nothing without a limit`)
	}
}

// checkForeach returns the scope of what a step does for each element.
func (p *parser) checkForeach(step *Step, s *expression.Scope, visible *stepScope) *expression.Scope {
	t := p.compileValue(step.Foreach, s)
	element, ok := elementOf(t)
	found := expression.TypeName(t.String())
	if n := t.Nature(); expression.IsStep(&n) {
		ok, found = false, "a step"
	}
	if !ok {
		p.Errorf(step.node.Get("foreach"), diagnostic.CodeExpression, "foreach takes a list or a map, not %s", found).Hint = elementsHint(step.Foreach, s)
	}
	name := step.As
	if as := step.node.Get("as"); as != nil && (s.Has(name) || !isVariableName(name) || name == "steps" || name == "index") {
		p.Errorf(as, diagnostic.CodeValue, "%q can't be the name of the element", name).Hint = "a name is made of a letter or _, then letters, digits and _, and is none that expressions have already"
		return s
	}
	return s.With(map[string]types.Type{name: element, "index": types.Int})
}

// elementsHint says how a value becomes a list: by its marks, or by the output of the step that it refers to.
func elementsHint(v *Value, s *expression.Scope) string {
	if isUnmarked(v.Source(), s) {
		return marked(v.Source())
	}
	for _, e := range v.expressions() {
		for _, ref := range e.Steps {
			return fmt.Sprintf("add output: lines (or json) to the step %[1]q, and take ${{ steps.%[1]s.output }}", ref.ID)
		}
	}
	return `such as [a, b], ${{ glob("docs/*.md") }}, or the output of a step with "output: lines"`
}

// elementOf returns the type of the elements of a value for foreach; false where the value
// can't have any.
func elementOf(t types.Type) (types.Type, bool) {
	n := t.Nature()
	switch n.Kind {
	case reflect.Slice, reflect.Array:
		return natureType{n.Elem(nil)}, true
	case reflect.Map:
		value := types.Type(types.Any)
		if n.TypeData == nil || len(n.Fields) == 0 {
			value = natureType{n.Elem(nil)}
		}
		return types.Map{"key": types.String, "value": value}, true
	}
	return types.Any, expression.IsUnknown(&n)
}

// checkAgent checks what an agent step says itself.
func (p *parser) checkAgent(step *Step, s *expression.Scope) {
	agent := step.Agent
	p.compileTemplate(agent.Prompt, s)
	p.checkSettings(step.node, agent, s, offersOf(agent.Tools))
	p.compileChecks(step, s)
	p.checkPermissions(step.Permissions, p.linkTools(step))
	p.checkOffers(step)
}

// compileChecks compiles the checks of an agent step, whose names include its result.
func (p *parser) compileChecks(step *Step, s *expression.Scope) {
	if len(step.Agent.Checks) == 0 {
		return
	}
	s = s.With(map[string]types.Type{"output": step.elementOutput(), "text": types.String})
	for _, check := range step.Agent.Checks {
		p.compileCondition(check.Expr, s)
		p.compileScript(check.Script, s)
		p.warnVariables(check.Script, s)
	}
}

func (p *parser) compileWith(step *Step, s *expression.Scope) {
	for _, v := range step.With {
		p.compileData(v, s)
	}
}

// checkGroup checks the steps of a group, which see what the group sees.
func (p *parser) checkGroup(step *Step, s *expression.Scope, visible *stepScope) {
	group := step.Group
	repeats := step.node.Get("until") != nil
	if repeats {
		s = s.With(map[string]types.Type{"round": types.Int})
	}
	_, inner := p.checkSteps(group.Steps, s, visible, repeats)
	p.compileCondition(group.Until, inner)
	if len(group.Outputs) == 0 {
		return
	}
	fields := types.Map{}
	for _, output := range group.Outputs {
		fields[output.Name] = p.compileData(output.Value, inner)
	}
	step.returned = fields
}

// stepOutput returns the type of a step's output: a list where it has foreach.
func (s *Step) stepOutput() types.Type {
	if s.Foreach != nil {
		return types.Array(s.elementOutput())
	}
	return s.elementOutput()
}

// elementOutput returns the type of the output of a step, or of one of its elements.
func (s *Step) elementOutput() types.Type {
	switch {
	case s.Output.Kind == OutputLines:
		return types.Array(types.String)
	case s.Output.Kind == OutputJSON:
		return types.Any
	case s.Output.Kind == OutputSchema:
		return expression.SchemaType(s.Output.keywords)
	case s.node.Get("output") != nil:
		return types.String
	case s.returned != nil:
		return s.returned
	case s.Kind == KindGroup && len(s.Group.Outputs) == 0 && len(s.Group.Steps) > 0:
		last := s.Group.Steps[len(s.Group.Steps)-1]
		if last.If != nil { // it may be skipped, and then another one is the last
			return types.Any
		}
		return last.stepOutput()
	case s.Kind == "" || s.Kind == KindGroup || s.Kind == KindUses:
		return types.Any
	}
	return types.String
}

// stepType returns the type of a step in expressions.
func stepType(s *Step) types.Map {
	output := s.elementOutput()
	common := types.Map{
		"status": types.String, "text": types.String, "usage": usageType(), "stop_reason": types.String,
		"error": types.Map{"kind": types.String, "message": types.String}, // nil without an error: steps.x.error?.kind
	}
	once := maps.Clone(common)
	once["output"] = output
	switch s.Kind {
	case KindRun:
		once["exit_code"] = types.Int
	case KindPrompt:
		once["turns"] = types.Int
	case KindAsk:
		if s.Question.Comment {
			once["comment"] = types.String
		}
	case "": // reported; it may be of any kind
		once["exit_code"], once["turns"] = types.Int, types.Int
	}
	if s.Foreach == nil {
		return once
	}
	once["index"], once["item"] = types.Int, types.Any
	common["output"], common["results"] = types.Array(output), types.Array(once)
	return common
}

// described names the step in a message.
func (s *Step) described() string {
	if s.ID != "" {
		return fmt.Sprintf("the step %q", s.ID)
	}
	return fmt.Sprintf("the step in line %d", s.node.Line)
}
