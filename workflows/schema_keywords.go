package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// commonKeywords are the keywords of JSON Schema that a misspelt one is taken
// for.
func commonKeywords() []string {
	return []string{
		"additionalProperties", "allOf", "anyOf", "const", "contains", "default", "definitions", "dependentRequired", "dependentSchemas", "deprecated",
		"description", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
		"minItems", "minLength", "minProperties", "minimum", "multipleOf", "oneOf", "pattern", "patternProperties", "prefixItems", "properties",
		"propertyNames", "readOnly", "required", "title", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "writeOnly",
	}
}

// rareKeywords are too short, or too rare, to be what was meant.
func rareKeywords() []string {
	return []string{
		"if", "then", "else", "not", "minContains", "maxContains", "dependencies", "contentEncoding", "contentMediaType", "contentSchema",
		"additionalItems", "example", "id", "nullable",
	}
}

// checkKeywords reports keywords that are most likely misspelt, and warns of the
// others that do not exist: JSON Schema itself takes any.
func (p *parser) checkKeywords(n *tree.Node) {
	for _, e := range n.Entries {
		name := e.Key.Text
		if !isKeyword(name) {
			if near := misspelt(name); near != "" {
				p.Errorf(e.Key, diagnostic.CodeSchema, "JSON Schema has no keyword %q", name).Hint = tree.DidYouMean(name, []string{near})
			} else {
				d := p.Warnf(e.Key, diagnostic.CodeSchema, "JSON Schema has no keyword %q, so it is ignored", name)
				d.Hint = "names of your own begin with x-"
				if meant := map[string]string{"min": "minimum", "max": "maximum"}[name]; meant != "" {
					d.Hint = fmt.Sprintf("did you mean %q?", meant)
				}
			}
		}
		for _, schema := range innerSchemas(name, e.Value) {
			p.checkKeywords(schema)
		}
	}
}

// isKeyword reports whether a name is a keyword, or one that anybody may use.
func isKeyword(name string) bool {
	return strings.HasPrefix(name, "$") || strings.HasPrefix(name, "x-") ||
		slices.Contains(commonKeywords(), name) || slices.Contains(rareKeywords(), name)
}

// misspelt gives the keyword that is one or two slips away from a name; "" when
// there is none, and the name may be its author's own.
func misspelt(name string) string {
	slips := 2
	switch {
	case len(name) < 3 || len(name) > 40:
		return ""
	case len(name) == 3:
		slips = 1
	case len(name) > 9:
		slips = 3
	}
	return nearest.Within(slips, name, commonKeywords())
}

// innerSchemas gives the schemas that stand under a keyword.
func innerSchemas(keyword string, value *tree.Node) []*tree.Node {
	switch keyword {
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		return []*tree.Node{value}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return value.Items
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		schemas := make([]*tree.Node, len(value.Entries))
		for i, e := range value.Entries {
			schemas[i] = e.Value
		}
		return schemas
	}
	return nil
}
