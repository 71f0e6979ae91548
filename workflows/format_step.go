package workflows

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

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

// kindIn returns the kind of a step, by the first of its keys that names one; "" for a map without one.
func kindIn(n *tree.Node) Kind {
	for _, e := range n.Entries {
		if slices.Contains(kindKeys(), e.Key.Text) {
			return kindOf(e.Key.Text)
		}
	}
	return ""
}

// stepTable is a step of any kind. The kind is known only once its keys are read, so
// [parser.step] checks which keys go together.
func (f *formats) stepTable() *format.Object[Step] {
	return &format.Object[Step]{
		Name: "step", What: "a step", Doc: "One thing to do: prompt or prompt_file (an agent), run (a command), tool (one call), ask (a question to a person), uses (another workflow), steps (a group) or end (of the list of steps).",
		Fields: slices.Concat(headOfStep(), commonFields(), agentFields(), f.workFields(), askFields(), endFields()), KindOf: kindIn,
	}
}

// headOfStep are the keys for steps of all kinds.
func headOfStep() []format.Field[Step] {
	return []format.Field[Step]{
		format.Key("id", format.Text(), func(s *Step) *string { return &s.ID }, "The name that others use."),
		format.Key("if", bareExpression(), func(s *Step) **Condition { return &s.If }, "False skips the step. success() is implied."),
		format.Key("needs", needsShape(), func(s *Step) *[]word { return &s.needs }, "Ids of steps that must have ended, or one id. Default: the one above; [] starts at once."),
	}
}

// commonFields are the keys for steps of most kinds.
func commonFields() []format.Field[Step] {
	fields := []format.Field[Step]{
		format.Key("foreach", anything(), func(s *Step) **Value { return &s.Foreach }, "Runs the step for each element of a list, or each {key, value} of a map."),
		format.Key("as", format.Text(), func(s *Step) *string { return &s.As }, "The name of the element. Default item."),
		format.Key("label", templateText(), func(s *Step) **Template { return &s.Label }, "What an element is called where people are told of it. Default: an element that is text, or the first text of a map."),
		format.Key("when", bareExpression(), func(s *Step) **Condition { return &s.When }, "With foreach: false leaves the element out."),
		format.Key("max_parallel", format.WholeNumber(1), func(s *Step) *int { return &s.MaxParallel }, "Elements at the same time. Default 4."),
		format.Key("workspace", pathText(), func(s *Step) **Template { return &s.Workspace }, "The folder that the step works in, inside of the workflow's."),
		format.Key("env", variables(), func(s *Step) *Variables { return &s.Env }, "Variables of the environment for this step, beside the file's.").On(KindPrompt, KindRun, KindTool, KindGroup),
		format.Key("on_error", format.Mapped(format.OneOf("fail", "continue", "finish"), func(s string) OnError { return OnError(s) }), func(s *Step) *OnError { return &s.OnError }, "continue: a failure counts as success for what comes after. finish, with foreach: all elements run, then the step fails."),
		format.Key("max_failures", maxFailures(), func(s *Step) **MaxFailures { return &s.MaxFailures }, "Elements that may fail beside on_error: continue or finish: a number, or a part such as 10%. After one more none begins, and the step fails."),
		format.Over("retry", retryTable(), func(s *Step) *Retry { return &s.Retry }, "How often the step is tried.").On(KindPrompt, KindRun, KindTool, KindUses, KindGroup),
		format.Key("once", format.Boolean(), func(s *Step) *bool { return &s.Once }, "true: a run that is gone on with never begins the step a second time, whatever came of the first.").On(KindPrompt, KindRun, KindTool),
		format.Key("budget", stepBudgetTable().Shape(nil), func(s *Step) *Budget { return &s.Budget }, "Bounds for what is inside a step with foreach, steps or uses, in all of its attempts."),
		format.Key("timeout", format.Span(), func(s *Step) *time.Duration { return &s.Timeout }, "With all retries. Default: 20m for an agent, 10m for a command or a tool, none for a question."),
		format.Key("output", outputSpec(), func(s *Step) *OutputSpec { return &s.Output }, "What the result must be: text, lines, json, or a JSON Schema."),
	}
	for i := range fields {
		if fields[i].Kinds == nil {
			fields[i] = fields[i].On(KindPrompt, KindRun, KindTool, KindAsk, KindUses, KindGroup)
		}
	}
	return fields
}

