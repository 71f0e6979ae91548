package jsonschema

import (
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

func readPattern(r *reader, v any) {
	if text, ok := r.text(v); ok {
		r.node.pattern = r.pattern(r.at(), text)
	}
}

func readFormat(r *reader, v any) {
	if name, ok := r.text(v); ok && r.options.Formats {
		r.node.format = formatNamed(name)
	}
}

// checkString counts characters as code points, and only if the number of bytes does not
// decide.
func (v *validator) checkString(n *node, s string) bool {
	v.spend(len(s) / bytesPerStep)
	ok := true
	if least := n.minLength; least != nil && (len(s) < *least || utf8.RuneCountInString(s) < *least) {
		ok = v.failCount(n, "minLength", utf8.RuneCountInString(s), "character", "at least", *least)
	}
	if most := n.maxLength; most != nil && len(s) > *most && utf8.RuneCountInString(s) > *most {
		ok = v.failCount(n, "maxLength", utf8.RuneCountInString(s), "character", "at most", *most)
	}
	if p := n.pattern; p != nil && !v.matches(p, s) {
		ok = v.fail(n, "pattern", "%s does not match the pattern %q", v.show(s), clip(p.text))
	}
	if f := n.format; f != nil && !f.fits(s) {
		ok = v.fail(n, "format", "%s is not a valid %s: %s", v.show(s), f.name, f.expected)
	}
	return ok
}

// checkCount checks a number of things with two keywords.
func (v *validator) checkCount(n *node, of string, count int, noun string, least, most *int) bool {
	ok := true
	if least != nil && count < *least {
		ok = v.failCount(n, "min"+of, count, noun, "at least", *least)
	}
	if most != nil && count > *most {
		ok = v.failCount(n, "max"+of, count, noun, "at most", *most)
	}
	return ok
}

// failCount reports how many things there are, and how many there may be.
func (v *validator) failCount(n *node, keyword string, count int, noun, want string, bound int) bool {
	return v.loud && v.fail(n, keyword, "got %s, want %s %s", quantity.Count(count, noun), want, quantity.Thousands(bound))
}

// matches reports whether a pattern matches somewhere in s, and counts the work.
func (v *validator) matches(p *pattern, s string) bool {
	if p.compiled == nil {
		return true
	}
	v.spend(stepsPerMatch + len(s)/bytesPerStep*(1+p.size/bytesPerStep))
	return v.fatal != "" || p.compiled.MatchString(s)
}
