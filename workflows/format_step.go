package workflows

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A stepDraft is a step while its file is read: the values of the keys of all kinds.
type stepDraft struct {
	node    *tree.Node
	step    *Step
	present map[string]tree.Entry

	id         word
	needs      []word
	agent      Agent
	promptFile word
	run        *Script
	held       bool
	tool       word
	takes      word        // the agent
	ownRules   Permissions // of a step that takes one
	uses       word
	with       map[string]*Value
	grant      *Grant
	question   Question
	choices    []word
	env        variablesDraft
	end        string
	message    *Template
	group      Group
	children   []*stepDraft
	outputs    []named[*Value] // of a group
	outputType types.Type      // of these; nil: there are none
	usedType   types.Type      // of the output of a used workflow
}

// kindKeys are the keys that decide the kind of a step.
func kindKeys() []string {
	return []string{"prompt", "prompt_file", "run", "tool", "ask", "uses", "steps", "end"}
}

// kindOf returns the kind of a step with one of [kindKeys].
func kindOf(key string) Kind {
	if key == "prompt_file" {
		return KindPrompt
	}
	return Kind(key)
}

// stepTable is a step of any kind. The kind is known only once its keys are read, so
// [parser.assemble] checks which keys go together.
func (f *format) stepTable() *object[stepDraft] {
	return &object[stepDraft]{
		name: "step", what: "a step", doc: "One thing to do: prompt or prompt_file (an agent), run (a command), tool (one call), ask (a question to a person), uses (another workflow), steps (a group) or end (of the list of steps).",
		fields: slices.Concat(headOfStep(), commonFields(), agentFields(), f.workFields(), askFields(), endFields()),
	}
}

// headOfStep are the keys for steps of all kinds.
func headOfStep() []field[stepDraft] {
	return []field[stepDraft]{
		key("id", wordShape(), func(d *stepDraft) *word { return &d.id }, "The name that others use."),
		key("if", bareExpression(), func(d *stepDraft) **Condition { return &d.step.If }, "False skips the step. success() is implied."),
		key("needs", needsShape(), func(d *stepDraft) *[]word { return &d.needs }, "Ids of steps that must have ended, or one id. Default: the one above; [] starts at once."),
	}
}

// commonFields are the keys for steps of most kinds.
func commonFields() []field[stepDraft] {
	fields := []field[stepDraft]{
		key("foreach", anything(), func(d *stepDraft) **Value { return &d.step.Foreach }, "Runs the step for each element of a list, or each {key, value} of a map."),
		key("as", wordText(), func(d *stepDraft) *string { return &d.step.As }, "The name of the element. Default item."),
		key("label", templateText(), func(d *stepDraft) **Template { return &d.step.Label }, "What an element is called where people are told of it. Default: an element that is text, or the first text of a map."),
		key("when", bareExpression(), func(d *stepDraft) **Condition { return &d.step.When }, "With foreach: false leaves the element out."),
		key("max_parallel", wholeNumber(1), func(d *stepDraft) *int { return &d.step.MaxParallel }, "Elements at the same time. Default 4."),
		key("workspace", pathText(), func(d *stepDraft) **Template { return &d.step.Workspace }, "The folder that the step works in, inside of the workflow's."),
		key("env", variables(), func(d *stepDraft) *variablesDraft { return &d.env }, "Variables of the environment for this step, beside the file's.").on(KindPrompt, KindRun, KindTool, KindGroup),
		key("on_error", mapped(oneOf("fail", "continue", "finish"), func(s string) OnError { return OnError(s) }), func(d *stepDraft) *OnError { return &d.step.OnError }, "continue: a failure counts as success for what comes after. finish, with foreach: all elements run, then the step fails."),
		key("max_failures", maxFailures(), func(d *stepDraft) **MaxFailures { return &d.step.MaxFailures }, "Elements that may fail beside on_error: continue or finish: a number, or a part such as 10%. After one more none begins, and the step fails."),
		over("retry", retryTable(), func(d *stepDraft) *Retry { return &d.step.Retry }, "How often the step is tried.").on(KindPrompt, KindRun, KindTool, KindUses, KindGroup),
		key("once", boolean(), func(d *stepDraft) *bool { return &d.step.Once }, "true: a run that is gone on with never begins the step a second time, whatever came of the first.").on(KindPrompt, KindRun, KindTool),
		key("budget", stepBudgetTable().shape(zero), func(d *stepDraft) *Budget { return &d.step.Budget }, "Bounds for what is inside a step with foreach, steps or uses, in all of its attempts."),
		key("timeout", span(), func(d *stepDraft) *time.Duration { return &d.step.Timeout }, "With all retries. Default: 20m for an agent, 10m for a command or a tool, none for a question."),
		key("output", outputSpec(), func(d *stepDraft) *OutputSpec { return &d.step.Output }, "What the result must be: text, lines, json, or a JSON Schema."),
	}
	for i := range fields {
		if fields[i].kinds == nil {
			fields[i] = fields[i].on(KindPrompt, KindRun, KindTool, KindAsk, KindUses, KindGroup)
		}
	}
	return fields
}

