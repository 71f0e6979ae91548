package jsonschema

import (
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// A pattern is a regular expression in a schema.
type pattern struct {
	text     string
	compiled *regexp.Regexp // nil: it can't be checked
	size     int            // about how much of it there is to try at each character
}

// maxInstructions bounds the size of all patterns in a schema together, with their
// repetitions expanded.
const maxInstructions = 200_000

// pattern compiles a regular expression, once. One that Go does not support, such as one that
// needs more than linear time, matches everything.
func (c *compiler) pattern(text string) *pattern {
	if p := c.patterns[text]; p != nil {
		return p
	}
	p := &pattern{text: text}
	c.patterns[text] = p
	tree, err := syntax.Parse(text, syntax.Perl)
	if err == nil {
		p.size = instructions(tree)
		if c.size += p.size; c.size > maxInstructions {
			c.problem("the patterns of the schema are too large")
			return p
		}
		p.compiled, err = regexp.Compile(text)
	}
	if err != nil {
		c.unchecked("the pattern %q can't be checked: %s", clip(text), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return p
}

// instructions estimates the size of a compiled expression.
func instructions(tree *syntax.Regexp) int {
	n := 1 + len(tree.Rune)/2
	for _, sub := range tree.Sub {
		n += instructions(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min, tree.Max, 1)
	}
	return min(n, 10*maxInstructions)
}

// patternsIn compiles the patterns that are the keys of an object.
func (c *compiler) patternsIn(v any) (all []*pattern) {
	object, _ := v.(map[string]any)
	for _, text := range slices.Sorted(maps.Keys(object)) {
		all = append(all, c.pattern(text))
	}
	return all
}

func readPattern(c *compiler, _ map[string]any, v any) check {
	text, _ := v.(string)
	p := c.pattern(text)
	return func(v *validator, value any) {
		if s, isText := value.(string); isText && !v.matches(p, s) {
			v.fail("%s does not match the pattern %q", v.show(s), clip(p.text))
		}
	}
}

// matches reports whether a pattern matches somewhere in s, and counts the work.
func (v *validator) matches(p *pattern, s string) bool {
	if p.compiled == nil {
		return true
	}
	v.spend(stepsPerMatch + len(s)/bytesPerStep*(1+p.size/bytesPerStep))
	return v.fatal != "" || p.compiled.MatchString(s)
}
