package jsonschema

// checkCombined checks the value with the schemas that apply to it as a whole.
func (v *validator) checkCombined(n *node, value any) bool {
	ok := true
	for _, form := range n.all {
		if !v.check(form, value) {
			if ok = false; !v.loud {
				return false
			}
		}
	}
	if n.not != nil && v.quietly(func() bool { return v.check(n.not, value) }) {
		ok = v.fail(n, "not", "%s is what is not allowed here", v.show(value))
	}
	if n.any != nil && (ok || v.loud) {
		ok = v.checkAny(n, value) && ok
	}
	if n.one != nil && (ok || v.loud) {
		ok = v.checkOne(n, value) && ok
	}
	if n.condition != nil && (ok || v.loud) {
		ok = v.checkCondition(n, value) && ok
	}
	return ok
}

// fits reports whether the value matches one form.
func (v *validator) fits(form *node, value any) bool {
	return v.quietly(func() bool { return v.check(form, value) })
}

func (v *validator) checkAny(n *node, value any) bool {
	for _, form := range n.any {
		if v.fits(form, value) {
			return true
		}
	}
	return v.failAll(n, "anyOf", n.any, value)
}

// checkOne tries the forms up to the second that matches.
func (v *validator) checkOne(n *node, value any) bool {
	first := -1
	for i, form := range n.one {
		switch fits := v.fits(form, value); {
		case fits && first >= 0:
			return v.fail(n, "oneOf", "fits the forms %d and %d, where exactly one is allowed", first+1, i+1)
		case fits:
			first = i
		}
	}
	return first >= 0 || v.failAll(n, "oneOf", n.one, value)
}

// checkCondition checks the value with "then" or "else".
func (v *validator) checkCondition(n *node, value any) bool {
	next := n.otherwise
	if v.fits(n.condition, value) {
		next = n.then
	}
	return next == nil || v.check(next, value)
}
