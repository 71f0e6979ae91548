package jsonschema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// objectRules are the keywords about objects.
type objectRules struct {
	minProperties, maxProperties *int
	required                     []string
	properties                   map[string]*node
	patterns                     []patternRule
	additional                   *node
	names                        *node
	dependent                    []dependency
}

// A patternRule is for the properties whose names fit a pattern.
type patternRule struct {
	pattern *pattern
	node    *node
}

// A dependency is what an object must have, or fit, where it has a property.
type dependency struct {
	keyword  string
	property string
	required []string
	schema   *node
}

// objectKeywords are those about objects.
func objectKeywords() map[string]keyword {
	return map[string]keyword{
		"minProperties":         func(r *reader, v any) { r.objects().minProperties = r.count(v) },
		"maxProperties":         func(r *reader, v any) { r.objects().maxProperties = r.count(v) },
		"required":              func(r *reader, v any) { r.objects().required = r.names(r.at(), v) },
		"properties":            func(r *reader, v any) { r.objects().properties = r.named(v) },
		"patternProperties":     readPatternProperties,
		"additionalProperties":  func(r *reader, v any) { r.objects().additional = r.schema(v) },
		"propertyNames":         func(r *reader, v any) { r.objects().names = r.schema(v) },
		"dependentRequired":     readDependencies,
		"dependentSchemas":      readDependencies,
		"dependencies":          readDependencies,
		"unevaluatedProperties": func(r *reader, v any) { r.node.unevaluatedProperties = r.schema(v) },
	}
}

// objects gives the rules to fill in.
func (r *reader) objects() *objectRules {
	if r.node.objects == nil {
		r.node.objects = &objectRules{}
	}
	return r.node.objects
}

// readPatternProperties keeps the patterns in the order of their texts, so that
// problems come in the same order each time.
func readPatternProperties(r *reader, v any) {
	named := r.named(v)
	for _, text := range slices.Sorted(maps.Keys(named)) {
		rule := patternRule{r.pattern(below(r.at(), text), text), named[text]}
		r.objects().patterns = append(r.objects().patterns, rule)
	}
}

// readDependencies reads three keywords: "dependencies", of the drafts before
// 2019-09, may hold what either of the others does.
func readDependencies(r *reader, v any) {
	object, isObject := v.(map[string]any)
	if !isObject {
		r.want(r.at(), v, "object")
		return
	}
	for _, property := range slices.Sorted(maps.Keys(object)) {
		at := below(r.at(), property)
		d := dependency{keyword: r.name, property: property}
		_, isList := object[property].([]any)
		if isList && r.name != "dependentSchemas" || r.name == "dependentRequired" {
			d.required = r.names(at, object[property])
		} else {
			d.schema = r.compiler.node(object[property], at, r.node.resource, r.depth+1)
		}
		r.objects().dependent = append(r.objects().dependent, d)
	}
}

// checkObject marks in seen the properties that a schema was found for.
func (v *validator) checkObject(n *node, object map[string]any, seen *evaluated) bool {
	ok := v.checkCounts(n, object)
	if ok || v.loud {
		ok = v.checkProperties(n, object, seen) && ok
	}
	if n.objects.names != nil && (ok || v.loud) {
		ok = v.checkNames(n, object) && ok
	}
	if ok || v.loud {
		ok = v.checkDependencies(n, object, seen) && ok
	}
	return ok
}

// checkCounts checks which properties there are, and how many.
func (v *validator) checkCounts(n *node, object map[string]any) bool {
	rules := n.objects
	v.spend(len(rules.required) / namesPerStep)
	ok := true
	for _, name := range rules.required {
		if _, there := object[name]; !there {
			ok = v.fail(n, "required", "%q is missing", clip(name))
		}
	}
	if least := rules.minProperties; least != nil && len(object) < *least {
		ok = v.fail(n, "minProperties", "got %s, want at least %s", quantity.Count(len(object), "property"), quantity.Thousands(*least))
	}
	if most := rules.maxProperties; most != nil && len(object) > *most {
		ok = v.fail(n, "maxProperties", "got %s, want at most %s", quantity.Count(len(object), "property"), quantity.Thousands(*most))
	}
	return ok
}

