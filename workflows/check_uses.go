package workflows

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A loaded file is a workflow with the types of its outputs, and the tools that it and the
// workflows that it uses define. The workflow is nil when the file could not be read.
type loaded struct {
	workflow *Workflow
	outputs  types.Type
	tools    []string // sorted; server_* for those of a server
	called   []string // the longest chain of workflows that its steps call as tools, and these again
}

// notLoaded stands for a file that could not be read: it may define any tool.
func notLoaded() loaded { return loaded{outputs: types.Any, tools: []string{"*"}} }

// use returns the workflow that a name under uses means, reading each file once.
func (p *parser) use(name word) loaded {
	file, known := p.usedFile(name)
	if !known {
		return notLoaded()
	}
	if at := slices.Index(p.loader.using, filepath.Clean(file)); at >= 0 {
		chain := append(slices.Clone(p.loader.using[at:]), filepath.Clean(file))
		p.Errorf(name.Node, diagnostic.CodeUses, "the workflow uses itself: %s", p.loader.chain(chain))
		return notLoaded()
	}
	if len(p.loader.using) > maxUses {
		p.Errorf(name.Node, diagnostic.CodeUses, "workflows use each other more than %d deep: %s", maxUses, p.loader.chain(p.loader.using))
		return notLoaded()
	}
	if done, again := p.loader.done[file]; again {
		return done
	}
	named := name
	if file != p.path(name.Text) {
		named.Text = p.fromHere(file)
	}
	text, ok := p.loader.read(p, named, diagnostic.CodeFile)
	if !ok {
		return notLoaded()
	}
	l := p.loader.parse(file, text)
	p.loader.done[file] = l
	return l
}

// chain names files that use each other.
func (l *loader) chain(files []string) string {
	var names []string
	for _, file := range files {
		names = append(names, l.nameOf(file))
	}
	return strings.Join(names, " → ")
}

// usedFile returns the file that a name under uses means. ok is false for one that means
// none, which has been reported.
func (p *parser) usedFile(name word) (file string, ok bool) {
	if p.loader.opts.Find != nil {
		file, found, err := p.loader.opts.Find(p.workflow.File, name.Text)
		if err != nil {
			d := p.Errorf(name.Node, diagnostic.CodeUses, "%s", err)
			var hinted interface{ Hint() string }
			if errors.As(err, &hinted) {
				d.Hint = hinted.Hint()
			}
			return "", false
		}
		if found {
			return file, true
		}
	}
	if path, _, version := strings.Cut(name.Text, "@"); version && strings.Contains(path, "/") && !strings.HasPrefix(path, ".") && filepath.Ext(path) == "" {
		p.Errorf(name.Node, diagnostic.CodeUses, "uses takes the path of a workflow's file, not an action").Hint = "what an action of GitHub's does is a step with run here; the working directory is the checkout"
		return "", false
	}
	return p.path(name.Text), true
}

// checkUse loads the workflow that a step uses, and checks the inputs that it is given.
func (p *parser) checkUse(s *Step) {
	name := s.Use.name
	used := p.use(name)
	s.returned, s.Use.Workflow = used.outputs, used.workflow
	p.checkPermissions(s.Permissions, used.tools)
	p.lent = merged(p.lent, used.tools)
	p.callsDown(used.called)
	if used.workflow == nil {
		return
	}
	var names []string
	for _, in := range used.workflow.Inputs {
		names = append(names, in.Name)
		if _, given := s.With[in.Name]; in.Required && !given {
			p.Errorf(name.Node, diagnostic.CodeUses, "%s needs the input %q", name.Text, in.Name).Hint = "give it under with"
		}
	}
	for _, given := range slices.Sorted(maps.Keys(s.With)) {
		in := used.workflow.input(given)
		if in == nil {
			p.Errorf(s.node.Get("with").Key(given), diagnostic.CodeUses, "%s has no input %q", name.Text, given).Hint = tree.DidYouMean(given, names)
			continue
		}
		p.checkFit(s.With[given], in.keywords, in.compiled, fmt.Sprintf("the input %q", given))
	}
}

// merged returns the words of some lists, sorted, each once.
func merged(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
