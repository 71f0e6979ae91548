// Package authority derives from a workflow what it may do at most. Nothing runs, and no file is
// read.
//
//	a := authority.Of(w)
//	for _, line := range a.Lines() {
//		fmt.Println(line)
//	}
//
// An authority includes the used workflows. It is a value that is written into a file and compared
// later: see [Compare].
package authority

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Authority lists everything that a workflow, with those that it uses, may do. All lists are
// sorted. The zero value may do nothing.
type Authority struct {
	Commands  []Command `json:"commands,omitempty" yaml:"commands,omitempty"`   // the author's own
	Asks      []Command `json:"asks,omitempty" yaml:"asks,omitempty"`           // questions to a person, whose answers it has
	Env       []string  `json:"env,omitempty" yaml:"env,omitempty"`             // variables, but for Secrets
	Secrets   []string  `json:"secrets,omitempty" yaml:"secrets,omitempty"`     // variables whose values are masked
	Addresses []string  `json:"addresses,omitempty" yaml:"addresses,omitempty"` // hosts of its own services and servers; "*" is any
	Servers   []string  `json:"mcp,omitempty" yaml:"mcp,omitempty"`             // MCP servers, by name
	Models    []string  `json:"models,omitempty" yaml:"models,omitempty"`
	Steps     []Step    `json:"steps,omitempty" yaml:"steps,omitempty"`     // those with tools
	Files     []File    `json:"files,omitempty" yaml:"files,omitempty"`     // the workflows
	Made      []Made    `json:"made_of,omitempty" yaml:"made_of,omitempty"` // of what the files are made
}

// Made lists the parts of a file that may reach a command or a tool, or decide what runs: a name
// such as "inputs.to" or "steps.greet" and a digest, followed by the keys of a step. Steps come
// last, in the file's order.
type Made struct {
	At     string   `json:"at" yaml:"at"`
	Pieces []string `json:"pieces" yaml:"pieces"`
}

// A Command is a command of the workflow's author.
type Command struct {
	At     string `json:"at" yaml:"at"`         // the file and the step, tool or server
	Kind   string `json:"kind" yaml:"kind"`     // run, check, tool, env or call; mcp of a server that is a program, url of another; ask of a question
	SHA256 string `json:"sha256" yaml:"sha256"` // of all of it, in hex
	Line   string `json:"line" yaml:"line"`     // the first that says something, and how many more there are

	Given []string `json:"given,omitempty" yaml:"given,omitempty"` // variables or headers of a server, with their values as the file has them
}

// Serves reports whether it is an MCP server.
func (c Command) Serves() bool { return c.Kind == "mcp" || c.Kind == "url" }

// Name is the last word of At, such as the name of a server.
func (c Command) Name() string { return c.At[strings.LastIndexByte(c.At, ' ')+1:] }

// A Step is a step with rules: it offers tools to a model, calls one, uses a workflow, or has
// expressions that may read files.
type Step struct {
	At     string   `json:"at" yaml:"at"`
	Tools  []string `json:"tools" yaml:"tools"`
	Rules  []string `json:"rules,omitempty" yaml:"rules,omitempty"`   // in force there, but for those of callers: "bash: allow git log *"
	Bounds []string `json:"bounds,omitempty" yaml:"bounds,omitempty"` // those of the agent that it takes and narrows, which have to allow a call, too
	Stop   string   `json:"stop,omitempty" yaml:"stop,omitempty"`
}

// A File is one of the workflows, with its settings for all steps.
type File struct {
	At        string   `json:"at" yaml:"at"`
	Workspace string   `json:"workspace,omitempty" yaml:"workspace,omitempty"` // as the file has it; "": its caller's
	Sandbox   string   `json:"sandbox,omitempty" yaml:"sandbox,omitempty"`     // what it says beyond the default
	Reads     []string `json:"reads,omitempty" yaml:"reads,omitempty"`         // what names the files that go into prompts and expressions
	Budget    string   `json:"budget,omitempty" yaml:"budget,omitempty"`
	Prices    []string `json:"prices,omitempty" yaml:"prices,omitempty"` // by which its budget counts
	Services  []string `json:"services,omitempty" yaml:"services,omitempty"`
}

// RunsFiles reports whether it has commands, or offers some to a model: commands may run any file
// that they can read.
func (a Authority) RunsFiles() bool {
	return len(a.Commands) > 0 || slices.ContainsFunc(a.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Tools, func(tool string) bool { return tool == "bash" || strings.HasPrefix(tool, "bash ") })
	})
}

