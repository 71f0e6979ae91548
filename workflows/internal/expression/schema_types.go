package expression

import (
	"slices"

	"github.com/expr-lang/expr/types"
)

// maxTypeDepth is how deep a JSON Schema is followed; deeper values may be of any type.
const maxTypeDepth = 32

// SchemaType returns the type, for expressions, of values that match a JSON Schema. It is
// any where the schema allows several types, or uses more than simple keywords, so that
// no valid expression is refused.
func SchemaType(schema any) types.Type {
	return schemaTypeAt(schema, 0)
}

func schemaTypeAt(schema any, depth int) types.Type {
	keywords, isMap := schema.(map[string]any)
	if !isMap || depth > maxTypeDepth {
		return types.Any
	}
	for _, open := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not"} {
		if _, used := keywords[open]; used {
			return types.Any
		}
	}
	switch name := SchemaTypeName(keywords); name {
	case "string":
		return types.String
	case "integer":
		return types.Int
	case "number":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		if _, tuple := keywords["prefixItems"]; tuple {
			return types.Array(types.Any)
		}
		return types.Array(schemaTypeAt(keywords["items"], depth+1))
	case "object":
		return objectType(keywords, depth)
	}
	return types.Any
}

// SchemaTypeName returns the only type in a schema, or of all values of its enum or const;
// "" for none.
func SchemaTypeName(keywords map[string]any) string {
	if name, isName := keywords["type"].(string); isName {
		return name
	}
	if names, isList := keywords["type"].([]any); isList && len(names) > 0 {
		if len(names) == 1 {
			name, _ := names[0].(string)
			return name
		}
		return ""
	}
	if value, constant := keywords["const"]; constant {
		return jsonTypeName(value)
	}
	if values, isEnum := keywords["enum"].([]any); isEnum && len(values) > 0 {
		first := jsonTypeName(values[0])
		if !slices.ContainsFunc(values, func(v any) bool { return jsonTypeName(v) != first }) {
			return first
		}
	}
	return ""
}

// jsonTypeName names a scalar's type as JSON Schema does; "" for other values.
func jsonTypeName(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int:
		return "integer"
	case float64:
		return "number"
	}
	return ""
}

// objectType returns the type of an object. Properties that the schema does not name are
// unknown fields, unless it says more about them.
func objectType(keywords map[string]any, depth int) types.Type {
	properties, named := keywords["properties"].(map[string]any)
	additional, open := keywords["additionalProperties"]
	if additional == false {
		open = false
	}
	if _, patterns := keywords["patternProperties"]; patterns || !named && !open {
		return types.TypeOf(map[string]any{})
	}
	fields := types.Map{}
	for name, property := range properties {
		fields[name] = schemaTypeAt(property, depth+1)
	}
	if open {
		fields[types.Extra] = schemaTypeAt(additional, depth+1)
	}
	return fields
}
