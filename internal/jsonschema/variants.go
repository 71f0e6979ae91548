package jsonschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// failAll reports why a value matches none of several forms. If only one of them is meant
// for such a value, it reports only the problems with that.
func (v *validator) failAll(n *node, keyword string, forms []*node, value any) bool {
	switch {
	case !v.loud:
		return false
	case v.found.full():
		return v.fail(n, keyword, "")
	}
	types, only := wantedTypes(forms, value)
	if only {
		return v.fail(n, keyword, "got %s, want %s", typeOf(value), types)
	}
	if mark, allowed := variantMark(forms, value); mark != "" && v.failMark(n, keyword, forms, mark, allowed, value) {
		return false
	}
	var meant [][]Problem
	var texts []string
	here := v.pointer()
	for _, form := range forms[:min(len(forms), maxProblems)] {
		why := v.captured(func() { v.check(form, value) })
		if !otherVariant(why, here) {
			meant = append(meant, why)
		}
		texts = append(texts, "("+strings.Join(relative(why, here), "; ")+")")
	}
	if len(meant) != 1 {
		return v.fail(n, keyword, "fits none of the allowed forms: %s", strings.Join(slices.Compact(texts), " or "))
	}
	for _, p := range meant[0] {
		v.found.add(p)
	}
	return false
}

// spelt follows a schema that only refers to another.
func spelt(form *node) *node {
	for range 10 { // references to references
		if form.ref == nil || form.properties != nil || form.types != 0 {
			break
		}
		form = form.ref
	}
	return form
}

// wantedTypes returns the types of the forms, and reports whether the value has none of
// them.
func wantedTypes(forms []*node, value any) (types typeSet, only bool) {
	for _, form := range forms {
		of := spelt(form).types
		if of == 0 || kindOf(value)&of != 0 {
			return 0, false
		}
		types |= of
	}
	return types, true
}

// variantMark returns the property that distinguishes forms of an object, such as "kind",
// for which each form has some constants, and all constants.
func variantMark(forms []*node, value any) (name string, allowed []any) {
	if _, isObject := value.(map[string]any); !isObject {
		return "", nil
	}
	for _, name := range slices.Sorted(maps.Keys(spelt(forms[0]).properties)) {
		allowed = nil
		for _, form := range forms {
			constants := constantsOf(spelt(form), name)
			if constants == nil {
				allowed = nil
				break
			}
			allowed = append(allowed, constants...)
		}
		if allowed != nil {
			return name, allowed
		}
	}
	return "", nil
}

// constantsOf returns the values that a form allows for a property; nil if it does not list
// them.
func constantsOf(form *node, name string) []any {
	property := form.properties[name]
	switch {
	case property == nil:
		return nil
	case property.enum != nil:
		return property.enum.values
	case property.constant != nil:
		return property.constant.values
	}
	return nil
}

// failMark reports a mark that is missing, or that no form has. It returns whether it
// reported one.
func (v *validator) failMark(n *node, keyword string, forms []*node, mark string, allowed []any, value any) bool {
	object, _ := value.(map[string]any)
	got, there := object[mark]
	marks := &node{at: n.at, enum: newEnum(allowed)}
	switch {
	case there && marks.enum.has(got):
		return false
	case there:
		v.path = append(v.path, step{key: mark})
		v.failEnum(marks, keyword, got)
		v.path = v.path[:len(v.path)-1]
	case slices.ContainsFunc(forms, func(form *node) bool { return !slices.Contains(spelt(form).required, mark) }):
		return false // it may be missing
	default:
		v.fail(n, keyword, "%q is missing; it must be %s", clip(mark), marks.enum.list())
	}
	return true
}

// otherVariant reports whether a form is for other values: a property, or the value itself,
// is not the constant that marks the form.
func otherVariant(why []Problem, here string) bool {
	return slices.ContainsFunc(why, func(p Problem) bool {
		rest := strings.TrimPrefix(p.Path, here)
		mark := p.Keyword == "const" || p.Keyword == "enum" || p.Keyword == "type" && rest == ""
		return mark && strings.Count(rest, "/") <= 1
	})
}

// relative returns problems as a text for a message at a pointer.
func relative(problems []Problem, here string) []string {
	texts := make([]string, len(problems))
	for i, p := range problems {
		p.Path = strings.TrimPrefix(p.Path, here)
		texts[i] = fmt.Sprint(p)
	}
	return texts
}
