package jsonschema

import (
	"fmt"
	"maps"
	"slices"
)

// readPatternProperties sorts the patterns, so that problems always come in the same order.
func readPatternProperties(r *reader, v any) {
	r.object(v, "object of schemas", func(text, at string, v any) {
		r.node.patterns = append(r.node.patterns, patternRule{r.pattern(at, text), r.inside(at, v)})
	})
}

// readDependencies reads three keywords: "dependencies", of drafts before 2019-09, may have
// the values of both others.
func readDependencies(r *reader, v any) {
	r.object(v, "object", func(property, at string, v any) {
		d := dependency{keyword: r.name, property: property}
		_, isList := v.([]any)
		if isList && r.name != "dependentSchemas" || r.name == "dependentRequired" {
			d.required = r.names(at, v)
		} else {
			d.schema = r.inside(at, v)
		}
		r.node.dependent = append(r.node.dependent, d)
	})
}

func (v *validator) checkObject(n *node, object map[string]any) bool {
	v.spend((len(n.required) + len(n.dependent)) / namesPerStep)
	ok := true
	for _, name := range n.required {
		if _, there := object[name]; !there {
			ok = v.fail(n, "required", "%q is missing", clip(name))
		}
	}
	ok = v.checkCount(n, "Properties", len(object), "property", n.minProperties, n.maxProperties) && ok
	if n.properties != nil || n.patterns != nil || n.additional != nil || n.names != nil {
		ok = (ok || v.loud) && v.checkProperties(n, object) && ok
	}
	for _, d := range n.dependent {
		if _, there := object[d.property]; there {
			ok = v.checkDependency(n, d, object) && ok
		}
	}
	return ok
}

// checkProperties checks the properties and their names. Quietly it checks them in any
// order, up to the first mismatch.
func (v *validator) checkProperties(n *node, object map[string]any) bool {
	names := maps.Keys(object)
	if v.loud {
		names = slices.Values(slices.Sorted(names))
	}
	ok := true
	for name := range names {
		ok = v.checkProperty(n, name, object[name]) && ok
		if n.names != nil && (ok || v.loud) {
			ok = v.checkName(n, name) && ok
		}
		if !ok && !v.loud {
			return false
		}
	}
	return ok
}

// checkProperty checks a property with all schemas for its name. "additionalProperties" is
// for names that have no other.
func (v *validator) checkProperty(n *node, name string, value any) bool {
	of, known := n.properties[name]
	ok := !known || v.checkAt(step{key: name}, of, value)
	for _, p := range n.patterns {
		if v.matches(p.pattern, name) {
			known = true
			ok = (ok || v.loud) && v.checkAt(step{key: name}, p.node, value) && ok
		}
	}
	switch {
	case known || n.additional == nil:
		return ok
	case !n.additional.never:
		return v.checkAt(step{key: name}, n.additional, value)
	}
	var names []string
	if v.loud && !v.found.full() {
		names = slices.Sorted(maps.Keys(n.properties))
	}
	return v.fail(n, "additionalProperties", "%s", hint(fmt.Sprintf("%q is not known", v.clip(name, 100)), name, names))
}

// checkName checks a property's name, and reports problems at the object.
func (v *validator) checkName(n *node, name string) bool {
	if v.quietly(func() bool { return v.checkBeside(n.names, name) }) {
		return true
	}
	if !v.loud {
		return false
	}
	why := v.captured(func() { v.checkBeside(n.names, name) })
	for i := range why {
		why[i].Path = ""
	}
	return v.fail(n, "propertyNames", "the name %q is not allowed: %s", v.clip(name, 100), joined(why))
}

// checkDependency checks what a property requires of the object.
func (v *validator) checkDependency(n *node, d dependency, object map[string]any) bool {
	ok := true
	for _, name := range d.required {
		if _, there := object[name]; !there {
			ok = v.fail(n, d.keyword, "%q is missing; it is required beside %q", clip(name), clip(d.property))
		}
	}
	return (d.schema == nil || v.check(d.schema, object)) && ok
}
