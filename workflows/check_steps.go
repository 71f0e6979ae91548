package workflows

import (
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
func (p *parser) checkSteps(drafts []*stepDraft, base *expression.Scope, outer *stepScope, repeats bool) (*stepScope, *expression.Scope) {
	list := &stepList{drafts: drafts, outer: outer, indexes: map[string]int{}, needs: make([][]int, len(drafts)), natures: make([]nature.Nature, len(drafts))}
	p.checkIDs(list)
	p.checkNeeds(list)
	if repeats {
		for i, d := range drafts { // a step may refer to a later one in the round before
			list.natures[i] = stepType(d.step, p.elementOutput(d)).Nature()
		}
		alone := *list
		alone.outer = nil
		base = base.WithPrevious(&stepScope{list: &alone, step: -1})
	}
	for _, i := range list.order() {
		visible := &stepScope{list: list, step: i}
		p.checkStep(drafts[i], base.WithSteps(visible), visible)
		list.natures[i] = stepType(drafts[i].step, p.elementOutput(drafts[i])).Nature()
	}
	after := &stepScope{list: list, step: -1}
	return after, base.WithSteps(after)
}

// checkIDs indexes the steps of a list by id, and reports invalid ids.
func (p *parser) checkIDs(list *stepList) {
	for i, d := range list.drafts {
		if d.id.Node == nil {
			continue
		}
		switch first, twice := list.indexes[d.id.Text]; {
		case !isStepID(d.id.Text):
			p.Errorf(d.id.Node, diagnostic.CodeID, "%q is no id", d.id.Text).Hint = idHint(d.id.Text)
		case list.unnamed(d.id.Text) != nil:
			p.Errorf(d.id.Node, diagnostic.CodeID, "%q is the name of the step without an id in line %d", d.id.Text, list.unnamed(d.id.Text).node.Line).
				Hint = "give that step an id, or this one another"
		case twice:
			p.Errorf(d.id.Node, diagnostic.CodeID, "the id %q is taken by the step in line %d", d.id.Text, list.drafts[first].node.Line)
		default:
			list.indexes[d.id.Text] = i
		}
	}
}

// checkNeeds sets which steps each step waits for, and reports invalid needs.
func (p *parser) checkNeeds(list *stepList) {
	for i, d := range list.drafts {
		if _, given := d.present["needs"]; !given {
			if i > 0 {
				list.needs[i] = []int{i - 1}
			}
			continue
		}
		for _, need := range d.needs {
			index, known := list.indexes[need.Text]
			switch {
			case !known:
				p.Errorf(need.Node, diagnostic.CodeNeeds, "the step needs %q, but no step beside it has that id", need.Text).Hint = tree.DidYouMean(need.Text, list.ids(i))
			case index == i:
				p.Errorf(need.Node, diagnostic.CodeNeeds, "the step %q needs itself", need.Text)
			case slices.Contains(list.needs[i], index):
				p.Errorf(need.Node, diagnostic.CodeNeeds, "the step needs %q twice", need.Text)
			default:
				list.needs[i] = append(list.needs[i], index)
			}
		}
	}
	if cycle := list.cycle(); cycle != nil {
		p.reportCycle(list, cycle)
	}
	list.close()
	for i, d := range list.drafts {
		d.step.Needs = list.needs[i]
		if _, given := d.present["needs"]; given {
			d.step.Depends = slices.Clone(d.step.Needs)
		}
	}
}

// reportCycle reports steps that wait for each other.
func (p *parser) reportCycle(list *stepList, cycle []int) {
	names := make([]string, len(cycle))
	at := -1
	for k, i := range cycle {
		names[k] = list.drafts[i].step.Name
		if _, given := list.drafts[i].present["needs"]; given && at < 0 {
			at = i
		}
	}
	d := list.drafts[max(at, 0)]
	n := d.node
	if e, given := d.present["needs"]; given {
		n = e.Key
	}
	p.Errorf(n, diagnostic.CodeNeeds, "steps wait for each other: %s", strings.Join(append(names, names[0]), " → ")).
		Hint = "a step without needs waits for the one above it: with needs: [] it waits for none, or it stands above"
	list.needs = make([][]int, len(list.drafts)) // so that the rest can be checked
	for i := range list.needs[1:] {
		list.needs[i+1] = []int{i}
	}
}

// checkStep checks one step. It sees the steps of visible.
func (p *parser) checkStep(d *stepDraft, s *expression.Scope, visible *stepScope) {
	step := d.step
	p.checkTogether(d)
	if step.If != nil {
		p.compileCondition(step.If, s.With(statusNames()))
	}
	if step.Foreach != nil {
		s = p.checkForeach(d, s, visible)
		p.compileCondition(step.When, s)
		p.compileTemplate(step.Label, s)
	}
	around := p.variables
	s = p.checkSurroundings(step, s)
	p.checkWork(d, s, visible)
	p.variables = around
}

// checkWork checks what a step does, as its kind says.
func (p *parser) checkWork(d *stepDraft, s *expression.Scope, visible *stepScope) {
	step := d.step
	switch step.Kind {
	case KindPrompt:
		p.checkAgent(d, s)
	case KindRun:
		p.compileScript(step.Command.Script, s)
		p.warnVariables(step.Command.Script, s)
	case KindTool:
		p.compileWith(d, s)
		p.checkPermissions(d.agent.Permissions, nil)
		if d.tool.Node != nil {
			p.checkCall(d)
			p.warnDeniedCall(step.Call, d.tool.Node)
			p.warnCommand(step.Call)
		}
	case KindAsk:
		p.checkQuestion(d, s)
	case KindUses:
		p.compileWith(d, s)
		if d.uses.Node != nil {
			p.checkUse(d)
		}
	case KindGroup:
		p.checkGroup(d, s, visible)
	case KindEnd:
		p.compileTemplate(step.End.Message, s)
		if e, there := d.present["end"]; there && step.End.Fails && step.End.Message == nil && !p.ReportedAt(e.Value) {
			p.Errorf(e.Value, diagnostic.CodeKey, "end: failed needs a \"message\" that says why")
		}
	}
}

// checkTogether reports keys that mean nothing without others, or contradict them.
func (p *parser) checkTogether(d *stepDraft) {
	for _, pair := range [][2]string{{"as", "foreach"}, {"label", "foreach"}, {"max_parallel", "foreach"}, {"max_failures", "foreach"}, {"max_rounds", "until"}, {"max_fixes", "checks"}, {"when", "foreach"}} {
		e, there := d.present[pair[0]]
		if _, beside := d.present[pair[1]]; there && !beside {
			p.Errorf(e.Key, diagnostic.CodeKey, "%q means nothing without %q", pair[0], pair[1])
		}
	}
	if e, there := d.present["outputs"]; there && d.present["output"].Key != nil {
		p.Errorf(e.Key, diagnostic.CodeKey, "\"outputs\" contradicts \"output\": a group with outputs returns a map of them")
	}
	p.checkFailures(d)
	p.checkOnce(d)
	p.checkBudget(d)
}

// checkBudget reports a budget that bounds nothing.
func (p *parser) checkBudget(d *stepDraft) {
	e, there := d.present["budget"]
	_, fans := d.present["foreach"]
	b := d.step.Budget
	switch {
	case !there || p.ReportedAt(e.Key):
	case !fans && d.step.Works():
		wrong := p.Errorf(e.Key, diagnostic.CodeKey, `"budget" means nothing without "foreach", "steps" or "uses"`)
		if wrong.Hint = `a group has it: put the step into one, under "steps"`; d.step.Kind == KindPrompt {
			wrong.Hint = `an agent is bounded by "stop": {max_tokens: …, max_cost_usd: …}`
		}
	case b.GoesOn && e.Value.Get("cost_usd") == nil && e.Value.Get("tokens") == nil && e.Value.Get("time") == nil:
		p.Errorf(e.Value, diagnostic.CodeKey, `"on_limit" means nothing without a limit`)
	}
}

// checkOnce reports a step with "once" that has a "retry" of its own. The file's does not
// apply to it.
func (p *parser) checkOnce(d *stepDraft) {
	if !d.step.Once {
		return
	}
	if e, there := d.present["retry"]; there {
		p.Errorf(e.Key, diagnostic.CodeKey, "\"retry\" contradicts \"once\": a step that may begin once has one attempt")
	}
	d.step.Retry.MaxAttempts = 1
}

func (p *parser) checkFailures(d *stepDraft) {
	_, fans := d.present["foreach"]
	if e, there := d.present["on_error"]; there && !fans && d.step.OnError == OnErrorFinish {
		p.Errorf(e.Value, diagnostic.CodeValue, "on_error: finish means nothing without \"foreach\"")
	}
	if e, there := d.present["max_failures"]; there && fans && !d.step.OnError.GoesOn() {
		p.Errorf(e.Key, diagnostic.CodeKey, "\"max_failures\" means nothing without \"on_error: continue\" or \"finish\"")
	}
}

// checkForeach returns the scope of what a step does for each element.
func (p *parser) checkForeach(d *stepDraft, s *expression.Scope, visible *stepScope) *expression.Scope {
	t := p.compileValue(d.step.Foreach, s)
	element, ok := elementOf(t)
	found := expression.TypeName(t.String())
	if n := t.Nature(); expression.IsStep(&n) {
		ok, found = false, "a step"
	}
	if value := d.present["foreach"].Value; !ok {
		p.Errorf(value, diagnostic.CodeExpression, "foreach takes a list or a map, not %s", found).Hint = elementsHint(d.step.Foreach, s)
	}
	name := d.step.As
	known := s.Has(name)
	if e, given := d.present["as"]; given && (known || !isVariableName(name) || name == "steps" || name == "index") {
		p.Errorf(e.Value, diagnostic.CodeValue, "%q can't be the name of the element", name).Hint = "a name is made of a letter or _, then letters, digits and _, and is none that expressions have already"
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
func (p *parser) checkAgent(d *stepDraft, s *expression.Scope) {
	agent := d.step.Agent
	p.compileTemplate(agent.Prompt, s)
	p.checkSettings(d.node, agent, s, offersOf(agent.Tools))
	p.compileChecks(d, s)
	lent := p.linkTools(d)
	if d.takes.Node == nil {
		p.checkPermissions(agent.Permissions, lent)
	}
	p.checkPermissions(d.ownRules, lent)
	p.checkOffers(d)
}

// compileChecks compiles the checks of an agent step, whose names include its result.
func (p *parser) compileChecks(d *stepDraft, s *expression.Scope) {
	if len(d.agent.Checks) == 0 {
		return
	}
	s = s.With(map[string]types.Type{"output": p.elementOutput(d), "text": types.String})
	for _, check := range d.agent.Checks {
		p.compileCondition(check.Expr, s)
		p.compileScript(check.Script, s)
		p.warnVariables(check.Script, s)
	}
}

func (p *parser) compileWith(d *stepDraft, s *expression.Scope) {
	for _, v := range d.with {
		p.compileData(v, s)
	}
}

// checkGroup checks the steps of a group, which see what the group sees.
func (p *parser) checkGroup(d *stepDraft, s *expression.Scope, visible *stepScope) {
	repeats := d.group.Until != nil || d.present["until"].Key != nil
	if repeats {
		s = s.With(map[string]types.Type{"round": types.Int})
	}
	_, inner := p.checkSteps(d.children, s, visible, repeats)
	p.compileCondition(d.group.Until, inner)
	if len(d.outputs) == 0 {
		return
	}
	fields := types.Map{}
	for _, output := range d.outputs {
		p.checkName(output.Name, "an output")
		fields[output.Name.Text] = p.compileData(output.Value, inner)
	}
	d.outputType = fields
}

// stepOutput returns the type of a step's output: a list where it has foreach.
func (p *parser) stepOutput(d *stepDraft) types.Type {
	if d.step.Foreach != nil {
		return types.Array(p.elementOutput(d))
	}
	return p.elementOutput(d)
}

// elementOutput returns the type of the output of a step, or of one of its elements.
func (p *parser) elementOutput(d *stepDraft) types.Type {
	s := d.step
	_, given := d.present["output"]
	switch {
	case s.Output.Kind == OutputLines:
		return types.Array(types.String)
	case s.Output.Kind == OutputJSON:
		return types.Any
	case s.Output.Kind == OutputSchema:
		return expression.SchemaType(s.Output.keywords)
	case given:
		return types.String
	case s.Kind == KindUses:
		return d.usedType
	case d.outputType != nil:
		return d.outputType
	case s.Kind == KindGroup && len(d.outputs) > 0:
		return types.Any // it is not checked yet
	case s.Kind == KindGroup && len(d.children) > 0:
		last := d.children[len(d.children)-1]
		if last.step.If != nil { // it may be skipped, and then another one is the last
			return types.Any
		}
		return p.stepOutput(last)
	case s.Kind == "" || s.Kind == KindGroup:
		return types.Any
	}
	return types.String
}

// stepType returns the type of a step in expressions. output is that of the step or of one
// of its elements.
func stepType(s *Step, output types.Type) types.Map {
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

// describeDraft names a step in a message.
func describeDraft(d *stepDraft) string {
	if d.step.ID != "" {
		return fmt.Sprintf("the step %q", d.step.ID)
	}
	return fmt.Sprintf("the step in line %d", d.node.Line)
}
