package jsonschema

// numberRules are the keywords about numbers.
type numberRules struct {
	minimum, maximum, above, below, multipleOf *number
	source                                     map[string]any // for messages
}

// numberKeywords are those about numbers.
func numberKeywords() map[string]keyword {
	return map[string]keyword{
		"minimum":          func(r *reader, v any) { r.numbers().minimum = r.number(v) },
		"maximum":          func(r *reader, v any) { r.numbers().maximum = r.number(v) },
		"exclusiveMinimum": func(r *reader, v any) { readExclusive(r, v, "minimum", &r.numbers().above) },
		"exclusiveMaximum": func(r *reader, v any) { readExclusive(r, v, "maximum", &r.numbers().below) },
		"multipleOf":       readMultipleOf,
	}
}

// numbers gives the rules to fill in.
func (r *reader) numbers() *numberRules {
	if r.node.numbers == nil {
		r.node.numbers = &numberRules{source: r.source}
	}
	return r.node.numbers
}

// readExclusive reads a bound that does not belong to what is allowed. In OpenAPI
// 3.0, as in draft-04, it is a flag beside the bound.
func readExclusive(r *reader, v any, bound string, to **number) {
	flag, isFlag := v.(bool)
	if !isFlag {
		*to = r.number(v)
		return
	}
	if n, there := numberOf(r.source[bound]); flag && there {
		*to = &n
	}
}

// readMultipleOf refuses 0, which nothing is a multiple of.
func readMultipleOf(r *reader, v any) {
	n := r.number(v)
	if n != nil && n.sign() <= 0 {
		r.problem(r.at(), "got %s, want a number above 0", show(v))
		return
	}
	r.numbers().multipleOf = n
}

// checkNumber reports every bound that is broken, in the words of the schema.
func (v *validator) checkNumber(n *node, value any) bool {
	rules := n.numbers
	x, inRange := numberOf(value)
	if !inRange {
		return false // and told as a problem of its type
	}
	ok := true
	if rules.minimum != nil && x.compare(*rules.minimum) < 0 {
		ok = v.fail(n, "minimum", "got %s, want at least %s", show(value), show(rules.source["minimum"]))
	}
	if rules.above != nil && x.compare(*rules.above) <= 0 {
		ok = v.fail(n, "exclusiveMinimum", "got %s, want more than %s", show(value), rules.bound("exclusiveMinimum", "minimum"))
	}
	if rules.maximum != nil && x.compare(*rules.maximum) > 0 {
		ok = v.fail(n, "maximum", "got %s, want at most %s", show(value), show(rules.source["maximum"]))
	}
	if rules.below != nil && x.compare(*rules.below) >= 0 {
		ok = v.fail(n, "exclusiveMaximum", "got %s, want less than %s", show(value), rules.bound("exclusiveMaximum", "maximum"))
	}
	if rules.multipleOf != nil && !x.multipleOf(*rules.multipleOf) {
		ok = v.fail(n, "multipleOf", "got %s, want a multiple of %s", show(value), show(rules.source["multipleOf"]))
	}
	return ok
}

// bound shows an exclusive bound: a flag has it at the other keyword.
func (rules *numberRules) bound(keyword, other string) string {
	if _, isFlag := rules.source[keyword].(bool); isFlag {
		return show(rules.source[other])
	}
	return show(rules.source[keyword])
}
