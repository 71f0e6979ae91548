package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// In the data of records *** stands where a secret was. Where that was the value of a
// variable as it is, its name stands there, too, with a check of the value, so that a
// later process with the same value can put it back: ***API_TOKEN:1a2b***. Three stars
// of the data itself are written as \u002a**, so that nobody can write what stands for
// a secret.
const (
	stars    = "***"
	begins   = "\x01" // no JSON has these two as they are
	ends     = "\x02"
	starMark = `\u002a*`
)

// Secrets say how what is secret is hidden in a journal.
type Secrets struct {
	// Mask puts a text in the place of all that is secret in the strings of JSON, which
	// it is given as JSON spells it. It is called from several goroutines. Nil hides
	// nothing.
	Mask func(json []byte, as func(found []byte) string) []byte

	Values map[string]string // of variables that Mask hides, by name
	Salt   string            // of the checks, another one in each run
}

// A veil hides secrets and puts them back.
type veil struct {
	mask  func(json []byte, as func(found []byte) string) []byte
	marks map[string]string // what stands in the place of values, as JSON spells these
	shown map[string]string // what is put back for that
}

func newVeil(s Secrets) *veil {
	v := &veil{mask: s.Mask, marks: map[string]string{}, shown: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		value := s.Values[name]
		quoted, err := jsonline.Encode(value)
		if err != nil || value == "" {
			continue
		}
		spelled, mark := quoted[1:len(quoted)-1], name+":"+check(s.Salt, name, value)
		v.marks[string(spelled)] = mark
		v.shown[stars+mark+stars] = string(withoutStars(spelled))
	}
	return v
}

// check tells values apart. It has 16 bits: a change is noticed, and of a value that
// can be guessed at all little is told.
func check(salt, name, value string) string {
	sum := sha256.Sum256([]byte(salt + "\x00" + name + "\x00" + value))
	return hex.EncodeToString(sum[:2])
}

// hide hides secrets in JSON.
func (v *veil) hide(data []byte) []byte {
	if v.mask == nil {
		return data
	}
	masked := withoutStars(v.mask(data, v.placeOf))
	if bytes.IndexByte(masked, begins[0]) < 0 {
		return masked
	}
	masked = bytes.ReplaceAll(masked, []byte(begins+ends), []byte(stars))
	masked = bytes.ReplaceAll(masked, []byte(begins), []byte(stars))
	return bytes.ReplaceAll(masked, []byte(ends), []byte(stars))
}

// placeOf is what stands in the place of a secret, until stars are written for its ends.
func (v *veil) placeOf(found []byte) string {
	return begins + v.marks[string(found)] + ends
}

// withoutStars spells three stars in a row otherwise.
func withoutStars(data []byte) []byte {
	if !bytes.Contains(data, []byte(stars)) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("**"), []byte(starMark))
}

// reveal puts secrets back whose values are as they were.
func (v *veil) reveal(data []byte) []byte {
	if !Hidden(data) {
		return data
	}
	for mark, value := range v.shown {
		data = bytes.ReplaceAll(data, []byte(mark), []byte(value))
	}
	return data
}

// Hidden reports whether a secret is hidden in data, which a reader has given that puts
// secrets back.
func Hidden(data []byte) bool { return bytes.Contains(data, []byte(stars)) }

var hiddenName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\*\*\*([A-Za-z_][A-Za-z0-9_]*):[0-9a-f]{4}\*\*\*`)
})

// HiddenNames are the names of the variables whose values are hidden in such data.
func HiddenNames(data []byte) (names []string) {
	for _, found := range hiddenName().FindAllSubmatch(data, -1) {
		names = append(names, string(found[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Unnamed returns data with nothing but the stars in the place of secrets.
func Unnamed(data []byte) []byte {
	if !Hidden(data) {
		return data
	}
	return hiddenName().ReplaceAll(data, []byte(stars))
}
