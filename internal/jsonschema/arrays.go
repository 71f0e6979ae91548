package jsonschema

import "github.com/a-seed-11b9befa/flow/internal/quantity"

// arrayRules are the keywords about arrays.
type arrayRules struct {
	minItems, maxItems       *int
	unique                   bool
	prefix                   []*node // of the first items, one by one
	rest                     *node   // of the others
	restKeyword              string
	contains                 *node
	minContains, maxContains *int
}

// arrayKeywords are those about arrays. "items" is read before "prefixItems" is known,
// so the two meet in arrayRules only.
func arrayKeywords() map[string]keyword {
	return map[string]keyword{
		"minItems":         func(r *reader, v any) { r.arrays().minItems = r.count(v) },
		"maxItems":         func(r *reader, v any) { r.arrays().maxItems = r.count(v) },
		"uniqueItems":      func(r *reader, v any) { r.arrays().unique = r.boolean(v) },
		"prefixItems":      func(r *reader, v any) { r.arrays().prefix = r.schemas(v) },
		"items":            readItems,
		"additionalItems":  readAdditionalItems,
		"contains":         func(r *reader, v any) { r.arrays().contains = r.schema(v) },
		"minContains":      func(r *reader, v any) { r.arrays().minContains = r.count(v) },
		"maxContains":      func(r *reader, v any) { r.arrays().maxContains = r.count(v) },
		"unevaluatedItems": func(r *reader, v any) { r.node.unevaluatedItems = r.schema(v) },
	}
}

// arrays gives the rules to fill in.
func (r *reader) arrays() *arrayRules {
	if r.node.arrays == nil {
		r.node.arrays = &arrayRules{}
	}
	return r.node.arrays
}

// readItems reads the schema of all items or, as drafts before 2020-12 had it,
// those of the first ones.
func readItems(r *reader, v any) {
	rules := r.arrays()
	elements, isTuple := v.([]any)
	switch {
	case !isTuple:
		rules.rest, rules.restKeyword = r.schema(v), "items"
	case len(elements) > 0 || r.node.resource.draft == draft2020:
		rules.prefix = r.schemas(v)
	}
}

// readAdditionalItems reads the schema of the items behind those that "items"
// lists. Without such a list it says nothing.
func readAdditionalItems(r *reader, v any) {
	n := r.schema(v)
	if _, isTuple := r.source["items"].([]any); isTuple {
		rules := r.arrays()
		rules.rest, rules.restKeyword = n, "additionalItems"
	}
}

// checkArray marks in seen the items that a schema was found for.
func (v *validator) checkArray(n *node, items []any, seen *evaluated) bool {
	rules := n.arrays
	ok := true
	if least := rules.minItems; least != nil && len(items) < *least {
		ok = v.fail(n, "minItems", "got %s, want at least %s", quantity.Count(len(items), "item"), quantity.Thousands(*least))
	}
	if most := rules.maxItems; most != nil && len(items) > *most {
		ok = v.fail(n, "maxItems", "got %s, want at most %s", quantity.Count(len(items), "item"), quantity.Thousands(*most))
	}
	if !ok && !v.loud {
		return false
	}
	if rules.unique {
		ok = v.checkUnique(n, items) && ok
	}
	ok = v.checkItems(n, items, seen) && ok
	if rules.contains != nil && (ok || v.loud) {
		ok = v.checkContains(n, items, seen) && ok
	}
	return ok
}

// checkItems checks each item by its own schema, or that of the rest.
func (v *validator) checkItems(n *node, items []any, seen *evaluated) bool {
	rules := n.arrays
	ok := true
	for i, item := range items {
		of := rules.rest
		if i < len(rules.prefix) {
			of = rules.prefix[i]
		}
		if of == nil {
			break
		}
		if i >= len(rules.prefix) && of.never {
			return v.fail(n, rules.restKeyword, "got %s, want at most %s", quantity.Count(len(items), "item"), quantity.Thousands(len(rules.prefix)))
		}
		seen.item(i)
		if !v.checkAt(step{index: i}, of, item) {
			if ok = false; !v.loud {
				return false
			}
		}
	}
	return ok
}

// checkUnique takes time in proportion to the size of the items.
func (v *validator) checkUnique(n *node, items []any) bool {
	if len(items) <= 1 {
		return true
	}
	if v.spend(size(items)); v.fatal != "" {
		return false
	}
	seen := newSet(len(items))
	for i, item := range items {
		if first := seen.add(item); first >= 0 {
			return v.fail(n, "uniqueItems", "items %d and %d are equal", first, i)
		}
	}
	return true
}

// checkContains counts the items that fit.
func (v *validator) checkContains(n *node, items []any, seen *evaluated) bool {
	rules := n.arrays
	fit := 0
	for i, item := range items {
		if !v.quietly(func() bool { return v.checkAt(step{index: i}, rules.contains, item) }) {
			continue
		}
		fit++
		seen.item(i)
	}
	least := 1
	if rules.minContains != nil {
		least = *rules.minContains
	}
	ok := true
	if fit < least {
		keyword := "contains"
		if rules.minContains != nil {
			keyword = "minContains"
		}
		ok = v.fail(n, keyword, "got %s that \"contains\" asks for, want at least %s", quantity.Count(fit, "item"), quantity.Thousands(least))
	}
	if most := rules.maxContains; most != nil && fit > *most {
		ok = v.fail(n, "maxContains", "got %s that \"contains\" asks for, want at most %s", quantity.Count(fit, "item"), quantity.Thousands(*most))
	}
	return ok
}

// checkUnevaluatedItems checks the items that nothing else has looked at.
func (v *validator) checkUnevaluatedItems(n *node, items []any, seen *evaluated) bool {
	v.spend(len(items) / namesPerStep)
	ok := true
	for i, item := range items {
		if seen.items.has(i) {
			continue
		}
		if n.unevaluatedItems.never {
			ok = v.fail(n, "unevaluatedItems", "item %d is not allowed", i)
		} else {
			ok = v.checkAt(step{index: i}, n.unevaluatedItems, item) && ok
		}
		seen.item(i)
		if !ok && !v.loud {
			return false
		}
	}
	return ok
}
