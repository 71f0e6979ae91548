package jsonschema

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// A keyword reads its value, and what it needs of the schema around it. The check is nil where
// there is nothing to check.
type keyword struct {
	name string
	read func(c *compiler, schema map[string]any, v any) check
}

// keywordTable has the keywords that say something about values, in the order of their checks.
func keywordTable() []keyword {
	atLeast, atMost := func(c int) bool { return c >= 0 }, func(c int) bool { return c <= 0 }
	return []keyword{
		{"$id", readName}, {"$anchor", readName},
		{"$dynamicRef", refuse}, {"$recursiveRef", refuse},
		{"unevaluatedItems", leaveUnchecked}, {"unevaluatedProperties", leaveUnchecked},
		{"$defs", readDefinitions}, {"definitions", readDefinitions},

		{"type", readType},
		{"const", func(_ *compiler, _ map[string]any, v any) check { return oneOfValues([]any{v}) }},
		{"enum", func(_ *compiler, _ map[string]any, v any) check { values, _ := v.([]any); return oneOfValues(values) }},
		{"$ref", readRef},

		{"minimum", bound("at least", atLeast)},
		{"exclusiveMinimum", bound("more than", func(c int) bool { return c > 0 })},
		{"maximum", bound("at most", atMost)},
		{"exclusiveMaximum", bound("less than", func(c int) bool { return c < 0 })},
		{"multipleOf", readMultipleOf},

		{"minLength", count("character", "at least", atLeast)},
		{"maxLength", count("character", "at most", atMost)},
		{"pattern", readPattern},
		{"format", readFormat},

		{"minItems", count("item", "at least", atLeast)},
		{"maxItems", count("item", "at most", atMost)},
		{"uniqueItems", readUniqueItems},
		{"prefixItems", readPrefix},
		{"items", readItems},
		{"additionalItems", readAdditionalItems},
		{"contains", readContains},

		{"required", readRequired},
		{"minProperties", count("property", "at least", atLeast)},
		{"maxProperties", count("property", "at most", atMost)},
		{"properties", readProperties},
		{"patternProperties", readPatternProperties},
		{"additionalProperties", readAdditionalProperties},
		{"propertyNames", readPropertyNames},
		{"dependentRequired", readDependencies},
		{"dependentSchemas", readDependencies},
		{"dependencies", readDependencies},

		{"allOf", readAllOf},
		{"anyOf", readAnyOf},
		{"oneOf", readOneOf},
		{"not", readNot},
		{"if", readIf},
	}
}

// refuse refuses a reference whose target depends on the way to it. Only the drafts themselves
// use such references.
func refuse(c *compiler, _ map[string]any, _ any) check {
	c.problem("%s is not supported; use $ref", c.path[len(c.path)-1])
	return nil
}

// leaveUnchecked is for keywords that depend on all others beside them.
func leaveUnchecked(c *compiler, _ map[string]any, _ any) check {
	c.unchecked("%s can't be checked; additionalProperties and items can", c.path[len(c.path)-1])
	return nil
}

func readDefinitions(c *compiler, _ map[string]any, v any) check {
	c.byName(v)
	return nil
}

// typesIn are the types that a schema names.
func typesIn(schema map[string]any) (types []string) {
	named, isList := schema["type"].([]any)
	if !isList {
		named = []any{schema["type"]}
	}
	for _, t := range named {
		if name, isText := t.(string); isText {
			types = append(types, name)
		}
	}
	return types
}

func readType(_ *compiler, schema map[string]any, _ any) check {
	types := typesIn(schema)
	return func(v *validator, value any) {
		switch {
		case hasType(value, types):
		case typeOf(value) == "number" && slices.Contains(types, "integer"):
			v.fail("got %s, want %s", v.show(value), orList(types))
		default:
			v.fail("got %s, want %s", typeOf(value), orList(types))
		}
	}
}

// oneOfValues asks for one of some values.
func oneOfValues(values []any) check {
	const maxListed = 30
	known := make(map[string]bool, len(values))
	var texts, listed []string
	for _, value := range values {
		written := string(canonical(nil, value))
		if text, isText := value.(string); isText {
			texts = append(texts, text)
		}
		if !known[written] && len(listed) < maxListed {
			listed = append(listed, show(value))
		}
		known[written] = true
	}
	want := cmp.Or(orList(listed), "nothing, as the list of values is empty")
	if more := len(known) - len(listed); more > 0 {
		want = strings.Join(listed, ", ") + " or " + quantity.Thousands(more) + " more"
	}
	return func(v *validator, value any) {
		v.spend(size(value)) // all of it is written
		if known[string(canonical(nil, value))] {
			return
		}
		meant := ""
		if text, isText := value.(string); isText && !v.silent() {
			if near := nearest.Of(text, texts); near != "" {
				meant = " (did you mean " + show(near) + "?)"
			}
		}
		v.fail("got %s, want %s%s", v.show(value), clip(want), meant)
	}
}