// ReadsFiles reports whether its expressions read files. The files then decide what runs, as an
// if does.
func (a Authority) ReadsFiles() bool {
	return slices.ContainsFunc(a.Files, func(f File) bool {
		return slices.ContainsFunc(f.Reads, func(read string) bool { return !strings.HasPrefix(read, saidToModels) })
	})
}

// saidToModels is the prefix of files whose text only models see.
const saidToModels = "instructions "

// Of returns the authority of a workflow. The value of an expression may be anything, and is
// listed as such.
func Of(w *workflows.Workflow) Authority {
	c := &collector{at: map[*workflows.Workflow]string{}, in: map[*workflows.Step]string{}}
	c.workflow(w, path.Base(filepath.ToSlash(w.File)))
	return c.sorted()
}

// A collector visits workflows, each once.
type collector struct {
	Authority
	at map[*workflows.Workflow]string // what each is called, the same on every machine
	in map[*workflows.Step]string     // the folder that each works in, behind its workflow's
}

func (c *collector) workflow(w *workflows.Workflow, at string) {
	if _, done := c.at[w]; done {
		return
	}
	c.at[w] = at
	c.file(w, at)
	c.made(w, at)
	c.services(w)
	c.servers(w, at)
	c.tools(w, at)
	c.given(at, w.Env)
	c.around(at, w.Steps, "")
	for _, step := range workflows.Leaves(w.Steps) {
		c.step(w, at, step)
	}
}

// step adds what one step may do.
func (c *collector) step(w *workflows.Workflow, file string, step *workflows.Step) {
	at := file + " " + step.Path
	switch {
	case step.Command != nil:
		c.commandIn(step, at, "run", step.Command.Script.Source())
	case step.Call != nil:
		c.offered(w, at, step, step.ToolNames(), "")
		c.command(at, "call", step.Call.Tool+" "+arguments(step.Call.With))
	case step.Question != nil:
		q := step.Question
		c.Asks = append(c.Asks, commandOf(at, "ask", q.Text.Source()+strings.Join(append([]string{""}, q.Choices...), "\n")))
	case step.Agent != nil:
		c.agent(w, at, step)
	case step.Use != nil:
		used := c.nameOf(w, file, step.Use)
		c.offered(w, at, step, []string{usedBy + used}, "")
		c.workflow(step.Use.Workflow, used)
	}
	listed := slices.ContainsFunc(c.Steps, func(s Step) bool { return s.At == at })
	if len(w.Reads) > 0 && !listed { // its rules for reading are those of its expressions, too
		c.offered(w, at, step, []string{readsBy}, "")
	}
}

// In place of tools: a used workflow, and what expressions read files by.
const usedBy, readsBy = "those of ", "file() and glob()"

// offered adds the tools of a step, with the rules over them.
func (c *collector) offered(w *workflows.Workflow, at string, step *workflows.Step, tools []string, stop string) {
	rules, bounds := RulesOf(w, step)
	c.Steps = append(c.Steps, Step{At: at, Tools: tools, Rules: rules, Bounds: bounds, Stop: stop})
}

// nameOf names a used workflow by its reference, or by its path from the first file. Names are
// unique, as entries of the same name are compared.
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

// agent adds the models of a step, its tools and its checks.
func (c *collector) agent(w *workflows.Workflow, at string, step *workflows.Step) {
	c.Models = append(c.Models, models(w, step.Agent.Model)...)
	if tools := step.ToolNames(); len(tools) > 0 {
		for i, entry := range step.Agent.Tools {
			tools[i] += different(entry)
		}
		c.offered(w, at, step, slices.Sorted(slices.Values(tools)), stop(step.Agent.Stop))
	}
	for i, check := range step.Agent.Checks {
		if check.Script != nil {
			c.commandIn(step, fmt.Sprintf("%s check %d", at, i+1), "check", check.Script.Source())
		}
	}
}

// different lists the settings of a tool's entry beyond its name.
func different(entry workflows.ToolEntry) string {
	cut := ""
	if t := entry.Truncate; t != nil {
		cut = strings.TrimSpace(fmt.Sprintf("truncate %d lines %d bytes %d line_chars %s", t.Lines, t.Bytes, t.LineChars, t.Keep))
	}
	granted := ""
	if entry.Runs != nil && entry.Runs.Use.Grant != nil {
		g := entry.Runs.Use.Grant
		granted = fmt.Sprintf("granted commands %v env %q secrets %q mcp %q addresses %q", g.Commands, g.Env, g.Secrets, g.MCP, g.Addresses)
	}
	how := joined(granted, when(entry.MaxCalls > 0, fmt.Sprintf("at most %d calls", entry.MaxCalls)), when(entry.Parallel != "auto", "parallel "+entry.Parallel), cut)
	return when(len(entry.With) > 0, " with "+arguments(entry.With)) + when(how != "", " ("+how+")")
}

