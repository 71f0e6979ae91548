package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) explainCommand() *cobra.Command {
	var step, workspace string
	c := &cobra.Command{
		Use:   "explain FILE --step ID TOOL ARG",
		Short: "Say whether a step's model may make a call, and by which rule",
		Long: `Say whether a step's model may make a call, and by which rule. Nothing is called.

ARG is a path, a command or an address, or the whole of the arguments as a JSON
object. A step in a group or in a used workflow is named by its path:
--step group/inner. The exit code is 0 whatever the decision is.`,
		Example: `  flow explain docs-gen.yaml --step pages write docs/index.md
  flow explain review.yaml --step fix bash 'git push --force'`,
		Args: arguments(2, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			if step == "" {
				return usage("which step's model makes the call?", "--step is missing")
			}
			argument := ""
			switch {
			case len(args) == 3:
				argument = args[2]
			case mainArgument(args[1]) != "":
				return usage("usage: flow explain FILE --step ID TOOL ARG", "explain: ARG is missing: the %s of the call", mainArgument(args[1]))
			}
			return p.explain(args[0], step, workspace, args[1], argument)
		},
	}
	c.Flags().StringVar(&step, "step", "", "the `id` of the step, or its path")
	c.Flags().StringVar(&workspace, "workspace", "", "the `folder` that the step works in (default: as the workflow says)")
	return c
}

// explain judges one call as the guard of a run would. The run's outputs folder
// is not known here, so reading in it is judged like any other file.
func (p *program) explain(file, path, workspace, tool, argument string) error {
	w, err := p.loadOrComplain(file, new(sources))
	if err != nil {
		return err
	}
	p.stderr.hide(p.mask(w))
	found, err := findStep(w, path)
	if err != nil {
		return err
	}
	if found.step.Agent == nil && found.step.Call == nil {
		return usage("", "step %q is of the kind %s: no policy is asked there", path, found.step.Kind)
	}
	if err := checkTool(found.workflow, tool); err != nil {
		return err
	}
	start, err := startFolder()
	if err != nil {
		return err
	}
	root := absolute(start, workspace)
	if workspace == "" {
		if root, err = p.workspaceOf(w, defaults(w), start); err != nil {
			return err
		}
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
	_, err = fmt.Fprint(p.stdout, describeDecision(d, tool, toolNames(found.step)))
	return err
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
	if near := tools.Nearest(tool, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return usage(hint, "no tool %q", tool)
}

// callInput makes a call's arguments of one word of the command line.
func callInput(tool, argument string) (json.RawMessage, error) {
	if strings.HasPrefix(strings.TrimSpace(argument), "{") {
		if !json.Valid([]byte(argument)) {
			return nil, usage("", "the arguments of the call are no JSON: %s", argument)
		}
		return json.RawMessage(argument), nil
	}
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

// describeDecision says what becomes of a call, by which rule, and why; of a
// command each part.
func describeDecision(d permission.Decision, tool string, listed []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, d.Verdict)
	if d.Rule != "" {
		fmt.Fprintf(&b, "rule:   %s\n", visible(d.Rule))
	}
	if d.Never {
		fmt.Fprintln(&b, "rule:   none can allow it")
	}
	if d.Reason != "" {
		fmt.Fprintf(&b, "reason: %s\n", visible(d.Reason))
	}
	if d.Path != "" {
		fmt.Fprintf(&b, "path:   %s\n", visible(d.Path))
	}
	if !slices.ContainsFunc(listed, func(entry string) bool { return lists(entry, tool) }) {
		fmt.Fprintf(&b, "note:   the step does not offer %s\n", visible(tool))
	}
	if len(d.Parts) < 2 {
		return b.String()
	}
	for _, part := range d.Parts {
		line := fmt.Sprintf("  %-5s %s", part.Verdict, visible(part.Source))
		if part.Rule != "" {
			line += "  (" + visible(part.Rule) + ")"
		}
		if part.Reason != "" && part.Verdict != permission.Allow {
			line += ": " + visible(part.Reason)
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