// endFields are the keys for steps that end their list.
func endFields() []format.Field[Step] {
	return []format.Field[Step]{
		format.Key("end", format.Mapped(format.OneOf("succeeded", "failed"), func(s string) bool { return s == "failed" }), func(s *Step) *bool { return &s.End.Fails }, "Ends the group or the workflow in which the step stands, as succeeded or failed. What runs beside it is cancelled.").On(KindEnd),
		format.Key("message", templateText(), func(s *Step) **Template { return &s.End.Message }, "Why it ends there.").On(KindEnd),
	}
}

// needsShape is a list of ids, or one of them.
func needsShape() format.Shape[[]word] {
	one := format.Mapped(format.Words(), func(id word) []word { return []word{id} })
	isOne := func(n *tree.Node) bool { return n.Kind == tree.KindString && !strings.Contains(n.Text, ",") }
	return format.Either(isOne, one, format.ListOf("needs", format.Words()))
}

// agentFields are the keys for agent steps, some of them for others too.
func agentFields() []format.Field[Step] {
	return []format.Field[Step]{
		{Key: "prompt", Doc: "An agent: what the model is asked.", Kinds: []Kind{KindPrompt}, Schema: templateText().Schema, Read: readPrompt},
		{Key: "prompt_file", Doc: "An agent: the file that holds the prompt; it may hold expressions.", Kinds: []Kind{KindPrompt}, Schema: format.TextSchema, Read: readPromptFile},
		format.Key("agent", format.Text(), func(s *Step) *string { return &s.Agent.Takes }, "The agent whose settings the step takes, by its name under agents at the top of the file.").On(KindPrompt),
		format.Key("system", templateText(), func(s *Step) **Template { return &s.Agent.System }, "The system prompt.").On(KindPrompt),
		format.Key("model", modelShape(), func(s *Step) **Value { return &s.Agent.Model }, "provider/model, a short name, or a list of them.").On(KindPrompt),
		format.Over("params", paramsTable(), func(s *Step) *Params { return &s.Agent.Params }, "Sampling parameters.").On(KindPrompt),
		format.Key("tools", format.ListOf("tools", toolEntry()), func(s *Step) *[]ToolEntry { return &s.Agent.Tools }, "What the model is offered.").On(KindPrompt),
		permissionsField(func(s *Step) *Permissions { return &s.Permissions }, func(s *Step) *[]Example { return &s.Examples }, "Rules for the calls of this step.").On(KindPrompt, KindTool, KindUses),
		format.Over("stop", stopTable(), func(s *Step) *Stop { return &s.Agent.Stop }, "When the agent stops.").On(KindPrompt),
		format.Over("truncate", truncateTable(), func(s *Step) *Truncate { return &s.Truncate }, "What is kept of long outputs.").On(KindPrompt, KindRun, KindTool),
		format.Over("context", contextTable(), func(s *Step) *Context { return &s.Agent.Context }, "How the conversation stays within the model's window.").On(KindPrompt),
		format.Key("cache", cacheShape(), func(s *Step) *Cache { return &s.Agent.Cache }, "Whether what the model answers is kept, and given again to the same requests.").On(KindPrompt),
		format.Key("checks", format.ListOf("checks", checkShape()), func(s *Step) *[]Check { return &s.Agent.Checks }, "Judged when the model says that it is done.").On(KindPrompt),
		format.Key("max_fixes", format.WholeNumber(0), func(s *Step) *int { return &s.Agent.MaxFixes }, "How often failed checks go back to the model. Default 3.").On(KindPrompt),
		format.Key("on_denied", format.Mapped(format.OneOf("continue", "fail"), func(s string) bool { return s == "fail" }), func(s *Step) *bool { return &s.Agent.FailOnDenied }, "fail: a denied call ends the step.").On(KindPrompt),
	}
}

