package jsonschema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A pendingRef waits until every name of the document is known.
type pendingRef struct {
	ref *reference
	at  string
	in  *resource
}

// refKeywords are those that name schemas and lead to them.
func refKeywords() map[string]keyword {
	return map[string]keyword{
		"$schema":        func(*reader, any) {}, // read by openResource
		"$ref":           readRef,
		"$anchor":        readAnchor,
		"$dynamicAnchor": readAnchor, // one for plain references, too
		"$dynamicRef":    refuseDynamic,
		"$recursiveRef":  refuseDynamic,
	}
}

// readRef notes the reference; it is resolved when all names are known.
func readRef(r *reader, v any) {
	text, ok := r.text(v)
	if !ok {
		return
	}
	ref := &reference{text: text}
	r.node.refs = append(r.node.refs, ref)
	r.pending = append(r.pending, pendingRef{ref, r.at(), r.node.resource})
}

// refuseDynamic refuses a reference whose target depends on how it was reached:
// drafts describe themselves by it, and nobody sends it.
func refuseDynamic(r *reader, _ any) {
	r.problem(r.at(), "%s is not supported; use $ref", r.name)
}

// readAnchor gives the schema a name in its resource.
func readAnchor(r *reader, v any) {
	name, ok := r.text(v)
	if !ok {
		return
	}
	if !isAnchor(name) {
		r.problem(r.at(), `%q is no name: it must begin with a letter or "_" and go on with those, digits, "-" and "."`, clip(name))
		return
	}
	in := r.node.resource
	if other, taken := in.anchors[name]; taken && other != r.node {
		r.problem(r.at(), "the name %q is taken", clip(name))
	}
	if in.anchors == nil {
		in.anchors = map[string]*node{}
	}
	in.anchors[name] = r.node
}

// isAnchor reports whether a text can be the name of a part. Drafts before 2020-12
// took colons, too.
func isAnchor(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.' || c == ':')) {
			return false
		}
	}
	return name != ""
}

// openResource starts a resource where a schema has a name of its own.
func (c *compiler) openResource(n *node, source map[string]any) {
	in := n.resource
	isRoot := in.root == n
	d := in.draft
	if stated, there := source["$schema"]; there && (isRoot || source["$id"] != nil) {
		d = c.statedDraft(n.at, stated)
	}
	if isRoot {
		in.draft = d
	}
	id, there := source["$id"]
	if _, ref := source["$ref"]; !there || ref && d == draft7 {
		return
	}
	at := below(n.at, "$id")
	text, isText := id.(string)
	if !isText {
		c.problem(at, "got %s, want string", typeOf(id))
		return
	}
	name, fragment, _ := strings.Cut(text, "#")
	if fragment != "" {
		c.namePart(n, at, name, fragment)
		return
	}
	base, err := in.base.Parse(name)
	if err != nil {
		c.problem(at, "%q is no URL: %v", clip(text), err)
		return
	}
	if !isRoot {
		n.resource = &resource{draft: d, root: n}
	}
	n.resource.base = base
	if other, taken := c.resources[base.String()]; taken && other != n.resource {
		c.problem(at, "the name %q is taken", clip(text))
	}
	c.resources[base.String()] = n.resource
}

// namePart reads an $id with a fragment, which named a part before there was
// $anchor.
func (c *compiler) namePart(n *node, at, name, fragment string) {
	in := n.resource
	if in.draft != draft7 || name != "" {
		c.problem(at, "%q has a fragment; $anchor names a part", clip(name+"#"+fragment))
		return
	}
	if in.anchors == nil {
		in.anchors = map[string]*node{}
	}
	in.anchors[fragment] = n
}

// statedDraft gives the draft that $schema names.
func (c *compiler) statedDraft(at string, v any) draft {
	url, isText := v.(string)
	if !isText {
		c.problem(below(at, "$schema"), "got %s, want string", typeOf(v))
		return draft2020
	}
	d, known := draftNamed(url)
	if !known {
		c.problem(below(at, "$schema"), "%s", hint("the draft "+strconv.Quote(clip(url))+" is not known", url, draftURLs()))
		return draft2020
	}
	return d
}

