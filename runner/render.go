package runner

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// render evaluates the step. Of the host it needs only files of the workspace.
func (t *site) render(ctx context.Context) (*Work, error) {
	names := t.names(ctx, nil)
	w := t.newWork()
	w.TimeoutMS, w.Output = wholeMilliseconds(t.step.Timeout), t.step.Output
	switch {
	case t.step.Command != nil:
		rendered, err := t.step.Command.Script.Render(names)
		if err != nil {
			return nil, mistake("run", err)
		}
		w.Script, w.Limits = &ScriptWork{rendered.Source, rendered.Values, t.step.Command.Held}, t.step.Truncate
		return w, nil
	case t.step.Question != nil:
		return w, t.renderQuestion(w, names)
	case t.step.Agent != nil:
		if err := t.renderAgent(ctx, w, names); err != nil {
			return nil, err
		}
	default:
		if err := t.renderCall(w, names); err != nil {
			return nil, err
		}
	}
	w.Rules = t.in.rules(t.step)
	return w, t.renderTools(w, names)
}

func (t *site) renderQuestion(w *Work, names map[string]any) error {
	q := t.step.Question
	text, err := q.Text.Text(names)
	if err != nil {
		return mistake("ask", err)
	}
	w.Question = &journal.Question{Text: text, Choices: q.Choices, Comment: q.Comment}
	if q.Default == nil {
		return nil
	}
	value, err := q.Default.Eval(names)
	if err == nil {
		err = q.Check(value)
	}
	if err != nil {
		return mistake("default", t.exec.unquoted(err, value))
	}
	w.Question.Default, err = jsonline.Encode(value)
	return err
}

func (t *site) renderCall(w *Work, names workflows.Env) error {
	arguments, err := evalAll(t.step.With, names)
	if err != nil {
		return err
	}
	if w.Arguments, err = jsonline.Encode(arguments); err != nil {
		return mistake("with", err)
	}
	return nil
}

func (t *site) renderAgent(ctx context.Context, w *Work, names workflows.Env) error {
	spec := t.step.Agent
	named, err := t.in.modelsFor(ctx, spec, names)
	if err != nil {
		return mistake("model", err)
	}
	prompt, err := t.told("prompt", spec.Prompt, names)
	if err != nil {
		return mistake("prompt", err)
	}
	system, err := t.system(ctx, names)
	if err != nil {
		return err
	}
	w.Agent = &AgentWork{
		Models: named.Refs, ModelsOf: named.By.File, Scripts: t.exec.scripts(named), System: system, Prompt: prompt, Params: spec.Params,
		MaxFixes: spec.MaxFixes, FailOnDenied: spec.FailOnDenied, FixedContext: spec.Context.Fixed,
	}
	if w.Agent.Stop, err = renderStop(spec.Stop, names); err != nil {
		return err
	}
	w.Agent.Checks, err = renderChecks(spec.Checks, names)
	return err
}

// scripts returns the digests of the files of scripted models.
func (e *exec) scripts(n Naming) map[string]string {
	var sums map[string]string
	for _, ref := range n.Refs {
		name, scripted := strings.CutPrefix(ref, "script/")
		dir := n.By.Dir
		if ref == e.Model { // which starts at the workflow of the run
			dir = e.top.Dir
		}
		sum := e.Files[filepath.ToSlash(paths.In(dir, filepath.FromSlash(name)))]
		if !scripted || sum == "" {
			continue
		}
		if sums == nil {
			sums = map[string]string{}
		}
		sums[name] = sum[:16]
	}
	return sums
}

// told returns a template as the model gets it. If the step says how to truncate, values
// that are too long for a prompt are truncated like that, too; a file has the whole of each.
func (t *site) told(key string, words *workflows.Template, names workflows.Env) (string, error) {
	if !t.step.Truncate.Says() {
		return words.Prompt(names, nil)
	}
	options := tools.OutputOptions{Limits: limitsOf(t.step.Truncate), Mask: t.exec.Mask, Reveal: true}
	whole, n := t.wholeOutputs(), 0
	return words.Prompt(names, func(text string) string {
		n++
		options.Spill = func() (io.WriteCloser, string, error) { return whole.create(n, key) }
		out := tools.NewOutput(options)
		out.Write([]byte(text)) // only a closed one returns an error
		cut, _ := out.Close()   // without a file for the whole the note says so
		return cut.Content
	})
}

