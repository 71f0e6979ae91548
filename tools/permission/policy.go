package permission

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Config configures a policy. Root and Home are absolute.
type Config struct {
	// Root is the workspace. It has to exist.
	Root string
	// Part is the folder of the workspace that the step works in, and where relative paths
	// of calls start; the zero value is all of it. Patterns still start at Root, or at that of their domain, but a catch-all or a
	// relative pattern of the innermost root allows or asks only about what is in Part.
	Part string
	// Home is what ~ stands for; without it a path with ~ is refused.
	Home string
	// Domains each judge every call, outermost first. Without any, all calls are denied.
	Domains []Domain
	// Protected are files that are never written, from Root: the running workflow, and
	// those that it uses. Nil is flow.yaml.
	Protected []string
	// Hooks are those of them from which git takes its hooks and settings, as absolute paths.
	Hooks []string
	// Guarded are files that only a rule that spells their whole path lets be written, from
	// Root: instructions that every later conversation gets.
	Guarded []string
	// Readable are directories, as absolute paths, whose files read and grep may always read,
	// such as a run's outputs folder.
	Readable []string
	// Records are folders with records of runs that are not in .flow/runs: reading them
	// has the same conditions.
	Records []string
	// Tools are the names of the tools that the step offers, with wildcards. Nil is any.
	Tools []string
	// Custom are the tools that the workflow itself brings: they are judged by their names,
	// and allowed if no rule names them. A tool that is neither built in nor in Custom, Named
	// or MCP does not exist: every call of it is denied, whatever the rules say.
	Custom []string
	// Named are other tools that are judged by their names: they are denied if no rule names
	// them.
	Named []string
	// MCP are the tools that servers have announced. Nil says that they are not known;
	// then Call.Server and Call.MCPTool are trusted.
	MCP []MCPTool
	// Held reports whether commands run held: [Policy.Hides] is applied to what they
	// read, and [Policy.Lands] to what they wrote before it lands, so that the words of a
	// command need not say which files those are. It is called for each command. Nil says
	// that they do not.
	Held func() bool
}

// MCPTool names a tool of an MCP server.
type MCPTool struct{ Server, Tool string }

// Policy judges the calls of a step. It is safe for concurrent use and does
// not change.
type Policy struct {
	roots     place.Roots
	domains   []*domain
	protected []string
	hooks     []string
	readable  []string
	tools     []toolRule // nil is any
	custom    []string
	named     []string
	mcp       []MCPTool
	held      func() bool
}

// domain is a Domain with its patterns compiled.
type domain struct {
	name  string
	roots place.Roots // those of the policy, where its own patterns start
	tools toolSet
	bash  bashSet
	read  pathSet
	write pathSet
	fetch urlSet
}

// New compiles the rules. It returns an error for rules that cannot be read, all of them
// joined, and for a workspace that does not exist.
func New(c Config) (*Policy, error) {
	p := &Policy{custom: c.Custom, named: c.Named, mcp: c.MCP, held: c.Held}
	if err := p.locate(c); err != nil {
		return nil, err
	}
	var mistakes []error
	for _, d := range c.Domains {
		compiled, err := p.newDomain(d, c.Domains[len(c.Domains)-1].Root)
		if err != nil && d.Name != "" {
			err = fmt.Errorf("%s: %w", d.Name, err)
		}
		mistakes = append(mistakes, err)
		p.domains = append(p.domains, compiled)
	}
	if c.Tools != nil {
		p.tools = []toolRule{}
	}
	for _, name := range c.Tools {
		r, err := newToolRule(Rule{name, Allow})
		mistakes = append(mistakes, err)
		p.tools = append(p.tools, r)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}
	return p, nil
}

