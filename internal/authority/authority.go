// Package authority lists what a workflow may do at most. Nothing runs, and no file is read.
//
//	for _, line := range authority.Of(w).Lines {
//		fmt.Println(line)
//	}
//
// The list includes the used workflows. A lock has it, and an update shows how two lists differ:
// see [Compare].
package authority

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Authority is what a workflow, with those that it uses, may do. All lists are sorted. The zero
// value may do nothing.
type Authority struct {
	Lines []string `json:"lines,omitempty"` // all of it: each says one thing, with its limits

	// The parts of it that are granted.
	Commands  []Command `json:"commands,omitempty"`  // the author's own
	Env       []string  `json:"env,omitempty"`       // variables, but for Secrets
	Secrets   []string  `json:"secrets,omitempty"`   // variables whose values are masked
	Addresses []string  `json:"addresses,omitempty"` // hosts of its own services and servers; "*" is any
	Servers   []string  `json:"mcp,omitempty"`       // MCP servers, by name
	Rules     []string  `json:"rules,omitempty"`     // of all steps: "bash: allow git log *"
	Sandboxes []string  `json:"sandboxes,omitempty"` // of its files, where they say more than the default: "flow.yaml: off"

	// RunsFiles reports whether it has commands, servers or calls of its author, or lets a model call
	// bash: these may run any file that they can read. So do expressions that read files: what they
	// read decides like an if.
	RunsFiles bool `json:"runs_files,omitempty"`
}

// Of returns the authority of a workflow. The value of an expression may be anything, and is
// listed as such.
func Of(w *workflows.Workflow) Authority {
	c := &collector{at: map[*workflows.Workflow]string{}, around: map[*workflows.Step]surroundings{}}
	c.workflow(w, path.Base(filepath.ToSlash(w.File)))
	return c.sorted()
}

// Programs returns those of the named MCP servers that are programs of this machine.
func (a Authority) Programs(names []string) (programs []string) {
	for _, c := range a.Commands {
		if c.Kind == "mcp" && slices.Contains(names, c.Name()) && !slices.Contains(programs, c.Name()) {
			programs = append(programs, c.Name())
		}
	}
	return programs
}

// A collector visits workflows, each once.
type collector struct {
	Authority
	at     map[*workflows.Workflow]string // what each is called, the same on every machine
	around map[*workflows.Step]surroundings
}

// surroundings are the folder that a step works in, within its workflow's, and the conditions that
// let it run: its own, and those of the groups around it.
type surroundings struct {
	folder string
	ifs    []string
}

func (c *collector) say(format string, args ...any) {
	c.Lines = append(c.Lines, fmt.Sprintf(format, args...))
}

func (c *collector) workflow(w *workflows.Workflow, at string) {
	if _, done := c.at[w]; done {
		return
	}
	c.at[w] = at
	c.file(w, at)
	c.variables(w)
	c.providers(w, at)
	c.servers(w, at)
	c.tools(w, at)
	c.given(at, w.Env)
	c.lists(at, w.Steps, surroundings{})
	for _, step := range workflows.Leaves(w.Steps) {
		c.step(w, at, step)
	}
}

// lists adds the variables that steps and the groups around them set, and remembers what is around
// each.
func (c *collector) lists(at string, list []*workflows.Step, outer surroundings) {
	for _, step := range list {
		c.given(at+" "+step.Path, step.Env)
		here := surroundings{outer.folder, slices.Clip(outer.ifs)}
		if step.Workspace != nil {
			here.folder = path.Join(here.folder, step.Workspace.Source())
		}
		if step.If != nil {
			here.ifs = append(here.ifs, step.If.Source())
		}
		if step.When != nil {
			here.ifs = append(here.ifs, step.When.Source())
		}
		if c.around[step] = here; step.Group != nil {
			c.lists(at, step.Group.Steps, here)
		}
	}
}

// step adds what one step may do.
func (c *collector) step(w *workflows.Workflow, file string, step *workflows.Step) {
	at := file + " " + step.Path
	switch {
	case step.Command != nil:
		command := Script(at, "run", step.Command.Script.Source())
		command.Held = step.Command.Held
		c.command(command, step)
	case step.Call != nil:
		c.command(Script(at, "call", step.Call.Tool+" "+arguments(step.With)), step)
		c.ruled(w, at, step, "calls "+step.Call.Tool, "")
		return
	case step.Question != nil:
		text := strings.Join(append([]string{step.Question.Text.Source()}, step.Question.Choices...), "\n")
		c.say("%s asks a person: %s%s", place("step", at), commandOf("", "", text).full(), c.limits(step, ""))
	case step.Agent != nil:
		c.agent(w, at, step)
		return
	case step.Use != nil:
		used := c.nameOf(w, file, step.Use)
		c.ruled(w, at, step, "uses the workflow "+quoted(used)+prefixed(" ", granted(step.Use)), "")
		c.workflow(step.Use.Workflow, used)
		return
	}
	if len(w.Reads) > 0 { // its rules for reading are those of its expressions, too
		c.ruled(w, at, step, readsFiles, "")
	}
}