// FromCaller stands for the model of a step that takes that of the workflow's caller.
const FromCaller = "from the caller"

// models are the models that a step may ask. The value of an expression may be any.
func models(w *workflows.Workflow, named *workflows.Value) []string {
	if named == nil {
		return []string{FromCaller}
	}
	value, static := named.Static()
	if !static {
		return []string{"any"}
	}
	var all []string
	for _, ref := range words(value) {
		if stands := w.Models[ref]; stands != nil {
			all = append(all, stands...)
			continue
		}
		all = append(all, ref)
	}
	return all
}

// words are the strings of a value, which is one or a list.
func words(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []string:
		return value
	case []any:
		var all []string
		for _, v := range value {
			all = append(all, words(v)...)
		}
		return all
	}
	return []string{"any"}
}

// tools adds the custom tools, whose commands models may call.
func (c *collector) tools(w *workflows.Workflow, at string) {
	for _, name := range slices.Sorted(maps.Keys(w.CustomTools)) {
		t := w.CustomTools[name]
		if t.Script != nil {
			c.command(at+" "+name, "tool", t.Script.Source())
			continue
		}
		c.command(at+" "+name, "tool", sources(t.Args))
	}
}

// given adds the variables that the file sets. The commands of models see them, and PATH alone
// decides which program runs.
func (c *collector) given(at string, v workflows.Variables) {
	for _, g := range v.Given {
		c.command(at+" "+g.Name, "env", g.Name+"="+g.Value.Source())
	}
}

// around adds the variables that steps and the groups around them set, and remembers the folders
// that they work in.
func (c *collector) around(at string, list []*workflows.Step, folder string) {
	for _, step := range list {
		c.given(at+" "+step.Path, step.Env)
		in := folder
		if step.Workspace != nil {
			in = path.Join(in, step.Workspace.Source())
		}
		if c.in[step] = in; step.Group != nil {
			c.around(at, step.Group.Steps, in)
		}
	}
}

// commandIn adds a command of a step.
func (c *collector) commandIn(step *workflows.Step, at, kind, text string) {
	c.command(at, kind, text)
	if in := c.in[step]; in != "" {
		c.Commands[len(c.Commands)-1].Line += " (in " + in + ")"
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
		server := commandOf(at+" "+name, kind, text+named(given))
		server.Line = lineOf(text)
		for _, key := range slices.Sorted(maps.Keys(given)) {
			server.Given = append(server.Given, lineOf(key+"="+given[key].Source()))
		}
		c.Commands = append(c.Commands, server)
	}
}

// signsIn stands for the caller's identity at Microsoft. Without a key, a token of it is sent to an
// address that the author chooses.
const signsIn = "AZURE_*"

// services adds the providers that the workflow defines.
func (c *collector) services(w *workflows.Workflow) {
	for _, name := range w.NamedVariables() {
		if !slices.Contains(w.Secrets, name) {
			c.Env = append(c.Env, name)
		}
	}
	c.Secrets = append(c.Secrets, w.Secrets...)
	for _, e := range w.Providers {
		if e.APIKeyEnv != "" && !slices.Contains(w.Secrets, e.APIKeyEnv) {
			c.Env = append(c.Env, e.APIKeyEnv)
		}
		if e.API == "azure" && e.APIKeyEnv == "" {
			c.Env = append(c.Env, signsIn)
		}
		if e.BaseURL != "" {
			c.Addresses = append(c.Addresses, hostOf(e.BaseURL))
		}
	}
}

// made adds the parts of the file. Variables are compared elsewhere, except for the values that
// the file gives them.
func (c *collector) made(w *workflows.Workflow, at string) {
	m := Made{At: at}
	for _, d := range w.Digests {
		if d.Piece != "env" || len(w.Env.Given) > 0 {
			m.Pieces = append(m.Pieces, strings.TrimSuffix(d.Piece+" "+d.SHA256+" "+strings.Join(d.Keys, ","), " "))
		}
	}
	c.Made = append(c.Made, m)
}

