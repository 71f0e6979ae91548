package workflows

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Bounds of what the schemas of one workflow take from files.
const (
	maxFileRefs     = 1000
	maxFileRefDepth = 32
	maxSchemaValues = 100_000 // of files, each counted wherever a reference leads to it
)

// Keywords of JSON Schema whose values are no schemas: data, and maps of schemas by name.
var (
	dataKeywords  = []string{"enum", "const", "default", "examples", "example"}
	namedKeywords = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)

// fileKeywords say something of a file as a whole, and not of what a reference to it stands for.
var fileKeywords = []string{"$schema", "$id", "$defs", "definitions", "$comment"}

// noteKeywords may stand beside a reference, and are then those of the schema that it leads to.
var noteKeywords = []string{"title", "description", "default", "examples", "deprecated"}

// A fileRefs puts the schemas of files in place of the references to them.
type fileRefs struct {
	p      *parser
	files  map[string]*schemaFile    // by their names
	whole  map[*tree.Node]*tree.Node // of what a reference has led to; nil where that has a mistake
	open   []*tree.Node              // what is resolved now, behind what refers to it
	count  int                       // of references
	values int                       // of the schemas that are whole
}

// A schemaFile is a file that schemas refer to. References in it without a name lead to itself.
type schemaFile struct {
	name string // as the workflow would name it
	root *tree.Node
}

// resolveFiles makes a schema whole in its place: each reference to a file becomes what it leads
// to. It returns whether that worked; mistakes are reported where the reference stands.
func (p *parser) resolveFiles(n *tree.Node) bool {
	if p.refs == nil {
		p.refs = &fileRefs{p: p, files: map[string]*schemaFile{}, whole: map[*tree.Node]*tree.Node{}}
	}
	whole := p.refs.resolve(n, nil, false)
	if whole == nil || whole == n {
		return whole == n
	}
	p.refs.values += whole.Size()
	if p.refs.tooLarge(n, p.refs.values) {
		return false
	}
	n.Become(whole)
	return true
}

// tooLarge reports that the schemas have more values than are allowed.
func (r *fileRefs) tooLarge(at *tree.Node, values int) bool {
	if values > maxSchemaValues {
		r.p.Errorf(at, diagnostic.CodeSchema, "the schemas of this workflow have more than %s values, those of files counted at each reference", quantity.Thousands(maxSchemaValues))
	}
	return values > maxSchemaValues
}

// resolve returns a part of a schema with all references resolved that lead to files; nil where
// one can't be. in is the file of the part, nil for the workflow's own. named says that the part
// is a map of schemas by name.
func (r *fileRefs) resolve(n *tree.Node, in *schemaFile, named bool) *tree.Node {
	if ref := n.Get("$ref"); !named && ref != nil && ref.Kind == tree.KindString && leadsToFile(ref.Text, in) {
		return r.follow(n, ref, in)
	}
	sound, changed := true, false
	part := func(of *tree.Node, named bool) *tree.Node {
		whole := r.resolve(of, in, named)
		sound, changed = sound && whole != nil, changed || whole != of
		return whole
	}
	items, entries := slices.Clone(n.Items), slices.Clone(n.Entries)
	for i, item := range items {
		items[i] = part(item, false)
	}
	for i, e := range entries {
		if named || !slices.Contains(dataKeywords, e.Key.Text) {
			entries[i].Value = part(e.Value, !named && slices.Contains(namedKeywords, e.Key.Text))
		}
	}
	switch {
	case !sound:
		return nil
	case !changed:
		return n
	}
	return n.With(items, entries)
}

// leadsToFile reports whether a reference leads into a file, and not to a part of the workflow's own
// schema or to an address.
func leadsToFile(ref string, in *schemaFile) bool {
	name, _, _ := strings.Cut(ref, "#")
	return !strings.Contains(name, ":") && (name != "" || in != nil)
}

// follow returns what the reference of n leads to, with what stands beside it.
func (r *fileRefs) follow(n, ref *tree.Node, from *schemaFile) *tree.Node {
	if r.count++; r.count > maxFileRefs {
		r.p.Errorf(ref, diagnostic.CodeSchema, "the schemas of this workflow have more than %s references to files", quantity.Thousands(maxFileRefs))
		return nil
	}
	name, pointer, _ := strings.Cut(ref.Text, "#")
	in := from
	if name != "" {
		in = r.file(name, ref, from)
	}
	if in == nil {
		return nil
	}
	target := r.find(ref, in.root, pointer)
	if target == nil {
		return nil
	}
	whole := r.wholeOf(target, ref, in)
	if whole != nil {
		whole = r.beside(n, whole, from)
	}
	if whole == nil || r.tooLarge(ref, whole.Size()) {
		return nil
	}
	return whole
}

