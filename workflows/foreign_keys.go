package workflows

import (
	_ "embed" // foreign_keys.txt
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// foreignText has what users write where there is no such key: words of other tools, and keys
// that belong elsewhere. Behind = stands what completes "here it is …". A section is of one
// object of the format, by its name; the last ones are of tools, fields of steps, and values.
//
//go:embed foreign_keys.txt
var foreignText string

// foreignWords are the meanings of words, by section.
var foreignWords = sync.OnceValue(func() map[string]map[string]string {
	sections := map[string]map[string]string{}
	for section := range strings.SplitSeq("\n"+foreignText, "\n# ") {
		name, lines, _ := strings.Cut(section, "\n")
		sections[name] = nearest.Table(lines)
	}
	return sections
})

// foreign returns the words of other tools for the keys of the object.
func (o *object[T]) foreign() map[string]string { return foreignWords()[o.name] }
