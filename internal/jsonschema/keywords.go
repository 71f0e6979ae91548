package jsonschema

import (
	"maps"
	"sync"
)

// A keyword reads its value. One that only some draft has is read in all of them:
// whoever writes it means it.
type keyword func(r *reader, v any)

// keywordTable holds all keywords from their first use on.
var keywordTable struct {
	once  sync.Once
	known map[string]keyword
}

// keywords are all that are known. What they mean together is the business of
// the rules that they fill in.
func keywords() map[string]keyword {
	keywordTable.once.Do(func() {
		groups := []map[string]keyword{
			generalKeywords(), numberKeywords(), stringKeywords(), arrayKeywords(), objectKeywords(), combiningKeywords(), refKeywords(),
		}
		keywordTable.known = make(map[string]keyword, 64)
		for _, group := range groups {
			maps.Copy(keywordTable.known, group)
		}
	})
	return keywordTable.known
}

// generalKeywords are those for values of any type, and those that say nothing
// about values.
func generalKeywords() map[string]keyword {
	note := func(r *reader, v any) { r.text(v) }
	mark := func(r *reader, v any) { r.boolean(v) }
	return map[string]keyword{
		"type":  readType,
		"enum":  readEnum,
		"const": func(r *reader, v any) { r.node.constant = []any{v} },

		"title":            note,
		"description":      note,
		"$comment":         note,
		"contentEncoding":  note,
		"contentMediaType": note,
		"deprecated":       mark,
		"nullable":         func(r *reader, v any) { r.node.nullable = r.boolean(v) },
		"readOnly":         mark,
		"writeOnly":        mark,
		"contentSchema":    func(r *reader, v any) { r.schema(v) },
		"examples": func(r *reader, v any) {
			if _, isList := v.([]any); !isList {
				r.want(r.at(), v, "array")
			}
		},
		"definitions": func(r *reader, v any) { r.named(v) },
		"$defs":       func(r *reader, v any) { r.named(v) },
	}
}