// file adds the settings of a file for all of its steps.
func (c *collector) file(w *workflows.Workflow, at string) {
	f := File{At: at, Sandbox: sandbox(w.Sandbox), Budget: budget(w.Budget)}
	f.Reads = slices.Clone(w.Reads)
	for _, step := range workflows.Leaves(w.Steps) {
		if step.Agent == nil {
			continue
		}
		for _, instructions := range step.Agent.Instructions {
			f.Reads = append(f.Reads, saidToModels+instructions.Source())
		}
	}
	slices.Sort(f.Reads)
	f.Reads = slices.Compact(f.Reads)
	if w.Workspace != nil {
		f.Workspace = w.Workspace.Source()
	}
	for _, model := range slices.Sorted(maps.Keys(w.Prices)) {
		p := w.Prices[model]
		f.Prices = append(f.Prices, fmt.Sprintf("%s: %v in, %v out", model, p.Input, p.Output))
	}
	for _, name := range slices.Sorted(maps.Keys(w.Providers)) {
		f.Services = append(f.Services, service(name, w.Providers[name]))
	}
	c.Files = append(c.Files, f)
}

// service is a provider on a line: the names of its headers, whose values may be keys, the
// beginning of its body, and a digest of both.
func service(name string, e workflows.Endpoint) string {
	line := strings.TrimSpace(fmt.Sprintf("%s: %s %s %s", name, e.API, e.BaseURL, e.APIKeyEnv))
	if len(e.Headers) > 0 {
		line += " headers " + strings.Join(slices.Sorted(maps.Keys(e.Headers)), " ")
	}
	if e.Body != nil {
		line += " body " + lineOf(string(e.Body))
	}
	if len(e.Headers) > 0 || e.Body != nil {
		line += " [" + digest(fmt.Sprintf("%q %s", e.Headers, e.Body)) + "]"
	}
	return line
}

// command adds a command, with its first line that is no comment.
func (c *collector) command(at, kind, text string) {
	c.Commands = append(c.Commands, Script(at, kind, text))
}

// Script is a command of an author at a place, with its first line that is no comment.
func Script(at, kind, text string) Command {
	command := commandOf(at, kind, text)
	command.Line = lineOf(uncommented(text))
	return command
}

// commandOf is a command with a digest of all of it, and its first line.
func commandOf(at, kind, text string) Command {
	return Command{At: at, Kind: kind, SHA256: digest(text), Line: lineOf(text)}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func sources(all []*workflows.Template) string {
	words := make([]string, len(all))
	for i, t := range all {
		words[i] = t.Source()
		if strings.ContainsAny(words[i], " \t\n\"'") {
			words[i] = strconv.Quote(words[i])
		}
	}
	return strings.Join(words, " ")
}

// named lists values by name, a line each.
func named(all map[string]*workflows.Template) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.WriteString("\n" + name + "=" + all[name].Source())
	}
	return b.String()
}

// arguments are pinned arguments, as the file has them.
func arguments(with map[string]*workflows.Value) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(with)) {
		source := with[name].Source()
		if strings.ContainsAny(source, ",:;\"\n") { // what could be read as more than one
			source = strconv.Quote(source)
		}
		parts = append(parts, name+": "+source)
	}
	return strings.Join(parts, ", ")
}

// hostOf is the host of an address; "*" if it is invalid, or known only at run time.
func hostOf(address string) string {
	if strings.Contains(address, "${{") {
		return "*"
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		if u, err = url.Parse("http://" + address); err != nil || u.Hostname() == "" { // as ollama's may be
			return "*"
		}
	}
	host, err := idna.ToASCII(strings.ToLower(u.Hostname())) // letters of other alphabets look like ours
	if err != nil {
		return "*"
	}
	return host
}

// sorted returns the collected entries, each once. Only here their texts, which a stranger may
// have written, are made safe to print on a line.
func (c *collector) sorted() Authority {
	a := c.Authority
	show(&a)
	for _, list := range []*[]string{&a.Env, &a.Secrets, &a.Addresses, &a.Servers, &a.Models} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	a.Env = slices.DeleteFunc(a.Env, func(name string) bool { return slices.Contains(a.Secrets, name) })
	slices.SortStableFunc(a.Commands, func(x, y Command) int { return strings.Compare(x.At, y.At) })
	slices.SortStableFunc(a.Asks, func(x, y Command) int { return strings.Compare(x.At, y.At) })
	slices.SortStableFunc(a.Steps, func(x, y Step) int { return strings.Compare(x.At, y.At) })
	slices.SortStableFunc(a.Files, func(x, y File) int { return strings.Compare(x.At, y.At) })
	slices.SortStableFunc(a.Made, func(x, y Made) int { return strings.Compare(x.At, y.At) })
	return a
}
