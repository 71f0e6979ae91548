package jsonschema

import "github.com/a-seed-11b9befa/flow/internal/quantity"

// readItems reads the schema of all items or, as in drafts before 2020-12, the schemas of
// the first ones.
func readItems(r *reader, v any) {
	switch elements, isTuple := v.([]any); {
	case !isTuple:
		r.node.rest, r.node.restKeyword = r.schema(v), "items"
	case len(elements) > 0:
		r.node.prefix = r.schemas(v)
	}
}

// readAdditionalItems reads the schema of the items behind those in the list of "items". It
// is ignored without such a list.
func readAdditionalItems(r *reader, v any) {
	n := r.schema(v)
	if _, isTuple := r.source["items"].([]any); isTuple {
		r.node.rest, r.node.restKeyword = n, "additionalItems"
	}
}

func (v *validator) checkArray(n *node, items []any) bool {
	ok := v.checkCount(n, "Items", len(items), "item", n.minItems, n.maxItems)
	if !ok && !v.loud {
		return false
	}
	if n.unique {
		ok = v.checkUnique(n, items) && ok
	}
	ok = v.checkItems(n, items) && ok
	if n.contains != nil && (ok || v.loud) {
		ok = v.checkContains(n, items) && ok
	}
	return ok
}

// checkItems checks each item with its own schema, or that of the rest.
func (v *validator) checkItems(n *node, items []any) bool {
	ok := true
	for i, item := range items {
		of := n.rest
		if i < len(n.prefix) {
			of = n.prefix[i]
		}
		if of == nil {
			break
		}
		if i >= len(n.prefix) && of.never {
			return v.failCount(n, n.restKeyword, len(items), "item", "at most", len(n.prefix))
		}
		if !v.checkAt(step{index: i}, of, item) {
			if ok = false; !v.loud {
				return false
			}
		}
	}
	return ok
}

// checkUnique takes time proportional to the size of the items.
func (v *validator) checkUnique(n *node, items []any) bool {
	if len(items) <= 1 {
		return true
	}
	if v.spend(size(items)); v.fatal != "" {
		return false
	}
	seen := make(map[string]int, len(items))
	for i, item := range items {
		written := string(canonical(nil, item))
		if first, twice := seen[written]; twice {
			return v.fail(n, "uniqueItems", "items %d and %d are equal", first, i)
		}
		seen[written] = i
	}
	return true
}

// checkContains counts the items that match.
func (v *validator) checkContains(n *node, items []any) bool {
	fit := 0
	for i, item := range items {
		if v.quietly(func() bool { return v.checkAt(step{index: i}, n.contains, item) }) {
			fit++
		}
	}
	least, keyword := 1, "contains"
	if n.minContains != nil {
		least, keyword = *n.minContains, "minContains"
	}
	const message = "got %s that \"contains\" asks for, want %s %s"
	ok := true
	if fit < least {
		ok = v.fail(n, keyword, message, quantity.Count(fit, "item"), "at least", quantity.Thousands(least))
	}
	if most := n.maxContains; most != nil && fit > *most {
		ok = v.fail(n, "maxContains", message, quantity.Count(fit, "item"), "at most", quantity.Thousands(*most))
	}
	return ok
}
