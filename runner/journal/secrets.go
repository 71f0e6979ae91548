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

// In the data of records *** replaces a secret. If the secret was the exact value of a
// variable, the name of the variable and a check of the value are there, too, so that a later
// process with the same value can put it back: ***API_TOKEN:1a2b***. Three stars in the data
// itself are written as \u002a**, so that no data looks like a replaced secret.
const (
	stars    = "***"
	begins   = "\x01" // JSON never contains these two unescaped
	ends     = "\x02"
	starMark = `\u002a*`
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
	marks map[string]string // what replaces values, by their JSON spelling
	shown map[string]string // the spelling to put back, by what replaced it
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

// check returns a check of a value. It has only 16 bits: enough to notice a change, and
// little help for guessing the value.
func check(salt, name, value string) string {
	sum := sha256.Sum256([]byte(salt + "\x00" + name + "\x00" + value))
	return hex.EncodeToString(sum[:2])
}

// hide hides secrets in JSON.
func (v *veil) hide(data []byte) []byte {
	if v.mask == nil {
		return data
	}
	masked := withoutStars(v.mask(data, v.standIn))
	if bytes.IndexByte(masked, begins[0]) < 0 {
		return masked
	}
	masked = bytes.ReplaceAll(masked, []byte(begins+ends), []byte(stars))
	masked = bytes.ReplaceAll(masked, []byte(begins), []byte(stars))
	return bytes.ReplaceAll(masked, []byte(ends), []byte(stars))
}

// standIn returns what replaces a secret until its ends are replaced by stars.
func (v *veil) standIn(found []byte) string {
	return begins + v.marks[string(found)] + ends
}

// withoutStars escapes three stars in a row.
func withoutStars(data []byte) []byte {
	if !bytes.Contains(data, []byte(stars)) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("**"), []byte(starMark))
}

// reveal puts back the secrets whose values have not changed.
func (v *veil) reveal(data []byte) []byte {
	if !Hidden(data) {
		return data
	}
	for mark, value := range v.shown {
		data = bytes.ReplaceAll(data, []byte(mark), []byte(value))
	}
	return data
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
