package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// explainFlags are what flow explain is told on its command line.
type explainFlags struct {
	step, workspace string
	output          choice
	exitCode        bool
}

func (p *program) explainCommand() *cobra.Command {
	f := explainFlags{output: choice{value: outputText, allowed: []string{outputText, outputJSON}}}
	c := &cobra.Command{
		Use:   "explain FILE --step ID TOOL ARG",
		Short: "Say whether a step's model may make a call, and by which rule",
		Long: `Say whether a step's model may make a call, and by which rule. Nothing is called.

ARG is a path, a command or an address, or the whole of the arguments as a JSON
object. A step in a group or in a used workflow is named by its path:
--step group/inner. The exit code is 0 whatever the decision is; with --exit-code
it is 6 unless the call is allowed.`,
		Example: `  flow explain docs-gen.yaml --step pages write docs/index.md
  flow explain review.yaml --step fix bash 'git push --force'`,
		Args: arguments(2, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.step == "" {
				return usage("which step's model makes the call?", "--step is missing")
			}
			argument := ""
			switch {
			case len(args) == 3:
				argument = args[2]
			case mainArgument(args[1]) != "":
				return usage("usage: flow explain FILE --step ID TOOL ARG", "explain: ARG is missing: the %s of the call", mainArgument(args[1]))
			}
			return p.explain(args[0], f, args[1], argument)
		},
	}
	c.Flags().StringVar(&f.step, "step", "", "the `id` of the step, or its path")
	c.Flags().StringVar(&f.workspace, "workspace", "", "the `folder` that the step works in (default: as the workflow says)")
	c.Flags().Var(&f.output, "output", "how the decision is printed")
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "end with 6 unless the call is allowed")
	c.ValidArgsFunction = f.complete
	completeFlags(c, map[string]completer{"step": fromWorkflow(judgedSteps, cobra.ShellCompDirectiveDefault)})
	return c
}

// explain judges one call as the guard of a run would. The run's outputs folder
// is not known here, so reading in it is judged like any other file.
func (p *program) explain(file string, f explainFlags, tool, argument string) error {
	w, err := p.complainOf(p.loadAs(file, workflows.Options{ReadFile: new(sources).read, NoScripts: true}))
	if err != nil {
		return err
	}
	p.stderr.Hide(p.mask(w).String)
	found, err := findStep(w, f.step)
	if err != nil {
		return err
	}
	if found.step.Agent == nil && found.step.Call == nil {
		return usage("", "step %q is of the kind %s: no policy is asked there", f.step, found.step.Kind)
	}
	if err := checkTool(found.workflow, tool); err != nil {
		return err
	}
	root, err := p.workspaceOfExplained(w, f.workspace)
	if err != nil {
		return err
	}
	for i := range found.layers {
		found.layers[i].Workspace = root
	}
	ruled, err := p.newPolicies(runner.ToolScope{
		Workflow: found.workflow, Workspace: root, Tools: toolNames(found.step), Layers: found.layers,
	}, protectedFiles(w))
	if err != nil {
		return err
	}
	input, err := callInput(tool, argument)
	if err != nil {
		return err
	}
	d := ruled.decide(mcpCalls(found.workflow, permission.Call{Tool: tool, Input: input})...)
	e := explained(d)
	e.Step, e.Tool, e.Input, e.Offered = f.step, tool, input, offers(found.step, tool)
	if f.output.value == outputJSON {
		err = p.printJSON(e)
	} else {
		_, err = io.WriteString(p.stdout, e.text())
	}
	if err == nil && f.exitCode && d.Verdict != permission.Allow {
		err = exitError(exitDenied)
	}
	return err
}

// workspaceOfExplained is the folder that is named, or that of the workflow with
// the defaults of its inputs.
func (p *program) workspaceOfExplained(w *workflows.Workflow, named string) (string, error) {
	start, err := startFolder()
	if err != nil || named != "" {
		return absolute(start, named), err
	}
	return p.workspaceOf(w, defaults(w), start)
}

// checkTool refuses a tool that neither flow nor the workflow has.
func checkTool(w *workflows.Workflow, tool string) error {
	known := customNames(w)
	for _, info := range toolInfos() {
		known = append(known, info.Name)
	}
	if slices.Contains(known, tool) || len(serversNamed(w, []string{tool})) > 0 {
		return nil
	}
	hint := "there are " + strings.Join(known, ", ")
	if near := nearest.Of(tool, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return usage(hint, "no tool %q", tool)
}

// callInput makes a call's arguments of one word of the command line: JSON, or the
// argument that rules judge. A command may begin like an object, too.
func callInput(tool, argument string) (json.RawMessage, error) {
	if !strings.HasPrefix(strings.TrimSpace(argument), "{") {
		return mainInput(tool, argument)
	}
	switch {
	case json.Valid([]byte(argument)):
		return json.RawMessage(argument), nil
	case tool == toolBash:
		return mainInput(tool, argument)
	}
	return nil, usage("", "the arguments of the call are no JSON: %s", argument)
}

// mainInput is the input of a call of which only the argument that rules judge is
// known.
func mainInput(tool, argument string) (json.RawMessage, error) {
	name := mainArgument(tool)
	arguments := map[string]string{}
	switch {
	case tool == "glob" || tool == "grep":
		arguments = map[string]string{"pattern": "*", "path": argument}
	case name != "":
		arguments[name] = argument
	case argument != "":
		return nil, usage("such as '{\"package\": \"fmt\"}'", "the arguments of %s are given as a JSON object", tool)
	}
	return json.Marshal(arguments)
}
