package providers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// ClosedSchema adapts a JSON Schema to what Anthropic's structured outputs
// accept, and reports whether that is possible. Every object is closed; bounds
// that are not known there (minimum, maxLength, pattern …) become words of the
// description, so that whoever reads the answer has to look at them once more.
// Properties keep their order. It reports false, and returns the schema as it
// came, where the answer could not be held to it: for maps, for schemas that
// refer to themselves, and for keywords that combine others in other ways than
// anyOf.
//
// See https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
func ClosedSchema(schema json.RawMessage) (json.RawMessage, bool) {
	root, ok := objectSchema(schema)
	if !ok {
		return schema, false
	}
	c := closing{definitions: map[string]ordered{}, sound: map[string]bool{}}
	for _, place := range []string{"$defs", "definitions"} {
		value, _ := root.get(place)
		definitions, _ := value.(ordered)
		c.definitions["#/"+place+"/"] = definitions
	}
	adapted, ok := c.schema(root, nil)
	if !ok || c.optional > closedOptional || c.unions > closedUnions {
		return schema, false
	}
	out, err := jsonline.Encode(adapted)
	return out, err == nil
}

// The limits that Anthropic names, and one of our own for the depth.
const (
	closedOptional = 24
	closedUnions   = 16
	closedDepth    = 32
)

type closing struct {
	definitions map[string]ordered // by the beginning of what refers to them
	sound       map[string]bool    // the references that were looked at, and are in order
	optional    int                // properties that need not be there
	unions      int
}

// schema adapts one schema. Path has a name for each schema around it: that of a
// definition, or none.
func (c *closing) schema(value any, path []string) (any, bool) {
	s, ok := value.(ordered)
	if !ok || len(path) > closedDepth || repeats(s) {
		return nil, false
	}
	s = s.without("$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly")
	if ref, isRef := s.get("$ref"); isRef {
		return s.without("title", "description"), len(s.without("title", "description")) == 1 && c.refers(ref, path)
	}
	if !c.close(&s) {
		return nil, false
	}
	var bounds []string
	var kept ordered
	for _, m := range s {
		if isBound(m) {
			text, err := jsonline.Encode(m.value)
			if err != nil {
				return nil, false
			}
			bounds = append(bounds, fmt.Sprintf("%s: %s", m.key, text))
			continue
		}
		if m, ok = c.keyword(m, path); !ok {
			return nil, false
		}
		kept = append(kept, m)
	}
	return described(kept, bounds), true
}

// refers reports whether a reference leads to a definition that can be adapted,
// and not back to a schema that it stands in.
func (c *closing) refers(ref any, path []string) bool {
	target, _ := ref.(string)
	if c.sound[target] || slices.Contains(path, target) {
		return c.sound[target]
	}
	for place, definitions := range c.definitions {
		name, here := strings.CutPrefix(target, place)
		if definition, found := definitions.get(name); here && found {
			counted := *c
			_, c.sound[target] = counted.schema(definition, append(slices.Clip(path), target))
			return c.sound[target]
		}
	}
	return false
}

// close forbids an object to have more than its properties. An object that
// lists none is a map of anything.
func (c *closing) close(s *ordered) bool {
	kind, _ := s.get("type")
	types, _ := typesOf(kind)
	if len(types) > 1 {
		c.unions++
	}
	value, listed := s.get("properties")
	if !listed && !slices.Contains(types, "object") {
		return true
	}
	properties, _ := value.(ordered)
	required, _ := s.get("required")
	names, _ := required.([]any)
	c.optional += max(len(properties)-len(names), 0)
	switch additional, given := s.get("additionalProperties"); {
	case len(properties) == 0, given && additional != false:
		return false
	case !given:
		*s = append(*s, member{"additionalProperties", false})
	}
	return true
}

// isBound reports whether a keyword is known to be ignored, or refused, where
// the answer is made.
func isBound(m member) bool {
	switch m.key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"pattern", "maxItems", "uniqueItems", "minProperties", "maxProperties":
		return true
	case "minItems":
		n, _ := m.value.(json.Number)
		return n != "0" && n != "1"
	case "format":
		return !slices.Contains([]any{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}, m.value)
	}
	return false
}

// keyword adapts one keyword of a schema.
func (c *closing) keyword(m member, path []string) (member, bool) {
	inner := append(slices.Clip(path), "")
	ok := true
	switch m.key {
	case "type", "title", "description", "required", "additionalProperties", "minItems", "format":
	case "const":
		ok = isScalar(m.value)
	case "enum":
		values, _ := m.value.([]any)
		ok = len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !isScalar(v) })
	case "items":
		m.value, ok = c.schema(m.value, inner)
	case "anyOf", "oneOf":
		c.unions++
		m.key = "anyOf"
		m.value, ok = c.list(m.value, inner)
	case "properties", "$defs", "definitions":
		m.value, ok = adaptEach(m.value, func(schema any) (any, bool) { return c.schema(schema, inner) })
	default:
		ok = false
	}
	return m, ok
}

func (c *closing) list(value any, path []string) (any, bool) {
	schemas, ok := value.([]any)
	adapted := make([]any, len(schemas))
	for i := range schemas {
		if adapted[i], ok = c.schema(schemas[i], path); !ok {
			return nil, false
		}
	}
	return adapted, ok && len(adapted) > 0
}

func isScalar(value any) bool {
	switch value.(type) {
	case ordered, []any:
		return false
	}
	return true
}

// described adds bounds to the description of a schema.
func described(s ordered, bounds []string) ordered {
	if len(bounds) == 0 {
		return s
	}
	value, _ := s.get("description")
	text, _ := value.(string)
	text = strings.TrimSpace(text + " (" + strings.Join(bounds, ", ") + ")")
	return append(s.without("description"), member{"description", text})
}
