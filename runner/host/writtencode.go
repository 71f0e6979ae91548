package host

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// writtenCode warns of commands of the author that are not held, and run files that a model may have
// written before. It checks a list of steps that run after some agents, and returns all agents that have
// run after it. In a group that repeats, all of its agents have run before each step.
func (c *ruleChecker) writtenCode(w *workflows.Workflow, list, agents []*workflows.Step) []*workflows.Step {
	for _, step := range list {
		switch {
		case isWriter(step):
			agents = append(slices.Clip(agents), step)
		case step.Group != nil:
			if step.Repeats() {
				inside := slices.DeleteFunc(workflows.Leaves(step.Group.Steps), func(s *workflows.Step) bool { return !isWriter(s) })
				agents = slices.Concat(agents, inside)
			}
			agents = c.writtenCode(w, step.Group.Steps, agents)
		case step.Command != nil && !step.Command.Held:
			c.writtenFor(w, step, agents)
		}
	}
	return agents
}

// isWriter reports whether a step is an agent with a tool that writes files.
func isWriter(step *workflows.Step) bool {
	return step.Agent != nil && slices.ContainsFunc(step.ToolNames(), func(tool string) bool { return tool == "write" || tool == "edit" || tool == toolBash })
}

// writtenFor warns once of a command, for the first agent that may write its files.
func (c *ruleChecker) writtenFor(w *workflows.Workflow, step *workflows.Step, agents []*workflows.Step) {
	executed := executedBy(step.Command.Script.Source())
	for _, agent := range agents {
		i := slices.IndexFunc(executed, func(e permission.Executed) bool { return c.mayWrite(w, agent, e) })
		if i < 0 {
			continue
		}
		c.add(step.Command.Script.Position(), workflows.SeverityWarning, diagnostic.CodePermission,
			fmt.Sprintf("%s runs files that step %q may write, and then they can do all that you can", executed[i].Words, agent.Path),
			"add held: true to this step: where commands can be held, the command can then change only the workspace")
		return
	}
}

var embedded = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\$\{\{.*?\}\}`) })

// executedBy finds the commands of a script that run files of the workspace. A script that can't be
// parsed has none.
func executedBy(script string) []permission.Executed {
	file, err := bash.Parse(embedded().ReplaceAllString(script, "_"))
	if err != nil {
		return nil
	}
	var found []permission.Executed
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := make([]string, len(call.Args))
			for i, w := range call.Args {
				words[i] = w.Lit()
			}
			if e, ok := permission.ExecutedBy(words); ok {
				found = append(found, e)
			}
		}
		return true
	})
	return found
}

// mayWrite reports whether an agent may write the files that a command runs: the one that it names, or
// those that a rule for more than prose allows.
func (c *ruleChecker) mayWrite(w *workflows.Workflow, agent *workflows.Step, e permission.Executed) bool {
	if e.File == "" {
		return slices.ContainsFunc(slices.Concat(w.Permissions["write"], agent.Permissions["write"]), func(r workflows.Rule) bool {
			prose := slices.Contains([]string{".md", ".txt", ".rst", ".csv", ".html"}, path.Ext(r.Pattern))
			return r.Decision != "deny" && !prose
		})
	}
	policy, err := c.policy(w, agent.RuleSets()...)
	return err == nil && about(policy, "write", e.File).Verdict != permission.Deny
}
