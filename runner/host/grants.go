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
func (l *Loaded) checkGrants() workflows.Diagnostics {
	var f findings
	for _, w := range l.all {
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Use == nil || step.Use.Grant == nil && !l.origins.comesFromElsewhere(w, step.Use) {
				continue
			}
			f.checkGrant(step, w.Sandbox)
		}
	}
	return f.found
}

// checkGrant compares what the workflow of a step asks for with what the step grants, in the
// sandbox around it.
func (f *findings) checkGrant(step *workflows.Step, around workflows.Sandbox) {
	given := workflows.Grant{}
	at := step.Use.Pos
	if step.Use.Grant != nil {
		given, at = *step.Use.Grant, step.Use.Grant.Pos
	}
	asked := requirementsOf(step.Use.Workflow)
	lacks, all := asked.beyond(given, around)
	if len(lacks) > 0 {
		f.add(step.Use.Pos, workflows.SeverityError, diagnostic.CodeGrant,
			fmt.Sprintf("%s needs permissions that are not granted: %s", step.Use.Name, strings.Join(inWords(lacks), "; ")),
			"to grant all of it, add to the step: "+all.text())
	}
	if idle := asked.without(given); len(idle) > 0 {
		f.add(at, workflows.SeverityWarning, diagnostic.CodeGrant, fmt.Sprintf("%s is granted what it does not need: %s", step.Use.Name, strings.Join(idle, ", ")), "")
	}
}

// The requirements of a workflow are what it, with those that it uses, needs from its caller's machine.
type requirements struct{ authority.Authority }

func requirementsOf(w *workflows.Workflow) requirements { return requirements{authority.Of(w)} }

// Asks returns what a workflow, with those that it uses, needs from the machine beside its
// tools, in words: "env: GITHUB_TOKEN".
func Asks(w *workflows.Workflow) []string { return inWords(Consent{Tools: true}.Lacks(w)) }

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

// servers says what servers are, with what they are given, and what they may do.
func (a requirements) servers(names []string, around workflows.Sandbox) (said string) {
	for _, c := range a.Commands {
		if c.Serves() && slices.Contains(names, c.Name()) {
			said += fmt.Sprintf(" (%s is %s)", c.Name(), c.Runs())
		}
	}
	if may := ServersMay(a.Programs(names), around); may != "" {
		said += " (" + may + ")"
	}
	return said
}

// commands are those that a grant of commands is about.
func (a requirements) commands() []authority.Command {
	return slices.DeleteFunc(slices.Clone(a.Commands), func(c authority.Command) bool { return c.Serves() || c.Kind == "call" })
}

// A granted list is what is asked for under one key of a grant, and what is given.
type grantedList struct {
	key    string
	asked  []string
	given  []string
	others []string // that do, too
}

func (a requirements) lists(g workflows.Grant) []grantedList {
	return []grantedList{
		{"env", a.Env, g.Env, nil},
		{"secrets", a.Secrets, g.Secrets, g.Env},
		{"mcp", a.Servers, g.MCP, nil},
		{"addresses", a.Addresses, g.Addresses, nil},
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

// beyond says what is asked for and not given, and what a grant of all of it is.
func (a requirements) beyond(g workflows.Grant, around workflows.Sandbox) (lacks []Lack, all grant) {
	if commands := a.commands(); len(commands) > 0 {
		all = append(all, "commands: true")
		if !g.Commands {
			var lines []string
			for _, c := range commands {
				lines = append(lines, lineAt(c))
			}
			lacks = append(lacks, Lack{"commands: " + strings.Join(lines, ", "), "commands"})
		}
	}
	for _, l := range a.lists(g) {
		if len(l.asked) > 0 {
			all = append(all, fmt.Sprintf("%s: [%s]", l.key, strings.Join(quoted(l.asked), ", ")))
		}
		missing := slices.DeleteFunc(slices.Clone(l.asked), func(name string) bool {
			return workflows.Covers(l.given, name) || workflows.Covers(l.others, name)
		})
		if len(missing) > 0 {
			lack := l.key + ": " + strings.Join(missing, ", ")
			if l.key == "mcp" {
				lack += a.servers(missing, around)
			}
			lacks = append(lacks, Lack{lack, l.key + "=" + strings.Join(missing, ",")})
		}
	}
	return lacks, all
}

// without says what is given and not asked for.
func (a requirements) without(g workflows.Grant) (idle []string) {
	if g.Commands && len(a.commands()) == 0 {
		idle = append(idle, "commands")
	}
	for _, l := range a.lists(g) {
		for _, name := range l.given {
			wanted := func(asked string) bool { return workflows.Covers([]string{name}, asked) }
			if !slices.ContainsFunc(l.asked, wanted) && !(l.key == "env" && slices.ContainsFunc(a.Secrets, wanted)) {
				idle = append(idle, name)
			}
		}
	}
	return idle
}

// A grant is one as it is written down, key by key.
type grant []string

func (g grant) text() string { return "grant: {" + strings.Join(g, ", ") + "}" }

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