// file returns the file that a reference names: by its path from the file that has the reference.
func (r *fileRefs) file(name string, ref *tree.Node, from *schemaFile) *schemaFile {
	p := r.p
	if from != nil && !filepath.IsAbs(name) {
		name = path.Join(path.Dir(from.name), name)
	}
	if known := r.files[name]; known != nil {
		return known
	}
	text, ok := p.loader.readAside(p, word{Text: name, Node: ref}, diagnostic.CodeFile)
	if !ok {
		return nil
	}
	var report tree.Report
	root := tree.Read(tree.NewSource(p.loader.nameOf(p.path(name)), string(text)), text, tree.WorkflowLimits(), &report)
	if found := report.Diagnostics(); root == nil || found.HasErrors() {
		p.Errorf(ref, diagnostic.CodeSchema, "the schema %s has a mistake in line %d, column %d: %s", name, found[0].Line, found[0].Column, found[0].Message).Hint = found[0].Hint
		return nil
	}
	r.files[name] = &schemaFile{name, root}
	return r.files[name]
}

// find returns the schema at a pointer.
func (r *fileRefs) find(ref, root *tree.Node, pointer string) *tree.Node {
	at, shown := root, tree.Clip(ref.Text, 80)
	if decoded, err := url.PathUnescape(pointer); err == nil {
		pointer = decoded
	}
	if pointer != "" && pointer[0] != '/' {
		r.p.Errorf(ref, diagnostic.CodeSchema, "%q leads nowhere: behind # stands a path in the file that begins with /", shown).Hint = "such as #/$defs/" + tree.Clip(pointer, 40)
		return nil
	}
	for _, token := range jsonschema.Tokens(pointer) {
		next := at.Find([]string{token})
		if next == at {
			var names []string
			for _, e := range at.Entries {
				names = append(names, e.Key.Text)
			}
			known := "nothing stands there"
			if len(names) > 0 {
				known = "known: " + tree.Clip(strings.Join(slices.Sorted(slices.Values(names)), ", "), 120)
			}
			r.p.Errorf(ref, diagnostic.CodeSchema, "%q leads nowhere: there is no %q", shown, tree.Clip(token, 40)).Hint = nearest.Hint(token, names, known)
			return nil
		}
		at = next
	}
	if at.Kind != tree.KindMap && at.Kind != tree.KindBool {
		r.p.Errorf(ref, diagnostic.CodeSchema, "%q leads to %s, and not to a JSON Schema, which is a map", shown, at.Describe())
		return nil
	}
	return at
}

// wholeOf returns a schema of a file with its references resolved.
func (r *fileRefs) wholeOf(target, ref *tree.Node, in *schemaFile) *tree.Node {
	switch whole, known := r.whole[target]; {
	case slices.Contains(r.open, target):
		d := r.p.Errorf(ref, diagnostic.CodeSchema, "%q leads back to the schema that this reference is in, without end", tree.Clip(ref.Text, 80))
		d.Hint = "a schema of a file can't contain itself; one in the workflow can, by #/$defs/NAME"
		return nil
	case known:
		return whole
	case len(r.open) >= maxFileRefDepth:
		r.p.Errorf(ref, diagnostic.CodeSchema, "more than %d references lead to each other, one behind the other", maxFileRefDepth)
		return nil
	}
	r.open = append(r.open, target)
	whole := r.resolve(target.Without(fileKeywords), in, false)
	r.open = r.open[:len(r.open)-1]
	r.whole[target] = whole
	return whole
}

// beside adds to a schema what stands beside the reference that leads to it: notes take the place
// of its own; with anything else, a value has to fit both.
func (r *fileRefs) beside(n, whole *tree.Node, from *schemaFile) *tree.Node {
	own := n.Without(append([]string{"$ref"}, fileKeywords...))
	var notes []string
	for _, e := range own.Entries {
		if slices.Contains(noteKeywords, e.Key.Text) {
			notes = append(notes, e.Key.Text)
		}
	}
	switch {
	case len(notes) < len(own.Entries):
		return r.both(n, own, whole, from)
	case whole.Kind == tree.KindBool:
		return whole
	}
	return whole.With(nil, append(slices.Clone(own.Entries), whole.Without(notes).Entries...))
}

// both returns {allOf: [whole, own]}, at n.
func (r *fileRefs) both(n, own, whole *tree.Node, from *schemaFile) *tree.Node {
	own = r.resolve(own, from, false)
	if own == nil {
		return nil
	}
	key, list := *n.Key("$ref"), *n
	key.Text, key.Value, list.Kind = "allOf", "allOf", tree.KindList
	return n.With(nil, []tree.Entry{{Key: &key, Value: list.With([]*tree.Node{whole, own}, nil)}})
}