// system returns the system prompt: that of the step or the workflow, and the files of
// instructions.
func (t *site) system(ctx context.Context, names workflows.Env) (string, error) {
	var parts []string
	if t.step.Agent.System != nil {
		text, err := t.told("system", t.step.Agent.System, names)
		if err != nil {
			return "", mistake("system", err)
		}
		parts = append(parts, text)
	}
	for _, file := range t.step.Agent.Instructions {
		path, err := file.Text(names)
		if err != nil {
			return "", mistake("instructions", err)
		}
		from := &reader{ctx: ctx, in: t.in, at: t.at, step: t.step, ruled: t.in.rulesPath(file.Words())}
		text, err := from.file(paths.In(t.in.dir, path))
		if err != nil {
			return "", mistake("instructions", err)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n"), nil
}

// limitsOfStop returns everything that bounds an agent but its own condition.
func limitsOfStop(s workflows.Stop) StopWork {
	return StopWork{Stop: steps.Stop{
		MaxTurns: s.MaxTurns, MaxToolCalls: s.MaxToolCalls, MaxTokens: s.MaxTokens, MaxCostUSD: s.MaxCostUSD,
		Timeout: s.Timeout, RepeatedCalls: s.RepeatedCalls, OnTool: s.OnTool, AcceptLimit: s.AcceptLimit,
	}}
}

func renderStop(s workflows.Stop, names workflows.Env) (StopWork, error) {
	stop := limitsOfStop(s)
	if s.When == nil {
		return stop, nil
	}
	late, err := renderLate(s.When.Source(), s.When, names)
	stop.When = &late
	return stop, err
}

func renderChecks(checks []workflows.Check, names workflows.Env) (all []CheckWork, err error) {
	for _, c := range checks {
		var seeing interface {
			Sees(workflows.Env) (map[string]any, error)
		} = c.Expr
		if c.Script != nil {
			seeing = c.Script
		}
		late, err := renderLate(c.Source, seeing, names)
		if err != nil {
			return nil, err
		}
		all = append(all, CheckWork{late, c.Script != nil, c.Held})
	}
	return all, nil
}

// renderLate returns the values that an expression needs and that are known already. Values
// of run and workflow are left out: the host that evaluates it has its own.
func renderLate(source string, e interface {
	Sees(workflows.Env) (map[string]any, error)
}, names workflows.Env) (LateWork, error) {
	sees, err := e.Sees(names)
	if err != nil {
		return LateWork{}, mistake(source, err)
	}
	delete(sees, "run")
	delete(sees, "workflow")
	return LateWork{source, sees}, nil
}

func (t *site) renderTools(w *Work, names workflows.Env) error {
	var entries []workflows.ToolEntry
	entries, w.Limits = toolEntries(t.step)
	for _, entry := range entries {
		pinned, err := evalAll(entry.With, names)
		if err != nil {
			return err
		}
		w.Tools = append(w.Tools, ToolWork{
			Name: entry.Name, Sum: t.in.sumOfTool(entry), Pinned: pinned, MaxCalls: entry.MaxCalls, Parallel: tools.Parallel(entry.Parallel), Limits: entry.Truncate,
		})
	}
	return nil
}

// rules returns the rules of all workflows around this one, its own and the step's.
func (in *instance) rules(step *workflows.Step) []RuleLayer {
	var all []RuleLayer
	for _, layer := range in.layersOf(step) {
		rules := RuleLayer{Folder: in.relative(layer.Workspace), Workflow: plainRules(layer.Workflow.Permissions), Step: plainRules(layer.Step)}
		all = append(all, rules)
	}
	return all
}

func plainRules(rules workflows.Permissions) map[string][]string {
	plain := make(map[string][]string, len(rules))
	for tool, all := range rules {
		for _, rule := range all {
			plain[tool] = append(plain[tool], rule.Pattern+": "+rule.Decision)
		}
	}
	return plain
}

// relative returns the path of a folder relative to the run's workspace.
func (in *instance) relative(folder string) string {
	rel, err := filepath.Rel(in.top().at.workspace, folder)
	if err != nil {
		return folder
	}
	return filepath.ToSlash(rel)
}

// top returns the workflow that no other one uses.
func (in *instance) top() *instance {
	for in.caller != nil {
		in = in.caller
	}
	return in
}
