package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Consent is what who runs a workflow from elsewhere lets it have. The zero Consent is
// nothing.
type Consent struct {
	workflows.Grant
	Tools   bool // by its own rules, which no caller's bound
	Unasked bool // nobody is asked for its calls, and the answer is yes
}

// Add adds what a word lets it have, which is commands, tools, or a key of a grant with names:
// env=NAME,NAME.
func (c *Consent) Add(word string) error {
	key, names, named := strings.Cut(word, "=")
	list := map[string]*[]string{"env": &c.Env, "secrets": &c.Secrets, "mcp": &c.MCP, "addresses": &c.Addresses}[key]
	switch {
	case word == "commands":
		c.Commands = true
	case word == "tools":
		c.Tools = true
	case list == nil || !named || names == "":
		return steps.Invalid("", "%q: expected commands, tools, env=NAME, secrets=NAME, mcp=NAME or addresses=HOST", word)
	default:
		*list = append(*list, strings.Split(names, ",")...)
	}
	return nil
}

// Lacks is what a workflow, with those that it uses, wants and is not let have: "env:
// GITHUB_TOKEN", "tools: bash: allow git log *". The setups of its tests are commands, too.
func (c Consent) Lacks(w *workflows.Workflow, setups ...authority.Command) []Lack {
	asked := requirementsOf(w)
	asked.Commands = append(asked.Commands, setups...)
	lacks, _ := asked.beyond(c.Grant, workflows.Sandbox{})
	if c.Tools {
		return lacks
	}
	var rules, calls []string
	for _, step := range asked.Steps {
		for _, rule := range step.Rules {
			if strings.Contains(rule, ": allow ") || c.Unasked && strings.Contains(rule, ": ask ") {
				rules = append(rules, rule)
			}
		}
	}
	for _, call := range asked.Authority.Commands {
		if call.Kind == "call" { // which is made as far as the rules allow it
			calls = append(calls, lineAt(call))
		}
	}
	if len(rules) == 0 {
		return lacks
	}
	slices.Sort(rules)
	return append(lacks, Lack{"tools: " + strings.Join(append(slices.Compact(rules), calls...), ", "), "tools"})
}

// lineAt is the line of a command, with where it stands.
func lineAt(c authority.Command) string { return fmt.Sprintf("%s (%s)", c.Line, c.At) }
