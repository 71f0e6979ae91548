package workflows

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// lends lists the tools that the workflow and those that it uses define, sorted; server_* for those of
// a server. One that could not be read may define any.
func (w *Workflow) lends() []string {
	if w == nil {
		return []string{"*"}
	}
	return merged(w.ownTools(), w.lent)
}

// use returns the workflow that a name under uses means, reading each file once; nil for one that could
// not be read.
func (p *parser) use(name word) *Workflow {
	file, known := p.usedFile(name)
	if !known {
		return nil
	}
	if at := slices.Index(p.loader.using, filepath.Clean(file)); at >= 0 {
		chain := append(slices.Clone(p.loader.using[at:]), filepath.Clean(file))
		p.Errorf(name.Node, diagnostic.CodeUses, "the workflow uses itself: %s", p.loader.chain(chain))
		return nil
	}
	if len(p.loader.using) > maxUses {
		p.Errorf(name.Node, diagnostic.CodeUses, "workflows use each other more than %d deep: %s", maxUses, p.loader.chain(p.loader.using))
		return nil
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
		return nil
	}
	w := p.loader.parse(file, text)
	p.loader.done[file] = w
	return w
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
	name := word{Text: s.Use.Name, Node: s.node.Get("uses")}
	used := p.use(name)
	s.Use.Workflow = used
	p.checkPermissions(s.Permissions, used.lends())
	p.workflow.lent = merged(p.workflow.lent, used.lends())
	if used == nil {
		return
	}
	s.returned = used.outputTypes
	p.callsDown(used.calls)
	var names []string
	for _, in := range used.Inputs {
		names = append(names, in.Name)
		if _, given := s.With[in.Name]; in.Required && !given {
			p.Errorf(name.Node, diagnostic.CodeUses, "%s needs the input %q", name.Text, in.Name).Hint = "give it under with"
		}
	}
	for _, given := range slices.Sorted(maps.Keys(s.With)) {
		in := used.input(given)
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
