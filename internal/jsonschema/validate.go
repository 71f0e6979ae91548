package jsonschema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Validate returns every mismatch of a value with the schema: at most 20 problems, and
// then one with the number of the others; nil for a valid value. Every value matches a
// nil Schema. The value is plain data, as [Parse] returns it; numbers may be Go's, too.
// Work beyond what the size of schema and value explains, as by a schema that refers to
// itself endlessly, is a problem.
func (s *Schema) Validate(value any) []Problem {
	return s.ValidateHiding(value, nil)
}

// ValidateHiding is Validate for a value with secrets, which hide removes from a text: the
// problems quote parts of texts, which are cut after that.
func (s *Schema) ValidateHiding(value any, hide func(text string) string) []Problem {
	if s == nil {
		return nil
	}
	v := &validator{schema: s, value: value, limit: leastSteps, hide: hide}
	if v.check(s.root, value) {
		return nil
	}
	if v.fatal == "" { // once more, to tell everything
		v.loud, v.steps, v.limit = true, 0, leastSteps
		v.check(s.root, value)
	}
	if v.fatal == "" && len(v.found.problems) == 0 {
		return []Problem{{Message: "the value does not fit"}} // never nil, which would let it pass
	}
	if v.fatal != "" {
		return append(v.found.problems, Problem{Message: v.fatal})
	}
	if v.found.more > 0 {
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
	maxInPlace    = 1100    // of those, how many are applied to the same value
)

// A validator checks one value. It runs quietly, up to the first mismatch, and only if there
// is one a second time, loudly, to collect all of them.
type validator struct {
	schema *Schema
	value  any // the whole
	loud   bool
	found  list
	hide   func(text string) string // applied to a quoted text before that is cut; nil changes nothing

	path    []step
	frames  int
	inPlace int // frames since the last step of path

	steps, limit int
	fatal        string // why nothing more is checked
}

// A step leads from a value to a part of it.
type step struct {
	key   string
	index int // where key is ""
}

// pointer returns the pointer to the current value. The value itself distinguishes keys from indexes.
func (v *validator) pointer() string {
	var b strings.Builder
	at := v.value
	for _, s := range v.path {
		list, isList := at.([]any)
		if isList {
			b.WriteString("/" + strconv.Itoa(s.index))
			at = list[s.index]
			continue
		}
		b.WriteString(below("", s.key))
		object, _ := at.(map[string]any)
		at = object[s.key]
	}
	return b.String()
}

// show is [show] for a part of the value, without its secrets.
func (v *validator) show(part any) string {
	if !v.loud {
		return ""
	}
	return showHidden(part, v.hide)
}

// clip is [clipTo] for a part of the value, without its secrets.
func (v *validator) clip(text string, most int) string {
	if v.hide != nil && v.loud {
		text = v.hide(text)
	}
	return clipTo(text, most)
}

// fail records a problem of the current value, and returns false.
func (v *validator) fail(n *node, keyword, format string, args ...any) bool {
	switch {
	case v.loud && v.found.full():
		v.found.more++
	case v.loud:
		v.found.add(Problem{
			Path: v.pointer(), Keyword: keyword, At: below(n.at, keyword),
			Message: clip(fmt.Sprintf(format, args...)),
		})
	}
	return false
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

// size counts the values in a value.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			n += size(element)
		}
	case map[string]any:
		for _, element := range v {
			n += size(element)
		}
	}
	return n
}

// quietly runs a check without recording problems.
func (v *validator) quietly(check func() bool) bool {
	loud := v.loud
	v.loud = false
	ok := check()
	v.loud = loud
	return ok
}

// captured runs a check and returns its problems.
func (v *validator) captured(check func()) []Problem {
	found := v.found
	v.found = list{}
	check()
	problems := v.found.problems
	v.found = found
	return problems
}

// checkAt checks a part of the current value.
func (v *validator) checkAt(s step, n *node, value any) bool {
	v.path = append(v.path, s)
	ok := v.checkBeside(n, value)
	v.path = v.path[:len(v.path)-1]
	return ok
}

// checkBeside checks another value than the current one, such as a part of it.
func (v *validator) checkBeside(n *node, value any) bool {
	inPlace := v.inPlace
	v.inPlace = 0
	ok := v.check(n, value)
	v.inPlace = inPlace
	return ok
}

// check checks a value by a schema.
func (v *validator) check(n *node, value any) bool {
	if v.spend(1); v.fatal != "" {
		return false
	}
	v.frames++
	v.inPlace++
	ok := false
	switch {
	case v.inPlace > maxInPlace:
		v.fatal = "the value can't be checked: the schema refers to itself without end"
	case v.frames > maxFrames:
		v.fatal = "the value can't be checked: it is nested too deeply"
	case n.never:
		v.fail(n, "", "no value is allowed here")
	case n.schema:
		ok = v.checkSchema(n, value)
	default:
		ok = n.nullable && value == nil || v.checkRules(n, value)
	}
	v.frames--
	v.inPlace--
	return ok && v.fatal == ""
}

// checkSchema checks a value that must be a schema itself.
func (v *validator) checkSchema(n *node, value any) bool {
	v.spend(10 * size(value))
	_, err := Compile(value, Options{})
	var wrong *Error
	if v.loud && errors.As(err, &wrong) {
		for _, p := range wrong.Problems {
			v.found.add(Problem{Path: v.pointer() + p.Path, Keyword: "$ref", At: n.at, Message: p.Message})
		}
	}
	return err == nil
}

// checkRules checks a value with the keywords for its type.
func (v *validator) checkRules(n *node, value any) bool {
	if !v.checkType(n, value) {
		return false // the other keywords are for other types
	}
	ok := true
	if n.constant != nil || n.enum != nil {
		ok = v.checkValue(n, value)
	}
	if ok || v.loud {
		ok = v.checkByType(n, value) && ok
	}
	if n.ref != nil && (ok || v.loud) {
		ok = v.check(n.ref, value) && ok
	}
	return (ok || v.loud) && v.checkCombined(n, value) && ok
}

// checkByType checks a value with the keywords for one type.
func (v *validator) checkByType(n *node, value any) bool {
	switch value := value.(type) {
	case nil, bool:
		return true
	case string:
		return v.checkString(n, value)
	case []any:
		return v.checkArray(n, value)
	case map[string]any:
		return v.checkObject(n, value)
	}
	return v.checkNumber(n, value)
}