// locate resolves the directories and files of the configuration.
func (p *Policy) locate(c Config) error {
	if !filepath.IsAbs(c.Root) || c.Home != "" && !filepath.IsAbs(c.Home) {
		return fmt.Errorf("workspace %q, home %q: want absolute paths", c.Root, c.Home)
	}
	var err error
	if p.roots.Workspace, p.roots.WorkspaceGiven, err = workspace(c.Root); err != nil {
		return err
	}
	root := p.roots.Workspace
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return fmt.Errorf("workspace %q: not a directory", c.Root)
	}
	p.roots.Home = realDir(c.Home)
	for _, dir := range c.Records {
		p.roots.Records = append(p.roots.Records, realDir(dir))
	}
	if c.Part != "" {
		if p.roots.Part, p.roots.PartGiven, err = workspace(c.Part); err != nil {
			return err
		}
		if !paths.Holds(root, p.roots.Part) {
			return fmt.Errorf("workspace %q: not in %q", c.Part, c.Root)
		}
	}
	p.hooks = c.Hooks
	if c.Protected == nil {
		c.Protected = []string{"flow.yaml"}
	}
	return errors.Join(
		p.resolve("protected file", root, c.Protected, func(at place.Path) {
			p.protected = append(p.protected, at.Canonical, at.Given)
		}),
		p.resolve("guarded file", root, c.Guarded, func(at place.Path) {
			p.roots.Guarded = append(p.roots.Guarded, pattern.Fold(at.Canonical))
		}),
		p.resolve("readable directory", "/", c.Readable, func(at place.Path) {
			p.readable = append(p.readable, at.Canonical)
		}),
	)
}

// workspace returns the folder of a workspace with symlinks resolved, and as it was given.
func workspace(dir string) (real, given string, err error) {
	if real, err = filepath.EvalSymlinks(dir); err != nil {
		err = fmt.Errorf("workspace %q: %w", dir, paths.Cause(err))
	}
	return real, filepath.Clean(dir), err
}

// resolve resolves files and directories of the configuration from dir. They need not exist yet.
func (p *Policy) resolve(what, dir string, files []string, use func(place.Path)) error {
	for _, file := range files {
		at, err := p.roots.Resolve(dir, file)
		if err != nil {
			return fmt.Errorf("%s %q: %w", what, file, err)
		}
		use(at)
	}
	return nil
}

// realDir returns a directory with symlinks resolved, or as it is if it does not exist.
func realDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		return real
	}
	return dir
}

// newDomain compiles the rules of a domain. The step works in a part of the innermost root.
func (p *Policy) newDomain(d Domain, innermost string) (_ *domain, err error) {
	t := p.roots
	if d.Root != "" {
		if t.Workspace, t.WorkspaceGiven, err = workspace(d.Root); err != nil {
			return nil, err
		}
	}
	if d.Root != innermost {
		t.Part, t.PartGiven = "", ""
	}
	out := &domain{name: d.Name, roots: t}
	var errs [5]error
	out.tools, errs[0] = newToolSet(d.Layers)
	out.bash, errs[1] = newBashSet(merge(d.Layers, "bash"))
	out.read, errs[2] = newPathSet(t, "read", merge(d.Layers, "read"), d.Filled)
	out.write, errs[3] = newPathSet(t, "write", merge(d.Layers, "write"), d.Filled)
	out.fetch, errs[4] = newURLSet(merge(d.Layers, "webfetch"))
	out.bash.under(&out.tools, "bash")
	out.read.under(&out.tools, "read")
	out.write.under(&out.tools, "write")
	out.fetch.under(&out.tools, "webfetch")
	return out, errors.Join(errs[:]...)
}

// Decide judges a call. A panic while judging it is a denial.
func (p *Policy) Decide(call Call) (d Decision) {
	defer func() {
		if mistake := recover(); mistake != nil {
			d = refused(fmt.Sprintf("the call cannot be judged: %v", mistake))
		}
	}()
	server, why := p.admit(&call)
	if why != "" {
		return refused(why)
	}
	dir := p.start(call.Dir)
	switch known.RuledBy(call.Tool) {
	case "bash":
		return p.decideBash(call, dir)
	case "read", "write":
		return p.decideFile(call, dir)
	case "webfetch":
		return p.decideFetch(call)
	}
	return p.each(func(d *domain) Decision { return d.judgeName(call.Tool, server, slices.Contains(p.custom, call.Tool)) })
}

// start returns the absolute directory of a call.
func (p *Policy) start(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(p.roots.Start(), dir)
}

