package providers

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// StrictSchema adapts a JSON Schema to what OpenAI and those who follow it
// accept with "strict": true, and reports whether that is possible without
// changing what the schema means: each object is closed and has all of its
// properties required, and no keyword is there that strict mode does not know.
// An object with listed properties that says nothing of others is closed, and
// annotations that strict mode refuses are left out. Properties keep their
// order. It reports false, and returns the schema as it came, for any other.
//
// See https://platform.openai.com/docs/guides/structured-outputs.
func StrictSchema(schema json.RawMessage) (json.RawMessage, bool) {
	root, ok := objectSchema(schema)
	if !ok {
		return schema, false
	}
	c := strictness{definitions: definitionsOf(root)}
	adapted, ok := c.schema(root, 0)
	if !ok {
		return schema, false
	}
	out, err := jsonline.Encode(adapted)
	return out, err == nil
}

// The limits that OpenAI names, the older and lower ones where they were
// raised: a compatible service may not have followed.
const (
	strictDepth      = 5
	strictProperties = 100
	strictEnum       = 500
)

type strictness struct {
	definitions ordered
	properties  int // seen so far
}

func definitionsOf(root ordered) ordered {
	value, _ := root.get("$defs")
	definitions, _ := value.(ordered)
	return definitions
}

// schema adapts one schema. Depth counts the objects and arrays around it.
func (c *strictness) schema(value any, depth int) (any, bool) {
	s, ok := value.(ordered)
	if !ok || depth > strictDepth || repeats(s) {
		return nil, false
	}
	s = s.without("$schema", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly")
	if ref, isRef := s.get("$ref"); isRef {
		return s.without("title", "description"), c.refers(s, ref)
	}
	var types []string
	if kind, typed := s.get("type"); typed {
		if types, ok = typesOf(kind); !ok {
			return nil, false
		}
	} else if _, isUnion := s.get("anyOf"); !isUnion {
		return nil, false
	}
	if slices.Contains(types, "object") {
		if s, ok = c.closed(s); !ok {
			return nil, false
		}
	}
	if slices.Contains(types, "array") {
		if _, ok = s.get("items"); !ok {
			return nil, false
		}
	}
	for i, m := range s {
		if s[i].value, ok = c.keyword(m, depth); !ok {
			return nil, false
		}
	}
	return s, true
}

// refers reports whether a reference stands alone and leads to a definition.
func (c *strictness) refers(s ordered, ref any) bool {
	if len(s.without("title", "description", "$ref")) > 0 {
		return false
	}
	target, _ := ref.(string)
	if target == "#" {
		return true
	}
	name, isDefinition := strings.CutPrefix(target, "#/$defs/")
	_, found := c.definitions.get(name)
	return isDefinition && found
}

// closed returns an object's schema with nothing but its properties allowed.
// An object that lists none is a map of anything, and stays one.
func (c *strictness) closed(s ordered) (ordered, bool) {
	value, _ := s.get("properties")
	properties, ok := value.(ordered)
	if !ok {
		return nil, false
	}
	c.properties += len(properties)
	required, given := s.get("required")
	if !given {
		required = []any{}
		s = append(s, member{"required", required})
	}
	if c.properties > strictProperties || !requiresAll(required, properties) {
		return nil, false
	}
	switch additional, given := s.get("additionalProperties"); {
	case given && additional != false:
		return nil, false
	case !given:
		s = append(s, member{"additionalProperties", false})
	}
	return s, true
}

func requiresAll(required any, properties ordered) bool {
	names, isList := required.([]any)
	if !isList || len(names) != len(properties) {
		return false
	}
	return !slices.ContainsFunc(properties, func(p member) bool { return !slices.Contains(names, any(p.key)) })
}

// keyword adapts the value of one keyword of a schema.
func (c *strictness) keyword(m member, depth int) (any, bool) {
	switch m.key {
	case "properties", "$defs":
		return adaptEach(m.value, func(schema any) (any, bool) { return c.schema(schema, depth+1) })
	case "items":
		return c.schema(m.value, depth+1)
	case "anyOf":
		branches, _ := m.value.([]any)
		for i := range branches {
			var ok bool
			if branches[i], ok = c.schema(branches[i], depth); !ok {
				return nil, false
			}
		}
		return branches, depth > 0 && len(branches) > 0
	case "enum":
		values, _ := m.value.([]any)
		return m.value, len(values) > 0 && len(values) <= strictEnum
	case "format":
		return m.value, slices.Contains([]any{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, m.value)
	case "type", "required", "additionalProperties", "title", "description", "const", "pattern",
		"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return m.value, true
	}
	return nil, false
}
