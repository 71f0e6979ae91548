package jsonschema

import (
	"maps"
	"sync"
)

// A keyword is read from the draft on that introduced it: earlier ones do not
// know it. Those of earlier drafts are read in later ones, too.
type keyword struct {
	since draft
	read  func(r *reader, v any)
}

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
	note := keyword{draft4, func(r *reader, v any) { r.text(v) }}
	mark := keyword{draft4, func(r *reader, v any) { r.boolean(v) }}
	return map[string]keyword{
		"type":  {draft4, readType},
		"enum":  {draft4, readEnum},
		"const": {draft6, func(r *reader, v any) { r.node.constant = []any{v} }},

		"title":            note,
		"description":      note,
		"$comment":         note,
		"contentEncoding":  note,
		"contentMediaType": note,
		"deprecated":       mark,
		"readOnly":         mark,
		"writeOnly":        mark,
		"contentSchema":    {draft2019, func(r *reader, v any) { r.schema(v) }},
		"examples": {draft6, func(r *reader, v any) {
			if _, isList := v.([]any); !isList {
				r.want(r.at(), v, "array")
			}
		}},
		"definitions": {draft4, func(r *reader, v any) { r.named(v) }},
		"$defs":       {draft2019, func(r *reader, v any) { r.named(v) }},
	}
}