// bound asks for numbers that compare in a certain way with that of the keyword.
func bound(want string, fits func(compared int) bool) func(*compiler, map[string]any, any) check {
	return func(_ *compiler, _ map[string]any, limit any) check {
		n, isNumber := numberOf(limit)
		return func(v *validator, value any) {
			if x, is := numberOf(value); is && isNumber && !fits(x.Cmp(n)) {
				v.fail("got %s, want %s %s", v.show(value), want, show(limit))
			}
		}
	}
}

func readMultipleOf(_ *compiler, _ map[string]any, of any) check {
	divisor, isNumber := numberOf(of)
	if !isNumber || divisor.Sign() == 0 {
		return nil
	}
	return func(v *validator, value any) {
		if x, is := numberOf(value); is && !x.Quo(x, divisor).IsInt() {
			v.fail("got %s, want a multiple of %s", v.show(value), show(of))
		}
	}
}

// count asks for a number of characters, items or properties.
func count(noun, want string, fits func(compared int) bool) func(*compiler, map[string]any, any) check {
	return func(_ *compiler, _ map[string]any, limit any) check {
		wanted := countOf(limit)
		return func(v *validator, value any) {
			if got, has := countIn(value, noun); has && !fits(got-wanted) {
				v.fail("got %s, want %s %s", quantity.Count(got, noun), want, quantity.Thousands(wanted))
			}
		}
	}
}

// countIn returns how many characters, items or properties a value has.
func countIn(value any, noun string) (n int, has bool) {
	switch value := value.(type) {
	case string:
		return utf8.RuneCountInString(value), noun == "character"
	case []any:
		return len(value), noun == "item"
	case map[string]any:
		return len(value), noun == "property"
	}
	return 0, false
}

// readUniqueItems takes time proportional to the size of the items.
func readUniqueItems(_ *compiler, _ map[string]any, unique any) check {
	if unique != true {
		return nil
	}
	return func(v *validator, value any) {
		items, _ := value.([]any)
		if len(items) < 2 {
			return
		}
		v.spend(size(items))
		seen := make(map[string]int, len(items))
		for i, item := range items {
			written := string(canonical(nil, item))
			if first, twice := seen[written]; twice {
				v.fail("items %d and %d are equal", first, i)
				return
			}
			seen[written] = i
		}
	}
}

// readPrefix reads the schemas of the first items.
func readPrefix(c *compiler, _ map[string]any, v any) check {
	prefix := c.list(v)
	return func(v *validator, value any) {
		items, _ := value.([]any)
		for i, item := range items[:min(len(items), len(prefix))] {
			v.checkPart(strconv.Itoa(i), prefix[i], item)
		}
	}
}

// readItems reads the schema of all items behind those of prefixItems or, as in drafts before
// 2020-12, the schemas of the first ones.
func readItems(c *compiler, schema map[string]any, v any) check {
	if _, isTuple := v.([]any); isTuple {
		return readPrefix(c, schema, v)
	}
	prefix, _ := schema["prefixItems"].([]any)
	return restOf(c.node(v), len(prefix))
}

// readAdditionalItems reads the schema of the items behind those in the list of "items". It
// is ignored without such a list.
func readAdditionalItems(c *compiler, schema map[string]any, v any) check {
	rest := c.node(v)
	if tuple, isTuple := schema["items"].([]any); isTuple {
		return restOf(rest, len(tuple))
	}
	return nil
}

// restOf checks the items behind some.
func restOf(n *node, first int) check {
	return func(v *validator, value any) {
		items, _ := value.([]any)
		switch {
		case len(items) <= first:
		case n.never:
			v.fail("got %s, want at most %s", quantity.Count(len(items), "item"), quantity.Thousands(first))
		default:
			for i, item := range items[first:] {
				v.checkPart(strconv.Itoa(first+i), n, item)
			}
		}
	}
}

// readContains reads the schema of some of the items, and how many there may be.
func readContains(c *compiler, schema map[string]any, v any) check {
	n := c.node(v)
	least, most := 1, -1
	if s, there := schema["minContains"]; there {
		least = countOf(s)
	}
	if s, there := schema["maxContains"]; there {
		most = countOf(s)
	}
	return func(v *validator, value any) {
		items, isArray := value.([]any)
		fit := 0
		for i, item := range items {
			if v.quietly(func() { v.checkPart(strconv.Itoa(i), n, item) }) {
				fit++
			}
		}
		const message = "got %s that \"contains\" asks for, want %s %s"
		if isArray && fit < least {
			v.fail(message, quantity.Count(fit, "item"), "at least", quantity.Thousands(least))
		}
		if most >= 0 && fit > most {
			v.fail(message, quantity.Count(fit, "item"), "at most", quantity.Thousands(most))
		}
	}
}

func readRequired(_ *compiler, _ map[string]any, v any) check {
	names := textsIn(v)
	return func(v *validator, value any) {
		object, isObject := value.(map[string]any)
		if v.spend(len(names) / namesPerStep); !isObject {
			return
		}
		for _, name := range names {
			if _, there := object[name]; !there {
				v.fail("%q is missing", clip(name))
			}
		}
	}
}