// endFields are the keys for steps that end their list.
func endFields() []field[stepDraft] {
	return []field[stepDraft]{
		key("end", oneOf("succeeded", "failed"), func(d *stepDraft) *string { return &d.end }, "Ends the group or the workflow in which the step stands, as succeeded or failed. What runs beside it is cancelled.").on(KindEnd),
		key("message", templateText(), func(d *stepDraft) **Template { return &d.message }, "Why it ends there.").on(KindEnd),
	}
}

// needsShape is a list of ids, or one of them.
func needsShape() shape[[]word] {
	one := mapped(wordShape(), func(id word) []word { return []word{id} })
	isOne := func(n *tree.Node) bool { return n.Kind == tree.KindString && !strings.Contains(n.Text, ",") }
	return either(isOne, one, listOf("needs", wordShape()))
}

// agentFields are the keys for agent steps, some of them for others too.
func agentFields() []field[stepDraft] {
	return []field[stepDraft]{
		{key: "prompt", doc: "An agent: what the model is asked.", kinds: []Kind{KindPrompt}, schema: templateText().schema, read: readPrompt},
		key("prompt_file", wordShape(), func(d *stepDraft) *word { return &d.promptFile }, "An agent: the file that holds the prompt; it may hold expressions.").on(KindPrompt),
		key("agent", wordShape(), func(d *stepDraft) *word { return &d.takes }, "The agent whose settings the step takes, by its name under agents at the top of the file.").on(KindPrompt),
		key("system", templateText(), func(d *stepDraft) **Template { return &d.agent.System }, "The system prompt.").on(KindPrompt),
		key("model", modelShape(), func(d *stepDraft) **Value { return &d.agent.Model }, "provider/model, a short name, or a list of them.").on(KindPrompt),
		over("params", paramsTable(), func(d *stepDraft) *Params { return &d.agent.Params }, "Sampling parameters.").on(KindPrompt),
		key("tools", listOf("tools", toolEntry()), func(d *stepDraft) *[]ToolEntry { return &d.agent.Tools }, "What the model is offered.").on(KindPrompt),
		permissionsField(func(d *stepDraft) *Permissions { return &d.agent.Permissions }, func(d *stepDraft) *[]Example { return &d.step.Examples }, "Rules for the calls of this step.").on(KindPrompt, KindTool, KindUses),
		over("stop", stopTable(), func(d *stepDraft) *Stop { return &d.agent.Stop }, "When the agent stops.").on(KindPrompt),
		over("truncate", truncateTable(), func(d *stepDraft) *Truncate { return &d.agent.Truncate }, "What is kept of long outputs.").on(KindPrompt, KindRun, KindTool),
		over("context", contextTable(), func(d *stepDraft) *Context { return &d.agent.Context }, "How the conversation stays within the model's window.").on(KindPrompt),
		key("cache", cacheShape(), func(d *stepDraft) *Cache { return &d.agent.Cache }, "Whether what the model answers is kept, and given again to the same requests.").on(KindPrompt),
		key("checks", listOf("checks", checkShape()), func(d *stepDraft) *[]Check { return &d.agent.Checks }, "Judged when the model says that it is done.").on(KindPrompt),
		key("max_fixes", wholeNumber(0), func(d *stepDraft) *int { return &d.agent.MaxFixes }, "How often failed checks go back to the model. Default 3.").on(KindPrompt),
		key("on_denied", mapped(oneOf("continue", "fail"), func(s string) bool { return s == "fail" }), func(d *stepDraft) *bool { return &d.agent.FailOnDenied }, "fail: a denied call ends the step.").on(KindPrompt),
	}
}