// resolveAll finds what the references lead to. Schemas that are read for that
// may add more.
func (c *compiler) resolveAll() {
	for i := 0; i < len(c.pending) && !c.wrong.full(); i++ {
		p := c.pending[i]
		c.resolve(p)
		if p.ref.target == nil && len(c.wrong.problems) == 0 {
			c.problem(p.at, "%q leads nowhere", clip(p.ref.text))
		}
	}
}

// resolve finds what one reference leads to, or says why nothing is there.
func (c *compiler) resolve(p pendingRef) {
	name, fragment, _ := strings.Cut(p.ref.text, "#")
	in := p.in
	if name != "" {
		if in = c.resourceNamed(p, name, fragment); in == nil {
			return
		}
	}
	fragment, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		c.problem(p.at, "%q is no URL: %v", clip(p.ref.text), err)
	case fragment == "":
		p.ref.target = in.root
	case fragment[0] == '/':
		p.ref.target = c.follow(p, in, fragment)
	case in.anchors[fragment] != nil:
		p.ref.target = in.anchors[fragment]
	default:
		c.problem(p.at, "%s", hint(strconv.Quote(clip(p.ref.text))+" leads nowhere: there is no such anchor", fragment, slices.Sorted(maps.Keys(in.anchors))))
	}
}

// resourceNamed gives the part of the document with a name. The schema of a
// draft counts as known; anything else would have to be loaded.
func (c *compiler) resourceNamed(p pendingRef, name, fragment string) *resource {
	full, err := p.in.base.Parse(name)
	if err != nil {
		c.problem(p.at, "%q is no URL: %v", clip(p.ref.text), err)
		return nil
	}
	if in, known := c.resources[full.String()]; known {
		return in
	}
	if d, isDraft := draftNamed(full.String()); isDraft && fragment == "" {
		in := &resource{base: full, draft: d}
		in.root = &node{at: p.at, resource: in, schemas: true}
		return in
	}
	c.problem(p.at, "%q is not loaded: a schema can refer to its own parts only", clip(p.ref.text))
	return nil
}

// follow walks a JSON pointer from a resource's root.
func (c *compiler) follow(p pendingRef, in *resource, pointer string) *node {
	at, source := in.root.at, in.root.source
	within := in
	for _, token := range Tokens(pointer) {
		var next any
		there := false
		switch source := source.(type) {
		case map[string]any:
			next, there = source[token]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(source) {
				next, there = source[i], true
			}
		}
		if !there {
			object, _ := source.(map[string]any)
			known := slices.Sorted(maps.Keys(object))
			c.problem(p.at, "%s", hint(strconv.Quote(clip(p.ref.text))+" leads nowhere: there is no "+strconv.Quote(clip(token)), token, known))
			return nil
		}
		at, source = below(at, token), next
		if n, known := c.nodes[at]; known {
			within = n.resource
		}
	}
	return c.node(source, at, within, 1+strings.Count(at, "/"))
}

// checkSchema checks a value that must be a schema itself.
func (v *validator) checkSchema(n *node, value any) bool {
	v.spend(10 * size(value))
	if v.fatal != "" {
		return false
	}
	c := newCompiler(Options{})
	c.node(value, "", &resource{base: n.resource.base, draft: n.resource.draft}, 0)
	for _, p := range c.wrong.problems {
		if !v.loud {
			break
		}
		v.found.add(Problem{Path: v.pointer() + p.Path, Keyword: "$ref", At: n.at, Message: p.Message})
	}
	return len(c.wrong.problems) == 0
}

// refuseLoops refuses schemas that apply themselves to the same value whatever
// it is. Loops that hang on the value are found when it is checked.
func (c *compiler) refuseLoops() {
	state := make(map[*node]int, len(c.nodes)) // 1: on the way, 2: done
	var visit func(n *node) bool
	visit = func(n *node) bool {
		if state[n] != 0 {
			return state[n] == 2
		}
		state[n] = 1
		defer func() { state[n] = 2 }()
		for _, ref := range n.refs {
			if !visit(ref.target) {
				c.problem(below(n.at, "$ref"), "%q leads back to this place without end", clip(ref.text))
				return true
			}
		}
		if n.combined == nil {
			return true
		}
		return !slices.ContainsFunc(n.combined.all, func(form *node) bool { return !visit(form) })
	}
	for _, at := range slices.Sorted(maps.Keys(c.nodes)) {
		visit(c.nodes[at])
	}
}
