package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Refrain is the JSON that a service repeats around each piece of a text. A piece that
// differs from an earlier one only in the text need not be parsed. The zero Refrain knows
// none.
type Refrain struct {
	before, after []byte
	learned       int
}

// mostRefrains is how many are learned in an answer. Where each piece differs in more than
// its text, learning never helps.
const mostRefrains = 4

// Text returns the text of a piece that otherwise equals the learned one; false for any
// other.
func (r *Refrain) Text(piece []byte) (text string, same bool) {
	rest, begins := bytes.CutPrefix(piece, r.before)
	spelled, ends := bytes.CutSuffix(rest, r.after)
	if r.learned == 0 || !begins || !ends || !isAsSpelled(spelled) {
		return "", false
	}
	return string(spelled), true
}

// Learn learns from a piece, which is a JSON object with a text under a key. It returns
// false where the key may occur twice, or the text has escapes.
func (r *Refrain) Learn(piece []byte, key, text string) (learned bool) {
	quoted := `"` + key + `"`
	if text == "" || r.learned == mostRefrains || bytes.IndexByte(piece, '\\') >= 0 || bytes.Count(bytes.ToLower(piece), []byte(quoted)) != 1 {
		return false
	}
	_, value, found := bytes.Cut(piece, []byte(quoted))
	value = bytes.TrimLeft(value, ": \t")
	after, plain := bytes.CutPrefix(value, []byte(`"`+text))
	if !found || !plain || len(after) == 0 || after[0] != '"' {
		return false
	}
	r.learned++
	r.before, r.after = bytes.Clone(piece[:len(piece)-len(value)+1]), bytes.Clone(after)
	return true
}

// isAsSpelled reports whether bytes are the content of a JSON string without escapes.
func isAsSpelled(text []byte) bool {
	return utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || strings.ContainsRune(`"\`, r) })
}