// each has every domain judge, and returns the strictest Decision. If there are several
// domains, its reason names the domain. Without domains it denies.
func (p *Policy) each(judge func(*domain) Decision) Decision {
	if len(p.domains) == 0 {
		return Decision{Reason: "there are no rules"}
	}
	all := make([]Decision, len(p.domains))
	for i, d := range p.domains {
		all[i] = judge(d)
		if len(p.domains) > 1 && d.name != "" {
			all[i].Reason += " (" + d.name + ")"
		}
	}
	return strictest(all...)
}

// admit checks that the tool exists, is one tool, and is offered. It returns the server of an MCP
// tool, and names that in the call as it is offered: its own name may have dots.
func (p *Policy) admit(call *Call) (server, why string) {
	tools := p.mcpTools(*call)
	if len(tools) > 0 {
		call.Tool = known.PlainToolName(call.Tool)
	}
	builtin := known.RuledBy(call.Tool) != ""
	named := p.isNamed(call.Tool)
	switch {
	case !known.IsToolName(call.Tool):
		return "", fmt.Sprintf("there is no tool %q", call.Tool)
	case len(tools) > 1 || len(tools) == 1 && (builtin || named):
		return "", fmt.Sprintf("several tools are called %q", call.Tool)
	case len(tools) == 1:
		server = tools[0].Server
		if known.RuledBy(server) != "" {
			return "", fmt.Sprintf("the server %q is called like a built-in tool", server)
		}
	case !builtin && !named:
		return "", fmt.Sprintf("there is no tool %q", call.Tool)
	}
	if !p.listed(call.Tool, server) {
		return "", fmt.Sprintf("the step does not list the tool %q", call.Tool)
	}
	return server, ""
}

// isNamed reports whether a tool is one that the configuration names, beside those of servers.
func (p *Policy) isNamed(tool string) bool {
	return slices.Contains(p.custom, tool) || slices.Contains(p.named, tool)
}

// mcpTools returns the MCP tools that a call may mean.
func (p *Policy) mcpTools(call Call) []MCPTool {
	if p.mcp == nil {
		if call.Server == "" && call.MCPTool == "" {
			return nil
		}
		return []MCPTool{{call.Server, call.MCPTool}}
	}
	var out []MCPTool
	for _, t := range p.mcp {
		if t.Server+"_"+known.PlainToolName(t.Tool) == known.PlainToolName(call.Tool) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// listed reports whether the step's list of tools has a tool.
func (p *Policy) listed(tool, server string) bool {
	if p.tools == nil {
		return true
	}
	return slices.ContainsFunc(p.tools, func(r toolRule) bool {
		return IsCatchAll(r.Pattern) || r.matches(tool, server)
	})
}

// judgeName decides about a tool whose arguments no rule judges.
func (d *domain) judgeName(tool, server string, custom bool) Decision {
	if f := d.tools.judge(tool, server); f != nil {
		return *f
	}
	switch {
	case d.tools.catchAll != nil:
		return d.tools.otherwise()
	case custom:
		return allowed("tools of the workflow are allowed where no rule names them")
	}
	return undecided("no rule names the tool " + tool)
}

// paths returns the rules over the paths of a file tool.
func (d *domain) paths(tool string) pathSet {
	set := d.read
	if known.RuledBy(tool) == "write" {
		set = d.write
	}
	set.under(&d.tools, tool)
	return set
}

// Offered reports whether some call of the tool could be allowed. A tool that is denied
// with any arguments is not offered to a model.
func (p *Policy) Offered(tool string) bool {
	call := Call{Tool: tool}
	if p.mcp == nil && known.RuledBy(tool) == "" && !p.isNamed(tool) {
		call.Server, call.MCPTool, _ = strings.Cut(tool, "_")
	}
	server, why := p.admit(&call)
	if why != "" || len(p.domains) == 0 {
		return false
	}
	custom := slices.Contains(p.custom, call.Tool)
	return !slices.ContainsFunc(p.domains, func(d *domain) bool { return d.denies(call.Tool, server, custom) })
}

// denies reports whether the domain denies a tool with any arguments.
func (d *domain) denies(tool, server string, custom bool) bool {
	switch known.RuledBy(tool) {
	case "":
		return d.judgeName(tool, server, custom).Verdict == Deny
	case "bash":
		return d.bash.onlyDenies()
	case "webfetch":
		return d.fetch.onlyDenies()
	}
	set := d.paths(tool)
	return set.onlyDenies()
}
