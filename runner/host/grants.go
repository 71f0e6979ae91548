package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkGrants refuses workflows from elsewhere that ask for more than the steps that use them
// grant. A file of the caller's own author is checked only if its step has a grant.
func (l *Loaded) checkGrants(f *findings) {
	asked := map[*workflows.Workflow]authority.Authority{} // many steps may use one
	for _, w := range l.all {
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Use == nil || step.Use.Grant == nil && !l.origins.comesFromElsewhere(w, step.Use) {
				continue
			}
			used := step.Use.Workflow
			if _, known := asked[used]; !known {
				asked[used] = authority.Of(used)
			}
			f.checkGrant(step, asked[used], w.Sandbox)
		}
	}
}

// checkGrant compares what is asked for by the workflow of a step with what the step grants, in the
// sandbox around it.
func (f *findings) checkGrant(step *workflows.Step, asked authority.Authority, around workflows.Sandbox) {
	given := workflows.Grant{}
	at := step.Use.Pos
	if step.Use.Grant != nil {
		given, at = *step.Use.Grant, step.Use.Grant.Pos
	}
	var all, idle []string
	for _, n := range needsOf(asked, given) {
		idle = append(idle, n.idle...)
		switch {
		case len(n.asked) == 0:
		case n.key == keyCommands:
			all = append(all, keyCommands+": true")
		default:
			all = append(all, n.key+": ["+strings.Join(quoted(n.asked), ", ")+"]")
		}
	}
	if lacks := lacksOf(asked, given, around); len(lacks) > 0 {
		f.add(step.Use.Pos, workflows.SeverityError, diagnostic.CodeGrant,
			fmt.Sprintf("%s needs permissions that are not granted: %s", step.Use.Name, strings.Join(inWords(lacks), "; ")),
			"to grant all of it, add to the step: grant: {"+strings.Join(all, ", ")+"}")
	}
	if len(idle) > 0 {
		f.add(at, workflows.SeverityWarning, diagnostic.CodeGrant, fmt.Sprintf("%s is granted what it does not need: %s", step.Use.Name, strings.Join(idle, ", ")), "")
	}
}

// quoted are names as YAML has them.
func quoted(names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		if strings.ContainsAny(name, "*:[]{}, ") {
			out[i] = fmt.Sprintf("%q", name)
		}
	}
	return out
}

// keyCommands is the key of a grant without names.
const keyCommands = "commands"

// A need is what a workflow, with those that it uses, asks for under one key of a grant.
type need struct {
	key                  string
	asked, missing, idle []string // what is asked for, what of it is not given, and what is given and not asked for
}

// needsOf compares what is asked for with what is given, key by key.
func needsOf(asked authority.Authority, given workflows.Grant) []need {
	commands := need{key: keyCommands}
	for _, c := range asked.Commands {
		if !c.Serves() && c.Kind != "call" {
			commands.asked = append(commands.asked, lineAt(c))
		}
	}
	switch {
	case !given.Commands:
		commands.missing = commands.asked
	case len(commands.asked) == 0:
		commands.idle = []string{keyCommands}
	}
	env := namesNeeded("env", asked.Env, given.Env, nil)
	env.idle = namesNeeded("env", slices.Concat(asked.Env, asked.Secrets), given.Env, nil).idle
	return []need{
		commands, env,
		namesNeeded("secrets", asked.Secrets, given.Secrets, given.Env),
		namesNeeded("mcp", asked.Servers, given.MCP, nil),
		namesNeeded("addresses", asked.Addresses, given.Addresses, nil),
	}
}

// namesNeeded compares the names of one key; others are given under another key, and do, too.
func namesNeeded(key string, asked, given, others []string) need {
	return need{
		key: key, asked: asked,
		missing: slices.DeleteFunc(slices.Clone(asked), func(name string) bool {
			return workflows.Covers(given, name) || workflows.Covers(others, name)
		}),
		idle: slices.DeleteFunc(slices.Clone(given), func(name string) bool {
			return slices.ContainsFunc(asked, func(asked string) bool { return workflows.Covers([]string{name}, asked) })
		}),
	}
}

