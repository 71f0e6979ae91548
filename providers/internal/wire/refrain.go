package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Refrain is what a service sends around each piece of a text, word for word. A piece
// that differs from an earlier one in its text alone means the same but for that, and
// need not be parsed. Its zero value knows none.
type Refrain struct {
	before, after []byte
	learned       int
}

// mostRefrains is how often another one is learned in an answer: where each piece has
// something of its own beside the text, none comes twice.
const mostRefrains = 4

// Text returns the text of a piece that is as the one that was learned, but for that.
func (r *Refrain) Text(piece []byte) (text string, same bool) {
	rest, begins := bytes.CutPrefix(piece, r.before)
	spelled, ends := bytes.CutSuffix(rest, r.after)
	if r.learned == 0 || !begins || !ends || !isAsSpelled(spelled) {
		return "", false
	}
	return string(spelled), true
}

// Learn learns from a piece, which is a JSON object and has this text under the key. It
// does not where the key might stand in a second place, or the text be spelled in
// another way.
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

// isAsSpelled reports whether a text in JSON has nothing to unescape, and is one.
func isAsSpelled(text []byte) bool {
	return utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || strings.ContainsRune(`"\`, r) })
}
