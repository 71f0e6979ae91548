package host

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkRules reports rules that the policy engine can't read, and warns of rules that don't do
// what their author may think. Only this package knows the engine.
func (l *Loaded) checkRules(f *findings) {
	c := ruleChecker{findings: f, boxes: &toolboxes{Loaded: l, unknown: true}, asked: newDeniedTools(l), checked: map[checkedRule]bool{}, root: l.env.ruleRoot(l.Workflow)}
	for _, w := range l.all {
		c.values = l.env.names(w, defaults(w))
		if !l.foreign[w] { // whose commands are held
			c.writtenCode(w, w.Steps, nil)
		}
		c.check(w, nil)
		c.examples(w, w.Examples, nil)
		c.noValues(w, w.Permissions)
		for _, agent := range w.Agents {
			c.noValues(w, agent.Permissions)
			c.check(w, agent.Permissions)
			c.examples(w, agent.Examples, agent.Permissions)
		}
		for _, step := range workflows.Leaves(w.Steps) {
			c.noValues(w, step.RuleSets()...)
			sets := slices.DeleteFunc(step.RuleSets(), func(own workflows.Permissions) bool { return own == nil })
			for _, own := range sets {
				c.check(w, own)
			}
			c.examples(w, step.Examples, sets...)
			if step.Use != nil {
				c.usedTools(w, step)
			}
		}
	}
}

// ruleRoot returns the folder in which examples of rules are judged: the workspace, or the current
// folder if the workspace is not known or does not exist yet.
func (env Environment) ruleRoot(w *workflows.Workflow) string {
	start, err := StartFolder()
	if err != nil {
		return string(filepath.Separator)
	}
	root, err := env.workspaceOf(w, defaults(w), start)
	if err != nil {
		return start
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return start
	}
	return root
}

type ruleChecker struct {
	*findings
	boxes *toolboxes   // of no run
	asked *deniedTools // which tools rules deny
	root  string       // in which examples are judged

	checked  map[checkedRule]bool // alone
	compared int                  // how many rules were compared with others of their layers

	values workflows.Env // of the workflow that is checked, for patterns with expressions: the inputs have their defaults
}

// A checkedRule is a rule of a file, which several steps may have: a file may repeat a step, and give two tools
// the same rules.
type checkedRule struct {
	pos          workflows.Position
	key, pattern string
}

// noValues reports expressions in the patterns of a workflow from elsewhere: what it may do is known from
// its files.
func (c *ruleChecker) noValues(w *workflows.Workflow, layers ...workflows.Permissions) {
	if !c.boxes.foreign[w] {
		return
	}
	for r := range rulesWithValues(layers...) {
		c.add(r.Pos, workflows.SeverityError, diagnostic.CodePermission, "a workflow from elsewhere has no expressions in the patterns of its rules",
			"name the path, and let the rules of the step that uses it narrow that")
	}
}

// layer has the rules of a workflow and, under them, those of one of its steps.
func (c *ruleChecker) layer(w *workflows.Workflow, own workflows.Permissions) runner.Layer {
	return runner.Layer{Workflow: w, Step: own, Workspace: c.root, Env: c.values}
}

// policy returns the policy of a workflow's tools, with sets of rules of a step.
func (c *ruleChecker) policy(w *workflows.Workflow, sets ...workflows.Permissions) (*permission.Policy, error) {
	scope := runner.ToolScope{Workflow: w, Workspace: c.root}
	for _, own := range sets {
		scope.Layers = append(scope.Layers, c.layer(w, own))
	}
	return c.boxes.policyOf(scope, filesOf(w.Used()), nil)
}

// withoutValues are rules without those whose patterns have values, which are not compared.
func withoutValues(layers []workflows.Permissions) (all []workflows.Permissions) {
	for _, layer := range layers {
		plain := workflows.Permissions{}
		for key, list := range layer {
			plain[key] = slices.DeleteFunc(slices.Clone(list), func(r workflows.Rule) bool { return r.Values != nil })
		}
		all = append(all, plain)
	}
	return all
}

// check checks the rules of a workflow and of one of its steps.
func (c *ruleChecker) check(w *workflows.Workflow, own workflows.Permissions) {
	filled, _ := c.boxes.filled(c.layer(w, own)) // a value that is not known matches nothing
	layers := []workflows.Permissions{w.Permissions, own}
	isNew, size := own == nil, 0
	for _, layer := range layers {
		for key, list := range layer {
			size += len(list)
			for _, r := range list {
				rule := checkedRule{r.Pos, key, r.Pattern}
				if c.checked[rule] {
					continue
				}
				c.checked[rule], isNew = true, true
				c.compile(key, r, filled)
				c.folder(key, r)
			}
		}
	}
	if !isNew { // what there is to say of the rules is said
		return
	}
	if c.compared += size; c.compared > maxCompiled {
		return
	}
	for _, warning := range permission.Warnings(domainOf(withoutValues(layers)...).Layers...) {
		if at, ok := positionOfRule(layers, warning); ok {
			c.add(at, workflows.SeverityWarning, diagnostic.CodePermission, warning.Message, "")
		}
	}
}

