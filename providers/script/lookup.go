package script

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A lookup finds the turns of a script. A key has a shape: which numbers each of its names has.
// The keys of one shape that can fit an address are one, so that a script of many keys costs
// no more than one of few.
type lookup struct {
	Script
	shapes []string // of all keys, the most exact first: "[]/#" for pages[3]/review#2
}

// marks matches the numbers of a name in an address.
var marks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[0-9]+|\[[0-9]+\]|~[0-9]+`) })

func newLookup(s Script) *lookup {
	l := &lookup{Script: s}
	for key := range s.Steps {
		parts := strings.Split(key, "/")
		for i, part := range parts {
			parts[i] = strings.Map(func(r rune) rune {
				if strings.ContainsRune("#[~", r) {
					return r
				}
				return -1
			}, part)
		}
		l.shapes = append(l.shapes, strings.Join(parts, "/"))
	}
	slices.SortFunc(l.shapes, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	l.shapes = slices.Compact(l.shapes)
	return l
}

// turns returns the turns for a conversation of a step.
func (l *lookup) turns(conversation, step string) ([]Turn, error) {
	for _, at := range []string{conversation, step} {
		parts := strings.Split(at, "/")
		for _, shape := range l.shapes {
			key, fits := keyOf(shape, parts)
			if turns, found := l.Steps[key]; found && fits {
				return turns, nil
			}
		}
	}
	if turns, found := l.Steps[AnyStep]; found {
		return turns, nil
	}
	return nil, fmt.Errorf("the script has no turns for step %q or for every step (%q); it has %s", step, AnyStep, l.names())
}

// keyOf returns the key of a shape that fits an address, of which it gives the last parts.
func keyOf(shape string, parts []string) (key string, fits bool) {
	shapes := strings.Split(shape, "/")
	if len(shapes) > len(parts) {
		return "", false
	}
	last := slices.Clone(parts[len(parts)-len(shapes):])
	for i, kinds := range shapes {
		kept := 0
		last[i] = marks().ReplaceAllStringFunc(last[i], func(mark string) string {
			if !strings.Contains(kinds, mark[:1]) {
				return ""
			}
			kept++
			return mark
		})
		if kept < len(kinds) {
			return "", false
		}
	}
	return strings.Join(last, "/"), true
}
