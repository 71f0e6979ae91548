package columns

import (
	"strings"
	"unicode"
)

// blank are letters and symbols that look like nothing.
const blank = "\u115f\u1160\u2800\u3164\uffa0"

// Hidden reports whether a character controls a terminal, or is invisible there.
func Hidden(r rune) bool {
	if r <= unicode.MaxASCII {
		return r < ' ' || r == 0x7f
	}
	return !unicode.IsPrint(r) || strings.ContainsRune(blank, r)
}
