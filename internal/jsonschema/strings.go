package jsonschema

import (
	"fmt"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// stringRules are the keywords about strings.
type stringRules struct {
	minLength, maxLength *int // in code points
	pattern              *pattern
	format               *format // nil: not checked
}

// stringKeywords are those about strings.
func stringKeywords() map[string]keyword {
	return map[string]keyword{
		"minLength": func(r *reader, v any) { r.strings().minLength = r.count(v) },
		"maxLength": func(r *reader, v any) { r.strings().maxLength = r.count(v) },
		"pattern": func(r *reader, v any) {
			if text, ok := r.text(v); ok {
				r.strings().pattern = r.pattern(r.at(), text)
			}
		},
		"format": func(r *reader, v any) {
			if name, ok := r.text(v); ok && r.options.Formats {
				r.strings().format = formatNamed(name)
			}
		},
	}
}

// strings gives the rules to fill in.
func (r *reader) strings() *stringRules {
	if r.node.strings == nil {
		r.node.strings = &stringRules{}
	}
	return r.node.strings
}

// checkString counts characters as code points, and only where bytes do not tell.
func (v *validator) checkString(n *node, s string) bool {
	rules := n.strings
	v.spend(len(s) / bytesPerStep)
	ok := true
	if least := rules.minLength; least != nil && (len(s) < *least || utf8.RuneCountInString(s) < *least) {
		ok = v.fail(n, "minLength", "got %s, want at least %s", quantity.Count(utf8.RuneCountInString(s), "character"), quantity.Thousands(*least))
	}
	if most := rules.maxLength; most != nil && len(s) > *most && utf8.RuneCountInString(s) > *most {
		ok = v.fail(n, "maxLength", "got %s, want at most %s", quantity.Count(utf8.RuneCountInString(s), "character"), quantity.Thousands(*most))
	}
	if p := rules.pattern; p != nil && !v.matches(p, s) {
		ok = v.fail(n, "pattern", "%s does not match the pattern %s", show(s), fmt.Sprintf("%q", clip(p.text)))
	}
	if f := rules.format; f != nil {
		if why := f.check(s); why != "" {
			ok = v.fail(n, "format", "%s is not a valid %s: %s", show(s), f.name, why)
		}
	}
	return ok
}

// matches reports whether a pattern fits somewhere in s, and counts what that
// takes.
func (v *validator) matches(p *pattern, s string) bool {
	if p.compiled == nil {
		return true
	}
	v.spend(stepsPerMatch + len(s)/bytesPerStep*(1+p.size/bytesPerStep))
	return v.fatal != "" || p.compiled.MatchString(s)
}
