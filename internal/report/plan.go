package report

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/plan"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Plan prints a plan, with texts of files as they are: the run, its steps, and what it may do.
func Plan(p *plan.Plan) string {
	w := &planText{budget: p.Workflow.Budget.CostUSD != nil}
	w.line(0, "workflow: %s (%s)", p.Workflow.Name, p.Workflow.File)
	w.line(0, "workspace: %s", p.Workspace)
	w.named(0, "budget", p.Workflow.Budget.String())
	w.cost(0, &p.Cost, ", without resumes")
	if len(p.Cost.Each) > 0 {
		w.line(1, "nothing bounds the whole run: set budget")
	}
	w.likely(0, p.Likely)
	w.line(0, "")
	w.steps(p.Steps, 0)
	w.authority(p)
	return w.String()
}

// A planText is the text of a plan, with what is inside a step indented.
type planText struct {
	page
	budget bool // the run has one of money
}

func (w *planText) steps(steps []*plan.Step, depth int) {
	alone := func(s *plan.Step) bool { return len(s.Needs) == 0 && !s.Called }
	several := len(steps) > 1 && slices.ContainsFunc(steps[1:], alone)
	for _, step := range steps {
		w.line(depth, "%s: %s", step.Step, headline(step, several))
		w.inside(step, depth+1)
		w.steps(step.Steps, depth+1)
	}
}

// headline says what kind of step it is, and when and how often it runs; of several steps that wait for
// nothing, that they start at once.
func headline(s *plan.Step, several bool) string {
	text := s.Kind
	if s.Foreach {
		text += ", for each " + s.As
		if s.Elements != nil {
			text += fmt.Sprintf(" (%s)", quantity.Count(*s.Elements, "element"))
		}
		text += fmt.Sprintf(", %d at once", s.MaxParallel)
	}
	if s.When != "" {
		text += ", when " + s.When
	}
	if s.If != "" {
		text += ", if " + s.If
	}
	var after []string
	for _, need := range s.Needs {
		after = append(after, path.Base(need))
	}
	switch {
	case s.Called && s.MaxCalls > 0:
		text += fmt.Sprintf(", when the model calls it, up to %d times", s.MaxCalls)
	case s.Called:
		text += ", when the model calls it"
	case len(after) > 0:
		text += ", after " + strings.Join(after, ", ")
	case several:
		text += ", starts at once"
	}
	if s.Attempts > 1 {
		text += fmt.Sprintf(", up to %d attempts", s.Attempts)
	}
	if s.Timeout != "" {
		text += ", at most " + s.Timeout
	}
	return text
}

// inside writes what a step does: the models that an agent asks, its tools and their rules, when it
// stops, and what that can cost.
func (w *planText) inside(s *plan.Step, depth int) {
	if s.Until != "" {
		w.line(depth, "until: %s, at most %s", s.Until, quantity.Count(s.MaxRounds, "round"))
	}
	w.named(depth, "budget", s.Budget.String())
	w.named(depth, "workspace", s.Workspace)
	w.named(depth, "env", strings.Join(s.Env, ", "))
	w.long(depth, "command", s.Run)
	w.long(depth, "question", s.Ask)
	w.named(depth, "choices", strings.Join(s.Choices, ", "))
	if s.Comment {
		w.named(depth, "comment", "asked for")
	}
	w.named(depth, "agent", s.Agent)
	switch {
	case s.Uses != nil:
		w.line(depth, "uses: %s", s.Uses.File)
		for _, asked := range s.Asks {
			w.line(depth, "needs %s", asked)
		}
		w.named(depth, "budget of "+s.Uses.Name, s.Uses.Budget.String())
	case s.Stop != "":
		w.models(s, depth)
		w.line(depth, "tools: %s", cmp.Or(strings.Join(s.Tools, ", "), "none"))
	case len(s.Tools) > 0:
		w.line(depth, "tool: %s", s.Tools[0])
		for _, name := range slices.Sorted(maps.Keys(s.With)) {
			w.long(depth+1, name, s.With[name])
		}
	}
	w.named(depth, "rules", byTool(s.Rules))
	w.named(depth, "rules of the agent", byTool(s.Bounds))
	w.named(depth, "stop", s.Stop)
	if s.Cost != nil && !s.Cost.IsNothing() {
		w.cost(depth, s.Cost, "")
	}
	w.likely(depth, s.Likely)
}

