package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A listedTool is a tool that a step of a workflow lists or calls.
type listedTool struct {
	workflow *workflows.Workflow
	step     *workflows.Step
	tool     string // may be a pattern of a server's tools
}

// checkWithheld warns of tools that used workflows list and their callers' rules always deny, and of
// tools of servers that the step's own rules always deny. Package workflows reports all other
// denials within one file.
func (c *ruleChecker) checkWithheld(all []*workflows.Workflow) {
	below := map[*workflows.Workflow][]listedTool{}
	for _, w := range slices.Backward(all) {
		listings(w, below)
	}
	for _, w := range all {
		told := map[*workflows.Workflow]bool{} // a second step without rules of its own says nothing new
		for _, step := range workflows.Leaves(w.Steps) {
			switch {
			case step.Use == nil:
				c.withheldHere(w, step)
			case len(step.Use.Permissions) > 0 || !told[step.Use.Workflow]:
				told[step.Use.Workflow] = told[step.Use.Workflow] || len(step.Use.Permissions) == 0
				c.withheldBelow(w, step, below[step.Use.Workflow])
			}
		}
	}
}

// listings returns the tools that a workflow and those that it uses list, each once.
func listings(w *workflows.Workflow, below map[*workflows.Workflow][]listedTool) []listedTool {
	if found, done := below[w]; done {
		return found
	}
	found := []listedTool{}
	type listing struct { // what matters of a listed tool
		workflow    *workflows.Workflow
		tool, rules string
	}
	seen := map[listing]bool{}
	add := func(l listedTool) {
		id := listing{l.workflow, l.tool, rulesText(l.step.Rules())}
		if !seen[id] {
			seen[id], found = true, append(found, l)
		}
	}
	for _, step := range workflows.Leaves(w.Steps) {
		for _, tool := range step.ToolNames() {
			add(listedTool{w, step, tool})
		}
		if step.Use != nil {
			for _, l := range listings(step.Use.Workflow, below) {
				add(l)
			}
		}
	}
	below[w] = found
	return found
}

// withheldHere warns of tools of servers that no rule of the step allows.
func (c *ruleChecker) withheldHere(w *workflows.Workflow, step *workflows.Step) {
	for _, tool := range step.ToolNames() {
		l := listedTool{w, step, tool}
		if len(serversNamed(w, []string{tool})) > 0 && c.looks() && c.withheldByOwn(l) {
			c.add(positionOfTool(step, tool), workflows.SeverityWarning, diagnostic.CodePermission,
				fmt.Sprintf("the step lists the tool %q, but no rule allows it", tool), "a tool that is always denied is not shown to the model")
		}
	}
}

// withheldBelow warns, at the step that uses a workflow, of the tools that the rules there withhold.
func (c *ruleChecker) withheldBelow(w *workflows.Workflow, step *workflows.Step, below []listedTool) {
	rules := c.rulesOver(below, w.Permissions, step.Use.Permissions)
	told := map[string]bool{}
	for _, l := range below {
		what := fmt.Sprintf("%s lists the tool %q", l.workflow.File, l.tool)
		if told[what] || !c.looks() || !rules.withhold(l) || c.withheldByOwn(l) {
			continue
		}
		told[what] = true
		key := l.tool
		if strings.Contains(key, "*") {
			key = fmt.Sprintf("%q", key)
		}
		c.add(step.Pos, workflows.SeverityWarning, diagnostic.CodePermission, what+", but no rule here allows it",
			fmt.Sprintf("a used workflow runs under its caller's rules too, and its model is not shown the tool; such as permissions: {%s: %s}", key, ownRules(l, below)))
	}
}

