package journal

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// In the data of records *** replaces a secret. If the secret was the value of a variable, its name
// and a check of the value stand there, too, so that a later process with the same value can put it
// back: ***API_TOKEN:1a2b***. Three stars in the data itself are written as \u002a**, so that no data
// looks like a replaced secret.
const (
	stars  = "***"
	unstar = "\x01" // in place of a star until those of the data are escaped: JSON has none unescaped
)

// Secrets says how secrets are hidden in a journal.
type Secrets struct {
	// Mask replaces each secret in the strings of JSON by what as returns for it; found
	// is its JSON spelling. It is called concurrently. Nil hides nothing.
	Mask func(json []byte, as func(found []byte) string) []byte

	Values map[string]string // the values, by name, of variables that Mask hides
	Salt   string            // of the checks, different in each run
}

// A veil hides secrets and puts them back.
type veil struct {
	mask  func(json []byte, as func(found []byte) string) []byte
	marks map[string]string // of values, by their JSON spelling
	back  *strings.Replacer // replaces marks by the values
}

func newVeil(s Secrets) *veil {
	v := &veil{mask: s.Mask, marks: map[string]string{}}
	var back []string
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		value := s.Values[name]
		quoted, err := jsonline.Encode(value)
		if err != nil || value == "" {
			continue
		}
		// 16 bits are enough to notice a change, and little help for guessing the value.
		sum := sha256.Sum256([]byte(s.Salt + "\x00" + name + "\x00" + value))
		spelled, mark := quoted[1:len(quoted)-1], fmt.Sprintf("%s:%x", name, sum[:2])
		v.marks[string(spelled)] = mark
		back = append(back, stars+mark+stars, string(withoutStars(spelled)))
	}
	v.back = strings.NewReplacer(back...)
	return v
}

// Reveal puts the values back into data that a reader without secrets has read.
func (s Secrets) Reveal(data []byte) []byte { return newVeil(s).reveal(data) }

// hide hides secrets in JSON.
func (v *veil) hide(data []byte) []byte {
	if v.mask == nil {
		return data
	}
	masked := withoutStars(v.mask(data, func(found []byte) string {
		const around = unstar + unstar + unstar
		if mark, named := v.marks[string(found)]; named {
			return around + mark + around
		}
		return around
	}))
	return bytes.ReplaceAll(masked, []byte(unstar), []byte("*"))
}

// withoutStars escapes three stars in a row.
func withoutStars(data []byte) []byte {
	if !bytes.Contains(data, []byte(stars)) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("**"), []byte(`\u002a*`))
}

// reveal puts back the secrets whose values have not changed.
func (v *veil) reveal(data []byte) []byte {
	if !Hidden(data) {
		return data
	}
	return []byte(v.back.Replace(string(data)))
}

// Hidden reports whether a secret is hidden in data from a reader that puts secrets back.
func Hidden(data []byte) bool { return bytes.Contains(data, []byte(stars)) }

var hiddenName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\*\*\*([A-Za-z_][A-Za-z0-9_]*):[0-9a-f]{4}\*\*\*`)
})

// HiddenNames returns the names of the variables whose values are hidden in such data.
func HiddenNames(data []byte) (names []string) {
	for _, found := range hiddenName().FindAllSubmatch(data, -1) {
		names = append(names, string(found[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Unnamed returns data with the stars alone in place of secrets.
func Unnamed(data []byte) []byte {
	if !Hidden(data) {
		return data
	}
	return hiddenName().ReplaceAll(data, []byte(stars))
}
