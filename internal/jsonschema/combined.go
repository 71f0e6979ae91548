package jsonschema

// combinedRules are the keywords that apply other schemas to the same value.
type combinedRules struct {
	all, any, one              []*node
	not                        *node
	condition, then, otherwise *node
}

// combiningKeywords are those that hold schemas for the same value.
func combiningKeywords() map[string]keyword {
	return map[string]keyword{
		"allOf": func(r *reader, v any) { r.combined().all = r.schemas(v) },
		"anyOf": func(r *reader, v any) { r.combined().any = r.schemas(v) },
		"oneOf": func(r *reader, v any) { r.combined().one = r.schemas(v) },
		"not":   func(r *reader, v any) { r.combined().not = r.schema(v) },
		"if":    func(r *reader, v any) { r.combined().condition = r.schema(v) },
		"then":  func(r *reader, v any) { r.combined().then = r.schema(v) },
		"else":  func(r *reader, v any) { r.combined().otherwise = r.schema(v) },
	}
}

// combined gives the rules to fill in.
func (r *reader) combined() *combinedRules {
	if r.node.combined == nil {
		r.node.combined = &combinedRules{}
	}
	return r.node.combined
}

// checkCombined marks in seen what the forms that fit have looked at.
func (v *validator) checkCombined(n *node, value any, seen *evaluated) bool {
	rules := n.combined
	ok := true
	for _, form := range rules.all {
		if !v.check(form, value, seen) {
			if ok = false; !v.loud {
				return false
			}
		}
	}
	if rules.not != nil && v.quietly(func() bool { return v.check(rules.not, value, nil) }) {
		ok = v.fail(n, "not", "%s is what is not allowed here", show(value))
	}
	if rules.any != nil && (ok || v.loud) {
		ok = v.checkAny(n, value, seen) && ok
	}
	if rules.one != nil && (ok || v.loud) {
		ok = v.checkOne(n, value, seen) && ok
	}
	if rules.condition != nil && (ok || v.loud) {
		ok = v.checkCondition(rules, value, seen) && ok
	}
	return ok
}

// fits tries one form quietly, and keeps what it looks at if it fits.
func (v *validator) fits(form *node, value any, seen *evaluated) bool {
	branch := seen.branch()
	if !v.quietly(func() bool { return v.check(form, value, branch) }) {
		return false
	}
	seen.take(branch)
	return true
}

// checkAny tries all forms where unevaluated parts are asked for, else up to the
// first that fits.
func (v *validator) checkAny(n *node, value any, seen *evaluated) bool {
	found := false
	for _, form := range n.combined.any {
		if v.fits(form, value, seen) {
			if found = true; seen == nil {
				return true // what the others look at is of no interest
			}
		}
	}
	return found || v.failAll(n, "anyOf", n.combined.any, value)
}

// checkOne tries the forms up to the second that fits.
func (v *validator) checkOne(n *node, value any, seen *evaluated) bool {
	var fit []int
	for i, form := range n.combined.one {
		if v.fits(form, value, seen) {
			fit = append(fit, i)
		}
		if len(fit) > 1 {
			return v.fail(n, "oneOf", "fits the forms %d and %d, where exactly one is allowed", fit[0]+1, fit[1]+1)
		}
	}
	return len(fit) == 1 || v.failAll(n, "oneOf", n.combined.one, value)
}

// checkCondition checks by "then" or "else". The condition alone fails nothing.
func (v *validator) checkCondition(rules *combinedRules, value any, seen *evaluated) bool {
	next := rules.otherwise
	if v.fits(rules.condition, value, seen) {
		next = rules.then
	}
	return next == nil || v.check(next, value, seen)
}
