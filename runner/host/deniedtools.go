package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkDeniedTools warns of listed tools that are always denied: tools of servers by the step's own
// rules, and tools of a used workflow by its caller's rules. Package workflows reports all other
// denials within one file.
func (c *ruleChecker) checkDeniedTools(all []*workflows.Workflow) {
	for _, w := range all {
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Use != nil {
				c.checkUsedTools(w, step)
				continue
			}
			for _, tool := range step.ToolNames() {
				if len(serversNamed(w, []string{tool})) == 1 && !slices.ContainsFunc(step.RuleSets(), func(own workflows.Permissions) bool {
					return c.offers(w, tool, w.Permissions, own)
				}) {
					c.add(positionOfTool(step, tool), workflows.SeverityWarning, diagnostic.CodePermission,
						fmt.Sprintf("the step lists the tool %q, but no rule allows it", tool), "a tool that is always denied is not shown to the model")
				}
			}
		}
	}
}

// checkUsedTools warns, at a step that uses a workflow, of the tools that the rules there always deny.
func (c *ruleChecker) checkUsedTools(w *workflows.Workflow, use *workflows.Step) {
	checked := map[string]bool{}
	for _, used := range use.Use.Workflow.Used() {
		for _, step := range workflows.Leaves(used.Steps) {
			for _, tool := range step.ToolNames() {
				message := fmt.Sprintf("%s lists the tool %q, but no rule in %s allows it", used.Shown, tool, w.Shown)
				if checked[message] {
					continue
				}
				checked[message] = true
				if !c.offers(used, tool, w.Permissions, use.Use.Permissions) {
					c.add(use.Pos, workflows.SeverityWarning, diagnostic.CodePermission, message,
						"the caller's rules hold too, so its model is not offered the tool")
				}
			}
		}
	}
}

// offers reports whether rules may allow a call of a tool of a workflow. A pattern of a server's
// tools counts as offered: which tools there are is not known before the server runs.
func (c *ruleChecker) offers(w *workflows.Workflow, tool string, layers ...workflows.Permissions) bool {
	servers := serversNamed(w, []string{tool})
	if c.policies++; strings.Contains(tool, "*") || len(servers) > 1 || c.policies > maxDeniedTools {
		return true
	}
	config := permission.Config{
		Root: c.root, Home: c.env.home(), Named: c.env.toolNames(), Custom: customNames(w),
		Domains: []permission.Domain{domainOf(layers...)},
	}
	if len(servers) == 1 && w.CustomTools[tool] == nil {
		config.MCP = []permission.MCPTool{{Server: servers[0], Tool: strings.TrimPrefix(tool, servers[0]+"_")}}
	}
	policy, err := permission.New(config)
	return err != nil || policy.Offered(tool) // unreadable rules are reported already
}

// maxDeniedTools is how many tools are compared with rules, which is only for warnings.
const maxDeniedTools = 10_000

// positionOfTool is the position where a step names a tool.
func positionOfTool(step *workflows.Step, tool string) workflows.Position {
	if step.Agent != nil {
		for _, entry := range step.Agent.Tools {
			if entry.Name == tool {
				return entry.Pos
			}
		}
	}
	return step.Pos
}
