package jsonschema

import "strings"

// A draft is one edition of the specification, the later the larger.
type draft int

const (
	draft4 draft = iota + 1
	draft6
	draft7
	draft2019
	draft2020
)

// drafts gives the drafts by their URLs, without scheme and empty fragment.
func draftNamed(url string) (draft, bool) {
	_, name, _ := strings.Cut(strings.TrimSuffix(url, "#"), "://")
	switch name {
	case "json-schema.org/draft-04/schema":
		return draft4, true
	case "json-schema.org/draft-06/schema":
		return draft6, true
	case "json-schema.org/draft-07/schema":
		return draft7, true
	case "json-schema.org/draft/2019-09/schema":
		return draft2019, true
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return draft2020, true
	}
	return 0, false
}

// draftURLs are the names that are known, for messages.
func draftURLs() []string {
	return []string{
		"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
		"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#",
	}
}

// idKeyword is the one that names a schema.
func (d draft) idKeyword() string {
	if d == draft4 {
		return "id"
	}
	return "$id"
}

// refStandsAlone reports whether the keywords beside $ref are ignored.
func (d draft) refStandsAlone() bool { return d <= draft7 }