// models writes whom an agent asks, and what the models can't do.
func (w *planText) models(s *plan.Step, depth int) {
	var refs []string
	for _, model := range s.Models {
		refs = append(refs, model.Model)
	}
	w.line(depth, "model: %s", cmp.Or(strings.Join(refs, ", then "), "known only when the step runs"))
	for _, model := range s.Models {
		for _, lack := range model.Lacks {
			if len(refs) > 1 {
				lack = model.Model + ": " + lack
			}
			w.line(depth+1, "%s", lack)
		}
	}
}

// cost writes the most that something can cost, and below it what that assumes, or why there is none.
func (w *planText) cost(depth int, c *plan.Cost, counted string) {
	switch {
	case c.IsNothing():
		w.line(depth, "cost: nothing")
	case len(c.Unbounded) == 0:
		w.line(depth, "cost: %s%s", c, counted)
	case w.budget:
		w.line(depth, "cost: unbounded beyond the budget")
	default:
		w.line(depth, "cost: unbounded: set budget")
	}
	for _, why := range slices.Concat(c.Unbounded, c.Assumes) {
		w.line(depth+1, "%s", why)
	}
}

// likely writes what something has cost in earlier runs.
func (w *planText) likely(depth int, l *plan.Likely) {
	if l == nil {
		return
	}
	text := plan.Dollars(l.MedianUSD)
	if l.Samples > 1 {
		text += fmt.Sprintf(", the median of %d (%s to %s)", l.Samples, plan.Dollars(l.MinUSD), plan.Dollars(l.MaxUSD))
	}
	w.named(depth, "in earlier runs", text)
}

// authority writes what the workflow may do, beside what stands in its steps.
func (w *planText) authority(p *plan.Plan) {
	a := p.Authority
	var may planText
	for _, c := range a.Commands {
		if c.Kind != "run" && c.Kind != "call" {
			may.line(1, "%s", c)
		}
	}
	may.named(1, "variables", strings.Join(a.Env, ", "))
	may.named(1, "secrets", strings.Join(a.Secrets, ", "))
	may.named(1, "addresses", strings.Join(a.Addresses, ", "))
	may.named(1, "files that tools may write", strings.Join(p.Writes, ", "))
	for _, sandbox := range a.Sandboxes {
		may.line(1, "sandbox of %s", sandbox)
	}
	if may.Len() > 0 {
		w.line(0, "")
		w.line(0, "it may also use:")
		w.WriteString(may.String())
	}
}

// byTool lists rules on one line, those of a tool together.
func byTool(rules []string) string {
	var parts []string
	before := ""
	for _, rule := range rules {
		tool, decides, _ := strings.Cut(rule, ": ")
		if tool == before {
			parts[len(parts)-1] += ", " + decides
		} else {
			parts = append(parts, rule)
		}
		before = tool
	}
	return strings.Join(parts, "; ")
}

// named writes a line, unless the text is empty.
func (w *planText) named(depth int, name, text string) {
	if text != "" {
		w.line(depth, "%s: %s", name, text)
	}
}

// long writes a text, several lines of it below its name as they are: joined, a command would be another one.
func (w *planText) long(depth int, name, text string) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\n") {
		w.named(depth, name, text)
		return
	}
	w.line(depth, "%s:", name)
	for line := range strings.SplitSeq(text, "\n") {
		w.line(depth+1, "%s", line)
	}
}

// line writes a line; several lines of a text from a file are joined.
func (w *planText) line(depth int, format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	w.page.line("%s%s", strings.Repeat("  ", depth), text)
}