// workFields are the keys for steps of the other kinds.
func (f *format) workFields() []field[stepDraft] {
	children := f.stepList()
	return []field[stepDraft]{
		key("run", shellScript(), func(d *stepDraft) **Script { return &d.run }, "A command: a script for the shell. Values of expressions reach it as variables, never as code.").on(KindRun),
		key("held", boolean(), func(d *stepDraft) *bool { return &d.held }, "The command has a view of its own, and what it changed outside of the workspace is dropped. Default false.").on(KindRun),
		key("tool", wordShape(), func(d *stepDraft) *word { return &d.tool }, "One call of a tool, without a model.").on(KindTool),
		key("uses", wordShape(), func(d *stepDraft) *word { return &d.uses }, "Another workflow: a file, a folder with a flow.yaml, or a reference such as github.com/acme/recipes/review@v1.2.0.").on(KindUses),
		key("with", mapOf("with", anything()), func(d *stepDraft) *map[string]*Value { return &d.with }, "The arguments of the tool, or the inputs of the workflow.").on(KindTool, KindUses),
		key("grant", grantShape(), func(d *stepDraft) **Grant { return &d.grant }, "What the workflow may have of this machine.").on(KindUses),
		key("steps", children, func(d *stepDraft) *[]*stepDraft { return &d.children }, "A group: steps that run as one.").on(KindGroup),
		key("until", bareExpression(), func(d *stepDraft) **Condition { return &d.group.Until }, "The group runs again from the top until this holds.").on(KindGroup),
		key("max_rounds", wholeNumber(1), func(d *stepDraft) *int { return &d.group.MaxRounds }, "Rounds of a group with until. Default 10.").on(KindGroup),
		key("outputs", entriesOf("outputs", anything()), func(d *stepDraft) *[]named[*Value] { return &d.outputs }, "What the group returns, of its last round. Default: the output of its last step.").on(KindGroup),
	}
}

func readPrompt(p *parser, n *tree.Node, d *stepDraft) {
	if t, ok := templateText().read(p, n); ok {
		d.agent.Prompt = t
		if strings.TrimSpace(n.Text) == "" {
			p.Errorf(n, diagnostic.CodeValue, "the prompt is empty")
		}
	}
}

// stepList is a list of steps; a step may be a group with a list of its own.
func (f *format) stepList() shape[[]*stepDraft] {
	return someOf("steps", maxSteps, shape[*stepDraft]{
		read:   func(p *parser, n *tree.Node) (*stepDraft, bool) { return p.stepDraft(n) },
		schema: func(w *schemaWriter) any { return describeStep(w, f.step) },
	})
}

const maxSteps = 10_000 // of one list

// stepDraft reads one step, starting from the file's defaults.
func (p *parser) stepDraft(n *tree.Node) (*stepDraft, bool) {
	d := &stepDraft{node: n, usedType: types.Any, step: &Step{As: "item", MaxParallel: 4, Retry: p.defaults.retry, Pos: n.Position()}}
	d.agent = p.startOfAgent(n)
	d.group.MaxRounds = 10
	d.present = p.format.step.read(p, n, d)
	return d, d.present != nil
}

// maxFailures is a number of elements, or a percentage of them.
func maxFailures() shape[*MaxFailures] {
	number := wholeNumber(0)
	return shape[*MaxFailures]{
		read: func(p *parser, n *tree.Node) (*MaxFailures, bool) {
			if n.Kind != tree.KindString {
				elements, ok := number.read(p, n)
				return &MaxFailures{Elements: elements}, ok
			}
			digits, marked := strings.CutSuffix(n.Text, "%")
			percent, err := strconv.Atoi(digits)
			if !marked || err != nil || percent < 0 || percent > 100 {
				p.Errorf(n, diagnostic.CodeValue, "a whole number or a percentage was expected, not %s", n.Describe()).Hint = `such as 5 or "10%"`
				return nil, false
			}
			return &MaxFailures{Percent: percent, Relative: true}, true
		},
		schema: func(w *schemaWriter) any {
			percentage := map[string]any{"type": "string", "pattern": "^(100|[1-9]?[0-9])%$"}
			return map[string]any{"anyOf": []any{number.schema(w), percentage}}
		},
	}
}

// outputSpec is a word or a JSON Schema.
func outputSpec() shape[OutputSpec] {
	words := []OutputKind{OutputText, OutputLines, OutputJSON}
	return shape[OutputSpec]{
		read: func(p *parser, n *tree.Node) (OutputSpec, bool) {
			broken := OutputSpec{Kind: OutputJSON} // so that nothing else is reported of its fields
			switch {
			case n.Kind == tree.KindString && slices.Contains(words, OutputKind(n.Text)):
				return OutputSpec{Kind: OutputKind(n.Text)}, true
			case n.Kind != tree.KindMap:
				p.Errorf(n, diagnostic.CodeValue, "text, lines, json or a JSON Schema was expected, not %s", n.Describe()).Hint = "such as {type: object, properties: {…}}"
				return broken, true
			}
			schema, ok := p.schemaText(n)
			if !ok {
				return broken, true
			}
			return OutputSpec{Kind: OutputSchema, Schema: schema, keywords: n.Data()}, true
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"anyOf": []any{map[string]any{"enum": []any{"text", "lines", "json"}}, jsonSchema().schema(w)}}
		},
	}
}