// compile compiles a rule alone.
func (c *ruleChecker) compile(key string, r workflows.Rule, filled map[string]string) {
	domain := domainOf(workflows.Permissions{key: {r}})
	domain.Filled = filled
	_, err := permission.New(permission.Config{Root: string(filepath.Separator), Home: string(filepath.Separator), Domains: []permission.Domain{domain}})
	if err != nil {
		c.add(r.Pos, workflows.SeverityError, diagnostic.CodePermission, err.Error(), "")
	}
}

// folder warns of a rule for a file that is a folder, and of one that begins with / and means a folder of the workspace.
func (c *ruleChecker) folder(key string, r workflows.Rule) {
	isFolder := func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && info.IsDir()
	}
	inside, rooted := strings.CutPrefix(r.Pattern, "/")
	top, _, _ := strings.Cut(inside, "/")
	switch {
	case key != "read" && key != "write":
	case rooted && isFolder(filepath.Join(c.root, top)) && !isFolder("/"+top):
		c.add(r.Pos, workflows.SeverityWarning, diagnostic.CodePermission, fmt.Sprintf("%q begins at the root of the machine, where there is no folder %q", r.Pattern, top), fmt.Sprintf("%q begins at the workspace", inside))
	case filepath.IsLocal(r.Pattern) && !strings.HasSuffix(r.Pattern, "/") && isFolder(filepath.Join(c.root, r.Pattern)):
		c.add(r.Pos, workflows.SeverityWarning, diagnostic.CodePermission, strconv.Quote(r.Pattern)+" is a folder, and the rule is not about what is in it", strconv.Quote(r.Pattern+"/**")+" is what is in it")
	}
}

// usedTools warns, at a step that uses a workflow, of the tools there that the rules here always deny.
func (c *ruleChecker) usedTools(w *workflows.Workflow, use *workflows.Step) {
	for _, used := range use.Use.Workflow.Used() {
		var names []string
		for _, step := range workflows.Leaves(used.Steps) {
			names = append(names, step.ToolNames()...)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		var denied []string
		for _, own := range use.RuleSets() {
			denied = append(denied, c.asked.of(used, runner.Layer{Workflow: w, Step: own}, names)...)
		}
		slices.Sort(denied)
		for _, tool := range slices.Compact(denied) {
			c.add(use.Pos, workflows.SeverityWarning, diagnostic.CodePermission,
				fmt.Sprintf("the model of %q is not offered the tool %q, because no rule of %q allows it", used.Shown, tool, w.Shown),
				fmt.Sprintf("add a rule that allows it to %q", w.Shown))
		}
	}
}

// positionOfRule finds the rule that a warning is about.
func positionOfRule(layers []workflows.Permissions, warning permission.Warning) (workflows.Position, bool) {
	for _, layer := range layers {
		for _, r := range layer[warning.Key] {
			if r.Pattern == warning.Pattern {
				return r.Pos, true
			}
		}
	}
	return workflows.Position{}, false
}

// examples judges the example calls beside a workflow's rules, and reports those that the rules
// decide differently. Each of the sets of rules has to allow a call.
func (c *ruleChecker) examples(w *workflows.Workflow, examples []workflows.Example, sets ...workflows.Permissions) {
	if len(examples) == 0 {
		return
	}
	policy, err := c.policy(w, sets...)
	if err != nil {
		return // the rule that can't be read is reported
	}
	for _, e := range examples {
		input, err := callInput(e.Tool, e.Call)
		if err != nil {
			c.add(e.Pos, workflows.SeverityError, diagnostic.CodePermission, err.Error(), `such as '{"package": "fmt"}'`)
			continue
		}
		d := policy.Decide(permission.Call{Tool: e.Tool, Input: input})
		if e.Want == d.Verdict.String() || e.Want == "" && d.Verdict != permission.Allow {
			continue
		}
		message := fmt.Sprintf("the example expects %s of the call %s %q, but the rules say %s", cmp.Or(e.Want, "ask or deny"), e.Tool, e.Call, d.Verdict)
		c.add(e.Pos, workflows.SeverityError, diagnostic.CodePermission, message, whyDecided(d))
	}
}

// whyDecided returns the reason of a decision, and the rule unless the reason names it.
func whyDecided(d permission.Decision) string {
	_, pattern, _ := strings.Cut(d.Rule, ": ")
	if d.Rule == "" || strings.Contains(d.Reason, pattern) {
		return d.Reason
	}
	return fmt.Sprintf("the rule %q decides: %s", d.Rule, d.Reason)
}

// domainOf has the rules of a workflow and, under them, those of one of its steps. A key without
// rules, which denies its tool, is kept, and so is a word that no file has: it denies.
func domainOf(layers ...workflows.Permissions) (domain permission.Domain) {
	for _, given := range layers {
		rules := permission.Rules{}
		for key, list := range given {
			rules[key] = []permission.Rule{}
			for _, r := range list {
				verdict, _ := permission.ParseVerdict(r.Decision)
				rules[key] = append(rules[key], permission.Rule{Pattern: r.Pattern, Verdict: verdict})
			}
		}
		domain.Layers = append(domain.Layers, rules)
	}
	return domain
}

// customNames returns the tools that are allowed unless a rule names them.
func customNames(w *workflows.Workflow) []string {
	return append(slices.Sorted(maps.Keys(w.CustomTools)), w.ToolNames...)
}
