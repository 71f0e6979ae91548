package workflows

import (
	_ "embed" // foreign_keys.txt
	"strings"
	"sync"
)

// foreignText has what users write where there is no such key: words of other tools, and keys
// that belong elsewhere. Behind = stands what completes "here it is …". A section is of one
// object of the format, by its name; the last ones are of tools, fields of steps, and values.
//
//go:embed foreign_keys.txt
var foreignText string

// foreignWords are the meanings of words, by section.
var foreignWords = sync.OnceValue(func() map[string]map[string]string {
	sections, section := map[string]map[string]string{}, ""
	for line := range strings.Lines(foreignText) {
		if name, begins := strings.CutPrefix(line, "# "); begins {
			section = strings.TrimSpace(name)
			sections[section] = map[string]string{}
			continue
		}
		words, meaning, _ := strings.Cut(line, " = ")
		for word := range strings.FieldsSeq(words) {
			sections[section][word] = strings.TrimSpace(meaning)
		}
	}
	return sections
})

// foreign returns the words of other tools for the keys of the object.
func (o *object[T]) foreign() map[string]string { return foreignWords()[o.name] }