// workFields are the keys for steps of the other kinds.
func (f *formats) workFields() []format.Field[Step] {
	return []format.Field[Step]{
		format.Key("run", shellScript(), func(s *Step) **Script { return &s.Command.Script }, "A command: a script for the shell. Values of expressions reach it as variables, never as code.").On(KindRun),
		format.Key("held", format.Boolean(), func(s *Step) *bool { return &s.Command.Held }, "The command has a view of its own, and what it changed outside of the workspace is dropped. Default false.").On(KindRun),
		format.Key("tool", offeredText(), func(s *Step) *string { return &s.Call.Tool }, "One call of a tool, without a model.").On(KindTool),
		format.Key("uses", format.Text(), func(s *Step) *string { return &s.Use.Name }, "Another workflow: a file, a folder with a flow.yaml, or a reference such as github.com/acme/recipes/review@v1.2.0.").On(KindUses),
		format.Key("with", format.MapOf("with", anything()), func(s *Step) *map[string]*Value { return &s.With }, "The arguments of the tool, or the inputs of the workflow.").On(KindTool, KindUses),
		format.Key("grant", grantShape(), func(s *Step) **Grant { return &s.Use.Grant }, "What the workflow may have of this machine.").On(KindUses),
		format.Key("steps", f.stepList(), func(s *Step) *[]*Step { return &s.Group.Steps }, "A group: steps that run as one.").On(KindGroup),
		format.Key("until", bareExpression(), func(s *Step) **Condition { return &s.Group.Until }, "The group runs again from the top until this holds.").On(KindGroup),
		format.Key("max_rounds", format.WholeNumber(1), func(s *Step) *int { return &s.Group.MaxRounds }, "Rounds of a group with until. Default 10.").On(KindGroup),
		format.Key("outputs", outputs(), func(s *Step) *[]Output { return &s.Group.Outputs }, "What the group returns, of its last round. Default: the output of its last step.").On(KindGroup),
	}
}

func readPrompt(r *format.Reader, n *tree.Node, s *Step) {
	if t, ok := templateText().Read(r, n); ok {
		s.Agent.Prompt = t
		if strings.TrimSpace(n.Text) == "" {
			r.Errorf(n, diagnostic.CodeValue, "the prompt is empty")
		}
	}
}

// readPromptFile reads the prompt from its file, in which its mistakes are reported.
func readPromptFile(r *format.Reader, n *tree.Node, s *Step) {
	p := parserOf(r)
	name, ok := format.Words().Read(r, n)
	if !ok {
		return
	}
	if s.Agent.Prompt != nil {
		p.Errorf(s.node.Key("prompt_file"), diagnostic.CodeKey, `"prompt_file" contradicts "prompt"`)
		return
	}
	text, ok := p.loader.readAside(p, name, diagnostic.CodeFile)
	if !ok {
		return
	}
	file := tree.ReadText(p.loader.nameOf(p.path(name.Text)), text, p.Report)
	if file == nil {
		return
	}
	if strings.TrimSpace(file.Text) == "" {
		p.Errorf(n, diagnostic.CodeFile, "the file %s is empty", name.Text)
	}
	s.Agent.Prompt = p.template(file)
}

// stepList is a list of steps; a step may be a group with a list of its own.
func (f *formats) stepList() format.Shape[[]*Step] {
	return format.SomeOf("steps", maxSteps, format.Shape[*Step]{
		Read:   func(r *format.Reader, n *tree.Node) (*Step, bool) { return parserOf(r).step(n) },
		Schema: func(w *format.Schema) any { return describeStep(w, f.step) },
	})
}

const maxSteps = 10_000 // of one list

// maxFailures is a number of elements, or a percentage of them.
func maxFailures() format.Shape[*MaxFailures] {
	number := format.WholeNumber(0)
	return format.Shape[*MaxFailures]{
		Read: func(r *format.Reader, n *tree.Node) (*MaxFailures, bool) {
			if n.Kind != tree.KindString {
				elements, ok := number.Read(r, n)
				return &MaxFailures{Elements: elements}, ok
			}
			digits, marked := strings.CutSuffix(n.Text, "%")
			percent, err := strconv.Atoi(digits)
			if !marked || err != nil || percent < 0 || percent > 100 {
				r.Errorf(n, diagnostic.CodeValue, "a whole number or a percentage was expected, not %s", n.Describe()).Hint = `such as 5 or "10%"`
				return nil, false
			}
			return &MaxFailures{Percent: percent, Relative: true}, true
		},
		Schema: func(w *format.Schema) any {
			percentage := map[string]any{"type": "string", "pattern": "^(100|[1-9]?[0-9])%$"}
			return map[string]any{"anyOf": []any{number.Schema(w), percentage}}
		},
	}
}

// outputSpec is a word or a JSON Schema.
func outputSpec() format.Shape[OutputSpec] {
	words := []OutputKind{OutputText, OutputLines, OutputJSON}
	return format.Shape[OutputSpec]{
		Read: func(r *format.Reader, n *tree.Node) (OutputSpec, bool) {
			p := parserOf(r)
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
		Schema: func(w *format.Schema) any {
			return map[string]any{"anyOf": []any{map[string]any{"enum": []any{"text", "lines", "json"}}, jsonSchema().Schema(w)}}
		},
	}
}
