package jsonschema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A pendingRef is a reference to resolve once all parts of the document are known.
type pendingRef struct {
	from     *node
	at, text string
}

// readRef records a reference.
func readRef(r *reader, v any) {
	if text, ok := r.text(v); ok {
		r.pending = append(r.pending, pendingRef{r.node, r.at(), text})
	}
}

// refuseDynamic refuses a reference whose target depends on the way to it. Only the drafts
// themselves use such references.
func refuseDynamic(r *reader, _ any) {
	r.problem(r.at(), "%s is not supported; use $ref", r.name)
}

// isDraft reports whether a URL is that of a draft of the specification, with any scheme and
// with an empty fragment or none.
func isDraft(url string) bool {
	_, name, _ := strings.Cut(strings.TrimSuffix(url, "#"), "://")
	return slices.Contains([]string{
		"json-schema.org/draft-04/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
		"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/schema",
	}, name)
}

// readDraft refuses any $schema other than a draft, which means unknown keywords.
func readDraft(r *reader, v any) {
	name, ok := r.text(v)
	if ok && !isDraft(name) {
		r.problem(r.at(), "%s", hint("the draft "+strconv.Quote(clip(name))+" is not known", name, []string{"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"}))
	}
}

// resolveAll resolves the references, also those in schemas that are compiled meanwhile.
func (c *compiler) resolveAll() {
	for i := 0; i < len(c.pending) && !c.wrong.full(); i++ {
		c.pending[i].from.ref = c.resolve(c.pending[i])
	}
}

// A part of the document has its pointer and its value.
type part struct {
	at     string
	source any
}

// readName records the name of a part for references: "$id", or "$anchor" behind a #. Names
// are compared literally, not as relative URLs.
func readName(r *reader, v any) {
	if name, ok := r.text(v); ok {
		if r.name == "$anchor" {
			name = "#" + name
		}
		r.named[strings.TrimSuffix(name, "#")] = part{r.node.at, r.source}
	}
}

// resolve returns the schema to which a reference leads, or reports why there is none. A
// draft means a schema for schemas.
func (c *compiler) resolve(p pendingRef) *node {
	if isDraft(p.text) {
		return &node{at: p.at, schema: true}
	}
	if part, known := c.named[p.text]; known && p.text != "" {
		return c.nodes[part.at]
	}
	name, fragment, _ := strings.Cut(p.text, "#")
	from, known := c.named[name]
	if name != "" && !known {
		c.problem(p.at, "%q is not loaded: a schema can refer to its own parts only", clip(p.text))
		return nil
	}
	if !known {
		from = part{"", c.document}
	}
	pointer, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		c.problem(p.at, "%q is no URL: %v", clip(p.text), err)
		return nil
	case pointer != "" && pointer[0] != '/':
		c.problem(p.at, "%q leads nowhere: there is no such $anchor", clip(p.text))
		return nil
	}
	return c.follow(p, from, pointer)
}

// follow follows a JSON pointer.
func (c *compiler) follow(p pendingRef, from part, pointer string) *node {
	at, source := from.at, from.source
	for _, token := range Tokens(pointer) {
		var next any
		there := false
		object, _ := source.(map[string]any)
		switch source := source.(type) {
		case map[string]any:
			next, there = source[token]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(source) {
				next, there = source[i], true
			}
		}
		if !there {
			c.problem(p.at, "%s", hint(strconv.Quote(clip(p.text))+" leads nowhere: there is no "+strconv.Quote(clip(token)), token, slices.Sorted(maps.Keys(object))))
			return nil
		}
		at, source = below(at, token), next
	}
	return c.node(source, at, 1+strings.Count(at, "/"))
}

// refuseLoops reports schemas that apply themselves to the same value, whatever it is. Loops
// that depend on the value are found during validation.
func (c *compiler) refuseLoops() {
	entered, left := map[*node]bool{}, map[*node]bool{}
	var loops func(n *node) bool
	loops = func(n *node) bool {
		if entered[n] {
			return !left[n]
		}
		entered[n] = true
		defer func() { left[n] = true }()
		if n.ref != nil && loops(n.ref) {
			c.problem(below(n.at, "$ref"), "it leads back to this place without end")
			return false
		}
		return slices.ContainsFunc(n.all, loops)
	}
	for _, at := range slices.Sorted(maps.Keys(c.nodes)) {
		loops(c.nodes[at])
	}
}