const readsFiles = "reads files by file() and glob()"

// agent adds the models of a step, its tools and its checks.
func (c *collector) agent(w *workflows.Workflow, at string, step *workflows.Step) {
	for _, model := range models(w, step.Agent.Model) {
		c.say("model: %s", model)
	}
	stop := "; stops after " + StopsAfter(step.Agent.Stop)
	for i, check := range step.Agent.Checks {
		stop += "; checked by " + brief(uncommented(check.Source))
		if check.Script != nil {
			command := Script(fmt.Sprintf("%s check %d", at, i+1), "check", check.Script.Source())
			command.Held = check.Held != nil && *check.Held
			c.command(command, step)
		}
	}
	tools := step.ToolNames()
	for i, entry := range step.Agent.Tools {
		c.RunsFiles = c.RunsFiles || tools[i] == "bash"
		tools[i] += settings(entry)
	}
	switch {
	case len(tools) > 0:
		c.ruled(w, at, step, "has the tools "+quoted(slices.Sorted(slices.Values(tools))...), stop)
	case len(w.Reads) > 0:
		c.ruled(w, at, step, readsFiles, stop)
	default:
		c.say("%s asks a model%s", place("step", at), c.limits(step, stop))
	}
}

// ruled adds what a step does under rules, with the rules.
func (c *collector) ruled(w *workflows.Workflow, at string, step *workflows.Step, does, limits string) {
	rules, bounds := RulesOf(w, step, func(r workflows.Rule) string { return r.Pattern })
	c.Rules = append(c.Rules, rules...)
	if len(rules) > 0 {
		does += "; rules " + quoted(rules...)
	}
	if len(bounds) > 0 {
		does += "; within the rules of its agent " + quoted(bounds...)
	}
	c.say("%s %s%s", place("step", at), does, c.limits(step, limits))
}

// limits are the conditions and the budget of a step, behind its other limits.
func (c *collector) limits(step *workflows.Step, others string) string {
	if step == nil {
		return others
	}
	if budget := limits(step.Budget.Tokens, step.Budget.CostUSD, step.Budget.Time); budget != "" {
		others += "; within " + budget
	}
	for _, condition := range c.around[step].ifs {
		others += "; only if " + brief(condition)
	}
	return others
}

// command adds a command of a step, or of none.
func (c *collector) command(command Command, step *workflows.Step) {
	in := ""
	if folder := c.around[step].folder; folder != "" {
		in = " (in " + quoted(folder) + ")"
	}
	c.say("%s%s%s%s", command.said(command.full()), in, when(command.Held, "; held"), c.limits(step, ""))
	command.Line += in
	c.Commands = append(c.Commands, command)
	c.RunsFiles = true
}

// given adds the variables that the file sets. The commands of models see them, and PATH alone
// decides which program runs.
func (c *collector) given(at string, v workflows.Variables) {
	for _, g := range v.Given {
		c.command(commandOf(at+" "+g.Name, "env", g.Name+"="+g.Value.Source()), nil)
	}
}

// tools adds the custom tools, whose commands models may call.
func (c *collector) tools(w *workflows.Workflow, at string) {
	for _, name := range slices.Sorted(maps.Keys(w.CustomTools)) {
		t := w.CustomTools[name]
		text := sources(t.Args)
		if t.Script != nil {
			text = t.Script.Source()
		}
		command := Script(at+" "+name, "tool", text)
		command.Held = t.Held
		c.command(command, nil)
	}
}

// servers adds the MCP servers, by their commands or their addresses.
func (c *collector) servers(w *workflows.Workflow, at string) {
	for _, name := range slices.Sorted(maps.Keys(w.MCP)) {
		s := w.MCP[name]
		c.Servers = append(c.Servers, name)
		kind, text, given := "mcp", sources(s.Command), s.Env
		if s.URL != nil {
			kind, text, given = "url", s.URL.Source(), s.Headers
			c.Addresses = append(c.Addresses, hostOf(text))
		}
		server := commandOf(at+" "+name, kind, text)
		server.Held = s.Held
		for _, key := range slices.Sorted(maps.Keys(given)) {
			server.Given = append(server.Given, brief(key+"="+given[key].Source()))
		}
		c.command(server, nil)
	}
}

// signsIn stands for the caller's identity at Microsoft. Without a key, a token of it is sent to an
// address that the author chooses.
const signsIn = "AZURE_*"

