package jsonschema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Validate returns every mismatch of a value with the schema: at most 20 problems, and
// then one with the number of the others; nil for a valid value. Every value matches a
// nil Schema. The value is plain data, as [Parse] returns it; numbers may be Go's, too.
// Work beyond what the size of schema and value explains, as by a schema that refers to
// itself endlessly, is a problem.
func (s *Schema) Validate(value any) []Problem { return s.ValidateHiding(value, nil) }

// ValidateHiding is Validate for a value with secrets, which hide removes from a text: the
// problems quote parts of texts, which are cut after that.
func (s *Schema) ValidateHiding(value any, hide func(text string) string) []Problem {
	if s == nil {
		return nil
	}
	if hide == nil {
		hide = func(text string) string { return text }
	}
	v := &validator{value: value, limit: leastSteps, hide: hide}
	v.check(s.root, value)
	switch {
	case v.fatal != "":
		return append(v.found.problems, Problem{Message: v.fatal})
	case v.found.more > 0:
		return append(v.found.problems, Problem{Message: "and " + quantity.Count(v.found.more, "problem") + " more"})
	}
	return v.found.problems
}

// The limits of one validation. A step is one schema applied to one value.
const (
	leastSteps    = 1 << 20 // that any value may take
	stepsPerValue = 200     // that each value inside adds
	bytesPerStep  = 256     // of a string that is looked at
	stepsPerMatch = 8       // of a pattern
	namesPerStep  = 8       // that are only looked up
	maxFrames     = 40_000  // schemas inside of one another
)

// A validator checks one value.
type validator struct {
	value any                      // the whole
	hide  func(text string) string // applied to a quoted text before that is cut

	path    []string // to the part that is checked
	keyword string   // by which it is checked
	quiet   bool     // problems are only counted
	failed  int      // problems, recorded or not
	found   list

	frames int

	steps, limit int
	fatal        string // why nothing more is checked
}

// fail records a problem of the current part.
func (v *validator) fail(format string, args ...any) {
	if v.silent() {
		format, args = "", nil
	}
	v.record(Problem{Message: fmt.Sprintf(format, args...)})
}

func (v *validator) record(p Problem) {
	v.failed++
	if v.quiet {
		return
	}
	if !v.found.full() {
		p.Path, p.Keyword, p.Message = pointer(v.path)+p.Path, cmp.Or(p.Keyword, v.keyword), clip(p.Message)
	}
	v.found.add(p)
}

// silent reports whether nobody reads the message of a problem.
func (v *validator) silent() bool { return v.quiet || v.found.full() }

// show is [show] for a part of the value, without its secrets.
func (v *validator) show(part any) string {
	if v.silent() {
		return ""
	}
	return showHidden(part, v.hide)
}

// clip is [clipTo] for a part of the value, without its secrets.
func (v *validator) clip(text string, most int) string {
	if v.silent() {
		return ""
	}
	return clipTo(v.hide(text), most)
}

// spend counts work, and aborts the validation if it is too much.
func (v *validator) spend(steps int) {
	v.steps += steps
	if v.steps < v.limit || v.fatal != "" {
		return
	}
	if v.limit == leastSteps {
		v.limit += stepsPerValue * size(v.value)
	}
	if v.steps >= v.limit {
		v.fatal = "the value can't be checked: the schema takes too many steps"
	}
}

// done reports whether further problems change nothing.
func (v *validator) done() bool { return v.fatal != "" || v.quiet && v.failed > 0 }

// check checks a value by a schema.
func (v *validator) check(n *node, value any) {
	if v.spend(1); v.done() {
		return
	}
	keyword := v.keyword
	v.frames++
	switch text, isNumber := numberText(value); {
	case v.frames > maxFrames:
		v.fatal = "the value can't be checked: it is nested too deeply, or the schema refers to itself without end"
	case isNumber && !inRange(text):
		v.fail("%s", outOfRange(value))
	default:
		v.checkRules(n, value)
	}
	v.frames--
	v.keyword = keyword
}

// checkRules checks a value by the keywords of a schema. Those behind a type that does not fit are
// for other values.
func (v *validator) checkRules(n *node, value any) {
	for _, r := range n.rules {
		before := v.failed
		v.keyword = r.keyword
		r.check(v, value)
		if v.done() || r.keyword == "type" && v.failed > before {
			return
		}
	}
}

// checkPart checks a part of the current value.
func (v *validator) checkPart(token string, n *node, part any) {
	if v.done() {
		return
	}
	v.path = append(v.path, token)
	v.check(n, part)
	v.path = v.path[:len(v.path)-1]
}

// eachProperty calls a function for the properties of an object, in the order of their names.
func (v *validator) eachProperty(value any, do func(name string, value any)) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if v.done() {
			return
		}
		do(name, object[name])
	}
}

// quietly runs a check without recording problems, and reports whether there are none.
func (v *validator) quietly(check func()) bool {
	quiet, failed := v.quiet, v.failed
	v.quiet, v.failed = true, 0
	check()
	fits := v.failed == 0 && v.fatal == ""
	v.quiet, v.failed = quiet, failed
	return fits
}

// fits reports whether the value matches one form.
func (v *validator) fits(form *node, value any) bool {
	return v.quietly(func() { v.check(form, value) })
}

// problemsWith returns the problems of a value with a form, as if it were the whole value.
func (v *validator) problemsWith(form *node, value any) []Problem {
	found, failed, path := v.found, v.failed, v.path
	v.found, v.failed, v.path = list{}, 0, nil
	v.check(form, value)
	problems := v.found.problems
	v.found, v.failed, v.path = found, failed, path
	return problems
}

// failAll reports why a value matches none of several forms. If only one of them is meant
// for such a value, it reports the problems with that.
func (v *validator) failAll(forms []*node, value any) {
	if v.silent() || v.fatal != "" {
		v.failed++
		return
	}
	if types, none := wantedTypes(forms, value); none {
		v.fail("got %s, want %s", typeOf(value), orList(types))
		return
	}
	var meant [][]Problem
	var texts []string
	for _, form := range forms[:min(len(forms), maxProblems)] {
		why := v.problemsWith(form, value)
		if !slices.ContainsFunc(why, isMark) {
			meant = append(meant, why)
		}
		texts = append(texts, "("+joined(why)+")")
	}
	if len(meant) != 1 {
		v.fail("fits none of the allowed forms: %s", strings.Join(slices.Compact(texts), " or "))
		return
	}
	for _, p := range meant[0] {
		v.record(p)
	}
}

// wantedTypes returns the types of the forms, and reports whether the value has none of them.
func wantedTypes(forms []*node, value any) (types []string, none bool) {
	for _, form := range forms {
		if form.types == nil || hasType(value, form.types) {
			return nil, false
		}
		types = append(types, form.types...)
	}
	return types, true
}

// isMark reports whether a problem shows that a form is for other values: a property is not the
// constant that marks the form, or the value has another type.
func isMark(p Problem) bool {
	switch p.Keyword {
	case "const", "enum":
		return strings.Count(p.Path, "/") <= 1
	case "type":
		return p.Path == ""
	}
	return false
}
