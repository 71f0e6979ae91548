package tools

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A Problem is one thing about a value that does not fit its schema.
type Problem struct {
	Path    string // JSON pointer; "" is the value itself
	Message string

	missing bool // a property that is required
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

func joinProblems(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// leaves returns the problems at the ends of the validator's tree, sorted by
// path. The schema's document gives the names that are known.
func leaves(e *jsonschema.ValidationError, document any) []Problem {
	var problems []Problem
	collect(e, document, &problems)
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].Path < problems[j].Path })
	return slices.Compact(problems)
}

func collect(e *jsonschema.ValidationError, document any, to *[]Problem) {
	path := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		if len(e.Causes) > 0 {
			*to = append(*to, Problem{Path: path, Message: alternatives(e, document)})
			return
		}
	case *kind.Required:
		for _, name := range k.Missing {
			*to = append(*to, Problem{Path: path, Message: fmt.Sprintf("%q is missing", name), missing: true})
		}
		return
	case *kind.AdditionalProperties:
		known := properties(document, e.SchemaURL)
		for _, name := range k.Properties {
			*to = append(*to, Problem{Path: path, Message: unknownProperty(name, known)})
		}
		return
	}
	for _, cause := range e.Causes {
		collect(cause, document, to)
	}
	if len(e.Causes) == 0 {
		words := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		*to = append(*to, Problem{Path: path, Message: shorten(words)})
	}
}

// alternatives says why each form that is allowed does not fit.
func alternatives(e *jsonschema.ValidationError, document any) string {
	var forms []string
	for _, cause := range e.Causes {
		forms = append(forms, "("+joinProblems(leaves(cause, document))+")")
	}
	return shorten("fits none of the allowed forms: " + strings.Join(slices.Compact(forms), " or "))
}

func unknownProperty(name string, known []string) string {
	text := fmt.Sprintf("%q is not known", shorten(name))
	if near := Nearest(name, known); near != "" {
		return text + fmt.Sprintf(" (did you mean %q?)", near)
	}
	if len(known) == 0 {
		return text
	}
	return shorten(text + "; there are " + strings.Join(known, ", "))
}

// properties returns the names of the schema at url, sorted.
func properties(document any, url string) []string {
	_, fragment, _ := strings.Cut(url, "#")
	at := document
	for _, token := range strings.Split(fragment, "/")[1:] {
		object, _ := at.(map[string]any)
		at = object[unescapePointer(token)]
	}
	schema, _ := at.(map[string]any)
	object, _ := schema["properties"].(map[string]any)
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(t))
	}
	return b.String()
}

func unescapePointer(token string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}

// shorten keeps a message short that quotes a value.
func shorten(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	return s[:runeStart([]byte(s), most)] + "…"
}