// variables adds the variables that the workflow names.
func (c *collector) variables(w *workflows.Workflow) {
	c.Env = append(c.Env, w.NamedVariables()...)
	c.Secrets = append(c.Secrets, w.Secrets...)
}

// providers adds the services that the workflow defines, with the names of their headers, whose values
// may be keys, and the beginning of their body.
func (c *collector) providers(w *workflows.Workflow, at string) {
	for _, name := range slices.Sorted(maps.Keys(w.Providers)) {
		e := w.Providers[name]
		if e.APIKeyEnv != "" {
			c.Env = append(c.Env, e.APIKeyEnv)
		}
		if e.API == "azure" && e.APIKeyEnv == "" {
			c.Env = append(c.Env, signsIn)
		}
		if e.BaseURL != "" {
			c.Addresses = append(c.Addresses, hostOf(e.BaseURL))
		}
		line := joined(" ", e.API, quoted(e.BaseURL), e.APIKeyEnv, when(len(e.Headers) > 0, "headers "+strings.Join(slices.Sorted(maps.Keys(e.Headers)), " ")), when(e.Body != nil, "body "+lineOf(string(e.Body))))
		if len(e.Headers) > 0 || e.Body != nil {
			line += " [" + digest(fmt.Sprintf("%q %s", e.Headers, e.Body)) + "]"
		}
		c.say("%s has the service %s: %s", at, name, line)
	}
}

// file adds the settings of a file for all of its steps.
func (c *collector) file(w *workflows.Workflow, at string) {
	if w.Workspace != nil {
		c.say("%s works in %s", at, quoted(w.Workspace.Source()))
	}
	if s := sandbox(w.Sandbox); s != "" {
		c.Sandboxes = append(c.Sandboxes, at+": "+s)
	}
	c.say("%s has %s", at, cmp.Or(prefixed("the sandbox: ", sandbox(w.Sandbox)), "no sandbox of its own"))
	c.say("%s has %s", at, cmp.Or(prefixed("the budget: ", limits(w.Budget.Tokens, w.Budget.CostUSD, w.Budget.Time)), "no budget"))
	for _, model := range slices.Sorted(maps.Keys(w.Prices)) {
		p := w.Prices[model]
		c.say("%s sets the price of %s: %v in, %v out", at, quoted(model), p.Input, p.Output)
	}
	for _, read := range w.Reads {
		c.say("%s reads: %s", at, quoted(read))
		c.RunsFiles = true
	}
	for _, step := range workflows.Leaves(w.Steps) {
		if step.Agent != nil {
			for _, instructions := range step.Agent.Instructions {
				c.say("%s reads: instructions %s", at, quoted(instructions.Source()))
			}
		}
	}
}

// nameOf names a used workflow by its reference, or by its path from the first file. Names are
// unique, as lines of the same name are compared.
func (c *collector) nameOf(w *workflows.Workflow, file string, use *workflows.Use) string {
	if name, done := c.at[use.Workflow]; done {
		return name
	}
	name := use.Name
	local := filepath.Clean(use.Workflow.File) == filepath.Join(w.Dir, filepath.FromSlash(name))
	if local || !strings.Contains(name, "@") && !path.IsAbs(name) {
		name = path.Join(path.Dir(file), filepath.ToSlash(name))
	}
	used := slices.Collect(maps.Values(c.at))
	for unique, n := name, 2; ; unique, n = fmt.Sprintf("%s (%d)", name, n), n+1 {
		if !slices.Contains(used, unique) {
			return unique
		}
	}
}

// sorted returns the collected entries, each once. Only here their texts, which a stranger may
// have written, are made safe to print on a line.
func (c *collector) sorted() Authority {
	a := c.Authority
	a.Env = slices.DeleteFunc(a.Env, func(name string) bool { return slices.Contains(a.Secrets, name) })
	for _, list := range []*[]string{&a.Env, &a.Secrets, &a.Addresses, &a.Servers, &a.Rules, &a.Sandboxes} {
		shown(*list)
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	for _, named := range []struct {
		what  string
		names []string
	}{{"environment variable", a.Env}, {"secret", a.Secrets}, {"host", a.Addresses}, {"MCP server", a.Servers}} {
		for _, name := range named.names {
			a.Lines = append(a.Lines, named.what+": "+name)
		}
	}
	shown(a.Lines)
	slices.Sort(a.Lines)
	a.Lines = slices.Compact(a.Lines)
	for i := range a.Commands {
		command := &a.Commands[i]
		command.At, command.Line = term.Visible(command.At), term.Visible(command.Line)
		shown(command.Given)
	}
	slices.SortStableFunc(a.Commands, func(x, y Command) int { return strings.Compare(x.At, y.At) })
	return a
}

func shown(texts []string) {
	for i, text := range texts {
		texts[i] = term.Visible(text)
	}
}