// checkProperties checks each property by its name.
func (v *validator) checkProperties(n *node, object map[string]any, seen *evaluated) bool {
	if rules := n.objects; rules.properties == nil && rules.patterns == nil && rules.additional == nil {
		return true
	}
	if !v.loud { // in any order, up to the first that does not fit
		for name, value := range object {
			if !v.checkProperty(n, name, value, seen) {
				return false
			}
		}
		return true
	}
	ok := true
	for _, name := range slices.Sorted(maps.Keys(object)) {
		ok = v.checkProperty(n, name, object[name], seen) && ok
	}
	return ok
}

// checkProperty checks by every schema that is for the name; "additionalProperties"
// is for the names that no other is for.
func (v *validator) checkProperty(n *node, name string, value any, seen *evaluated) bool {
	rules := n.objects
	of, known := rules.properties[name]
	ok := true
	if known {
		ok = v.checkAt(step{key: name}, of, value)
	}
	for _, p := range rules.patterns {
		if !v.matches(p.pattern, name) {
			continue
		}
		known = true
		ok = (ok || v.loud) && v.checkAt(step{key: name}, p.node, value) && ok
	}
	switch {
	case known:
	case rules.additional == nil:
		return ok
	case rules.additional.never:
		ok = v.failUnknown(n, "additionalProperties", name)
	default:
		ok = v.checkAt(step{key: name}, rules.additional, value)
	}
	seen.property(name)
	return ok
}

// failUnknown says that a property is not among those that may be there.
func (v *validator) failUnknown(n *node, keyword, name string) bool {
	var known []string
	if v.loud && !v.found.full() && n.objects != nil {
		known = slices.Sorted(maps.Keys(n.objects.properties))
	}
	return v.fail(n, keyword, "%s", hint(fmt.Sprintf("%q is not known", clipTo(name, 100)), name, known))
}

// checkNames checks the names of all properties.
func (v *validator) checkNames(n *node, object map[string]any) bool {
	ok := true
	names := maps.Keys(object)
	if v.loud {
		names = slices.Values(slices.Sorted(names))
	}
	for name := range names {
		if !v.checkName(n, name) {
			if ok = false; !v.loud {
				break
			}
		}
	}
	return ok
}

// checkName checks a property's name, and reports what is wrong as the object's.
func (v *validator) checkName(n *node, name string) bool {
	if v.quietly(func() bool { return v.checkBeside(n.objects.names, name, nil) }) {
		return true
	}
	if !v.loud {
		return false
	}
	why := v.captured(func() { v.checkBeside(n.objects.names, name, nil) })
	for i := range why {
		why[i].Path = ""
	}
	return v.fail(n, "propertyNames", "the name %q is not allowed: %s", clipTo(name, 100), joined(why))
}

// checkDependencies checks what goes with the properties that are there.
func (v *validator) checkDependencies(n *node, object map[string]any, seen *evaluated) bool {
	v.spend(len(n.objects.dependent) / namesPerStep)
	ok := true
	for _, d := range n.objects.dependent {
		if _, there := object[d.property]; !there {
			continue
		}
		for _, name := range d.required {
			if _, there := object[name]; !there {
				ok = v.fail(n, d.keyword, "%q is missing; it is required beside %q", clip(name), clip(d.property))
			}
		}
		if d.schema != nil {
			ok = v.check(d.schema, object, seen) && ok
		}
	}
	return ok
}

// checkUnevaluatedProperties checks the properties that nothing else has looked at.
func (v *validator) checkUnevaluatedProperties(n *node, object map[string]any, seen *evaluated) bool {
	v.spend(len(object) / namesPerStep)
	ok := true
	names := maps.Keys(object)
	if v.loud {
		names = slices.Values(slices.Sorted(names))
	}
	for name := range names {
		if seen.properties[name] {
			continue
		}
		if n.unevaluatedProperties.never {
			ok = v.failUnknown(n, "unevaluatedProperties", name)
		} else {
			ok = v.checkAt(step{key: name}, n.unevaluatedProperties, object[name]) && ok
		}
		seen.property(name)
		if !ok && !v.loud {
			return false
		}
	}
	return ok
}