// A Lack is something that a workflow asks for and is not let have.
type Lack struct {
	Text string // in words: "env: GITHUB_TOKEN"
	Word string // with which [Consent.Add] lets it have that: "env=GITHUB_TOKEN"
}

func inWords(lacks []Lack) (words []string) {
	for _, l := range lacks {
		words = append(words, l.Text)
	}
	return words
}

// inNeed says by a key of a grant what a workflow needs to do.
var inNeed = map[string]string{
	keyCommands: "to run the commands", "env": "to read the variables", "secrets": "to read the secrets",
	"mcp": "to use the MCP servers", "addresses": "to reach the addresses",
}

// lacksOf says what is asked for and not given, in the sandbox around.
func lacksOf(asked authority.Authority, given workflows.Grant, around workflows.Sandbox) (lacks []Lack) {
	for _, n := range needsOf(asked, given) {
		if len(n.missing) == 0 {
			continue
		}
		l := Lack{inNeed[n.key] + " " + strings.Join(n.missing, ", "), n.key + "=" + strings.Join(n.missing, ",")}
		switch n.key {
		case keyCommands:
			l.Word = keyCommands
		case "mcp":
			l.Text += serversOf(asked, n.missing, around)
		}
		lacks = append(lacks, l)
	}
	return lacks
}

// serversOf says what servers are, with what they are given, and what they may do.
func serversOf(asked authority.Authority, names []string, around workflows.Sandbox) (said string) {
	for _, c := range asked.Commands {
		if c.Serves() && slices.Contains(names, c.Name()) {
			said += fmt.Sprintf(" (%s is %s)", c.Name(), c.Runs())
		}
	}
	if may := ServersMay(asked.Programs(names), around); may != "" {
		said += " (" + may + ")"
	}
	return said
}

// ServersMay says what the programs of MCP servers that a workflow from elsewhere starts may do on
// this machine, in the sandbox around it: they live for the run, so that what they do is not
// judged. It returns "" for none.
func ServersMay(programs []string, around workflows.Sandbox) string {
	if len(programs) == 0 {
		return ""
	}
	may := strings.Join(programs, ", ") + ": runs until the run ends, "
	isHeld := held.Available() == nil && !around.Landlock
	if around.Off || !isHeld && shell.Sandboxes() != nil {
		return may + "and can do everything that you can: it is not sandboxed here"
	}
	may += "can read what you can, except keys in the home folder; can change temporary files"
	if !isHeld {
		may += " and caches"
	}
	if around.Offline {
		return may + " only; has no network"
	}
	return may + " only; has the network"
}

// Asks returns what a workflow, with those that it uses, needs from the machine beside its
// tools, in words: "env: GITHUB_TOKEN".
func Asks(w *workflows.Workflow) []string { return inWords(Consent{Tools: true}.Lacks(w)) }

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
	case word == keyCommands:
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
	asked := authority.Of(w)
	asked.Commands = append(asked.Commands, setups...)
	lacks := lacksOf(asked, c.Grant, workflows.Sandbox{})
	if c.Tools {
		return lacks
	}
	var rules, calls []string
	for _, rule := range asked.Rules {
		if strings.Contains(rule, ": allow ") || c.Unasked && strings.Contains(rule, ": ask ") {
			rules = append(rules, rule)
		}
	}
	for _, call := range asked.Commands {
		if call.Kind == "call" { // which is made as far as the rules allow it
			calls = append(calls, lineAt(call))
		}
	}
	if len(rules) == 0 {
		return lacks
	}
	return append(lacks, Lack{"to use the tools " + strings.Join(append(rules, calls...), ", "), "tools"})
}

// lineAt is the line of a command, with where it stands.
func lineAt(c authority.Command) string { return fmt.Sprintf("%s (%s)", c.Line, c.At) }
