package jsonschema

import "strings"

// A draft is one edition of the specification, of the two that are in use.
type draft int

const (
	draft7 draft = iota
	draft2020
)

// draftNamed gives a draft by its URL, in which neither the scheme nor an empty
// fragment matters. Older drafts than the two are read as the next of them: what
// they have of their own is either read in both, or a reference that leads nowhere.
func draftNamed(url string) (draft, bool) {
	_, name, _ := strings.Cut(strings.TrimSuffix(url, "#"), "://")
	switch name {
	case "json-schema.org/draft-04/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema":
		return draft7, true
	case "json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return draft2020, true
	}
	return 0, false
}

// draftURLs are the names of the two, for messages.
func draftURLs() []string {
	return []string{"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"}
}