// textsIn returns the strings in a list.
func textsIn(v any) (texts []string) {
	elements, _ := v.([]any)
	for _, element := range elements {
		if text, isText := element.(string); isText {
			texts = append(texts, text)
		}
	}
	return texts
}

func readProperties(c *compiler, _ map[string]any, v any) check {
	properties := c.byName(v)
	return func(v *validator, value any) {
		v.eachProperty(value, func(name string, value any) {
			if n := properties[name]; n != nil {
				v.checkPart(name, n, value)
			}
		})
	}
}

func readPatternProperties(c *compiler, _ map[string]any, v any) check {
	nodes := c.byName(v)
	patterns := c.patternsIn(v)
	return func(v *validator, value any) {
		v.eachProperty(value, func(name string, value any) {
			for _, p := range patterns {
				if v.matches(p, name) {
					v.checkPart(name, nodes[p.text], value)
				}
			}
		})
	}
}

// readAdditionalProperties reads the schema of the properties that have no other.
func readAdditionalProperties(c *compiler, schema map[string]any, v any) check {
	n := c.node(v)
	properties, _ := schema["properties"].(map[string]any)
	patterns := c.patternsIn(schema["patternProperties"])
	names := slices.Sorted(maps.Keys(properties))
	return func(v *validator, value any) {
		v.eachProperty(value, func(name string, value any) {
			_, known := properties[name]
			switch {
			case known || slices.ContainsFunc(patterns, func(p *pattern) bool { return v.matches(p, name) }):
			case !n.never:
				v.checkPart(name, n, value)
			case v.silent():
				v.fail("")
			default:
				v.record(Problem{Name: name, Message: strconv.Quote(v.clip(name, 100)) + " is not known" + nearestOf(name, names)})
			}
		})
	}
}

// readPropertyNames reads the schema of the names, whose problems are those of the object.
func readPropertyNames(c *compiler, _ map[string]any, v any) check {
	n := c.node(v)
	return func(v *validator, value any) {
		v.eachProperty(value, func(name string, _ any) {
			if !v.fits(n, name) {
				v.fail("the name %q is not allowed: %s", v.clip(name, 100), joined(v.problemsWith(n, name)))
			}
		})
	}
}

// readDependencies reads what is asked of objects with certain properties: the names of others, or
// a schema. "dependencies", of drafts before 2019-09, may have both.
func readDependencies(c *compiler, _ map[string]any, v any) check {
	object, _ := v.(map[string]any)
	var all []check
	for _, property := range slices.Sorted(maps.Keys(object)) {
		required := textsIn(object[property])
		n := c.below(property, object[property])
		all = append(all, func(v *validator, value any) {
			has := value.(map[string]any)
			if _, there := has[property]; !there {
				return
			}
			for _, name := range required {
				if _, there := has[name]; !there {
					v.fail("%q is missing; it is required beside %q", clip(name), clip(property))
				}
			}
			v.check(n, value)
		})
	}
	return func(v *validator, value any) {
		v.spend(len(all) / namesPerStep)
		if _, isObject := value.(map[string]any); isObject {
			for _, check := range all {
				check(v, value)
			}
		}
	}
}

func readAllOf(c *compiler, _ map[string]any, v any) check {
	forms := c.list(v)
	return func(v *validator, value any) {
		for _, form := range forms {
			v.check(form, value)
		}
	}
}

func readAnyOf(c *compiler, _ map[string]any, v any) check {
	forms := c.list(v)
	return func(v *validator, value any) {
		if !slices.ContainsFunc(forms, func(form *node) bool { return v.fits(form, value) }) {
			v.failAll(forms, value)
		}
	}
}

// readOneOf tries the forms up to the second that matches.
func readOneOf(c *compiler, _ map[string]any, v any) check {
	forms := c.list(v)
	return func(v *validator, value any) {
		first := -1
		for i, form := range forms {
			switch fits := v.fits(form, value); {
			case fits && first >= 0:
				v.fail("fits the forms %d and %d, where exactly one is allowed", first+1, i+1)
				return
			case fits:
				first = i
			}
		}
		if first < 0 {
			v.failAll(forms, value)
		}
	}
}

func readNot(c *compiler, _ map[string]any, v any) check {
	n := c.node(v)
	return func(v *validator, value any) {
		if v.fits(n, value) {
			v.fail("%s is what is not allowed here", v.show(value))
		}
	}
}

// readIf reads a condition with "then" and "else" beside it.
func readIf(c *compiler, schema map[string]any, v any) check {
	condition := c.node(v)
	then, otherwise := &node{}, &node{}
	if s, there := schema["then"]; there {
		then = c.node(s)
	}
	if s, there := schema["else"]; there {
		otherwise = c.node(s)
	}
	return func(v *validator, value any) {
		next := otherwise
		if v.fits(condition, value) {
			next = then
		}
		v.check(next, value)
	}
}
