package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// StrangeRune returns what kind of character s holds that a reader cannot see, or that two
// parsers may read differently, or "". The runes in ok may be in s.
func StrangeRune(s, ok string) string {
	if !utf8.ValidString(s) {
		return "text that is not UTF-8"
	}
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~' || strings.ContainsRune(ok, r):
		case unicode.Is(unicode.Cc, r):
			return "a control character"
		case unicode.Is(unicode.Cf, r):
			return "an invisible format character"
		}
	}
	return ""
}

// StrangeSpace reports whether s holds a space or line separator other than
// U+0020.
func StrangeSpace(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r > '~' && unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp)
	})
}

// PrintableASCII reports whether s is not empty and holds nothing but visible
// ASCII and blanks.
func PrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

// Fold returns the form in which deny and ask patterns are matched, in which neither case
// nor the composition of letters makes a difference.
func Fold(s string) string {
	if PrintableASCII(s) {
		return strings.ToLower(s)
	}
	return strings.ToLower(strings.ToUpper(norm.NFC.String(s)))
}