// ownRules returns the rules by which a workflow allows its steps a tool, as its caller would write
// them. It needs no more.
func ownRules(l listedTool, below []listedTool) string {
	var rules []string
	for _, other := range below {
		if other.workflow != l.workflow || other.tool != l.tool {
			continue
		}
		own, file := other.step.Rules()[l.tool], l.workflow.Permissions[l.tool]
		if slices.ContainsFunc(own, catchesAll) {
			file = slices.DeleteFunc(slices.Clone(file), catchesAll)
		}
		for _, r := range slices.Concat(file, own) {
			switch rule := fmt.Sprintf("%q: %s", r.Pattern, r.Decision); {
			case r.Decision == "deny" || slices.Contains(rules, rule):
			case catchesAll(r):
				return r.Decision
			default:
				rules = append(rules, rule)
			}
		}
	}
	if len(rules) == 0 || l.workflow.Workspace != nil { // whose paths begin at another folder
		return "allow"
	}
	return "{" + strings.Join(rules, ", ") + "}"
}

func catchesAll(r workflows.Rule) bool { return permission.IsCatchAll(r.Pattern) }

// mostLooks is how many tools are checked against rules, which is only for warnings.
const mostLooks = 10_000

func (c *ruleChecker) looks() bool {
	c.looked++
	return c.looked <= mostLooks
}

// withheldByOwn reports whether the rules of the step and its file deny every call of the tool.
func (c *ruleChecker) withheldByOwn(l listedTool) bool {
	withheld, known := c.byOwn[l]
	if !known {
		withheld = slices.ContainsFunc(l.step.RuleSets(), func(own workflows.Permissions) bool {
			return c.rulesOver([]listedTool{l}, l.workflow.Permissions, own).withhold(l)
		})
		c.byOwn[l] = withheld
	}
	return withheld
}

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

// A ruling applies the rules of one file, and of a step in it, to the tools of used workflows.
type ruling struct {
	config   permission.Config
	below    []listedTool
	layers   []workflows.Permissions
	policies map[*workflows.Workflow]*permission.Policy // nil where the rules can't be read
}

// rulesOver applies rules to tools.
func (c *ruleChecker) rulesOver(below []listedTool, layers ...workflows.Permissions) *ruling {
	return &ruling{permission.Config{Root: c.root, Home: c.env.home(), Named: c.env.toolNames()}, below, layers, map[*workflows.Workflow]*permission.Policy{}}
}

// withhold reports whether the rules deny every call of a tool.
func (r *ruling) withhold(l listedTool) bool {
	policy := r.policy(l.workflow)
	if policy == nil {
		return false // it is told already
	}
	if servers := serversNamed(l.workflow, []string{l.tool}); len(servers) > 1 {
		return false // whose tool it is shows when they run
	}
	return !slices.ContainsFunc(r.standFor(l.tool), policy.Offered)
}

// policy returns the policy of the rules over the tools of a workflow.
func (r *ruling) policy(w *workflows.Workflow) *permission.Policy {
	if policy, made := r.policies[w]; made {
		return policy
	}
	r.policies[w] = nil
	config := r.config
	config.Custom = customNames(w)
	config.Domains = []permission.Domain{domainOf(r.layers...)}
	config.MCP = r.announced(w)
	if policy, err := permission.New(config); err == nil {
		r.policies[w] = policy
	}
	return r.policies[w]
}

// announced returns the tools of servers that a workflow's lists may name.
func (r *ruling) announced(w *workflows.Workflow) []permission.MCPTool {
	found := []permission.MCPTool{}
	for _, l := range r.below {
		servers := serversNamed(w, []string{l.tool})
		if l.workflow != w || len(servers) != 1 || w.CustomTools[l.tool] != nil {
			continue
		}
		for _, name := range r.standFor(l.tool) {
			found = append(found, permission.MCPTool{Server: servers[0], Tool: strings.TrimPrefix(name, servers[0]+"_")})
		}
	}
	return found
}

// standFor returns the names to try for an entry of a list. For a pattern such as github_* they are
// one that no rule names, and those that rules may name.
func (r *ruling) standFor(entry string) []string {
	prefix, isPattern := strings.CutSuffix(entry, "*")
	if !isPattern {
		return []string{entry}
	}
	names := []string{prefix + "x"}
	for _, layer := range r.layers {
		for key := range layer {
			if name := strings.NewReplacer("*", "x", "?", "x").Replace(key); lists(entry, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
