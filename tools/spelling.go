package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A spelling is how a secret looks in some format.
type spelling struct {
	text   string
	breaks breaks
}

// breaks says what may stand anywhere in a spelling.
type breaks uint8

const (
	unbroken  breaks = iota
	lines            // ends of lines, as base64(1) breaks them, also where a tool has numbered them
	spaced           // these, and a blank or a colon between the bytes, as od(1) prints them
	mostGaps  = 2    // between two characters
	mostBlank = 16   // at the beginning of a line
	mostDigit = 10   // of its number
)

// spellings returns s as it is, and as it looks inside of other formats.
func spellings(s string) []spelling {
	var all []spelling
	for _, text := range append(append(jsonSpellings(s), urlSpellings(s)...), shellSpellings(s)...) {
		all = append(all, spelling{text, unbroken})
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			if inner := innerBase64(alphabet, s, before); len(inner) >= shortestBase64 {
				all = append(all, spelling{inner, lines})
			}
		}
	}
	digits := hex.EncodeToString([]byte(s))
	return append(all, spelling{digits, spaced}, spelling{strings.ToUpper(digits), spaced})
}

// jsonSpellings are how encoders of JSON differ, and JSON in JSON.
func jsonSpellings(s string) []string {
	all := []string{s}
	for _, escapeHTML := range []bool{false, true} {
		once := jsonInner(s, escapeHTML)
		all = append(all, once, jsonInner(once, escapeHTML), strings.ReplaceAll(once, "/", `\/`), inASCII(once))
	}
	return all
}

// jsonInner is a JSON string without its quotes.
func jsonInner(s string, escapeHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(s) // a string always encodes
	return b.String()[1 : b.Len()-2]
}

// inASCII writes the other characters of a JSON string as \uXXXX.
func inASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// urlSpellings are those of Go, of Python and of encodeURIComponent, which leave
// more or less as it is, and that where nothing is left, with digits of both cases.
func urlSpellings(s string) []string {
	strict := strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	component := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(strict)
	var whole strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&whole, "%%%02X", s[i])
	}
	all := []string{url.QueryEscape(s), url.PathEscape(s), strict, strings.ReplaceAll(strict, "%2F", "/"), component, whole.String()}
	for _, text := range all {
		all = append(all, lowerEscapes(text))
	}
	return all
}

// lowerEscapes is %2f for %2F.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// shellSpellings are how shells print variables: in quotes of both kinds, and with
// a backslash before what is special.
func shellSpellings(s string) []string {
	var quoted, escaped strings.Builder
	for i := range len(s) {
		if strings.IndexByte("\"\\$`", s[i]) >= 0 {
			quoted.WriteByte('\\')
		}
		if strings.IndexByte(" \t\"'\\$`|&;<>()*?[]{}!#~^,", s[i]) >= 0 {
			escaped.WriteByte('\\')
		}
		quoted.WriteByte(s[i])
		escaped.WriteByte(s[i])
	}
	return []string{strings.ReplaceAll(s, "'", `'\''`), quoted.String(), escaped.String()}
}

// innerBase64 returns the characters of base64 that s alone decides where so
// many bytes stand before it, modulo 3.
func innerBase64(alphabet *base64.Encoding, s string, before int) string {
	bits := 8 * (before + len(s))
	text := alphabet.EncodeToString(append(make([]byte, before), s...))
	return text[(8*before+5)/6 : bits/6]
}

// match returns the length of the spelling where b begins with it, breaks
// included, else 0. More reports that b is too short to tell.
func (s spelling) match(b []byte) (n int, more bool) {
	if s.breaks == unbroken {
		if len(s.text) > len(b) {
			return 0, s.text[:len(b)] == string(b)
		}
		if s.text == string(b[:len(s.text)]) {
			return len(s.text), false
		}
		return 0, false
	}
	for k := 0; k < len(s.text); k++ {
		for gaps := 0; gaps < mostGaps && k > 0 && n < len(b) && b[n] != s.text[k]; gaps++ {
			gap, short := s.breaks.skip(b[n:])
			n, more = n+gap, more || short
		}
		if n == len(b) {
			return 0, true
		}
		if b[n] != s.text[k] {
			return 0, more
		}
		n++
	}
	return n, more
}

// starts are the bytes that a break may begin with.
func (k breaks) starts() string {
	switch k {
	case lines:
		return "\r\n\\"
	case spaced:
		return "\r\n\\ :"
	}
	return ""
}

// skip returns the length of the break that b begins with. More reports that b is
// too short to tell.
func (k breaks) skip(b []byte) (n int, more bool) {
	if k == spaced && (b[0] == ' ' || b[0] == ':') {
		return 1, false
	}
	rest := b
	for _, end := range []string{"\r", `\r`, "\n", `\n`} {
		if len(rest) < len(end) && strings.HasPrefix(end, string(rest)) {
			return 0, true
		}
		rest = bytes.TrimPrefix(rest, []byte(end))
	}
	if len(rest) == len(b) {
		return 0, false
	}
	for blanks := 0; blanks < mostBlank && len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t'); blanks++ {
		rest = rest[1:]
	}
	number, short := lineNumber(rest)
	return len(b) - len(rest) + number, short
}

// lineNumber returns the length of a line's number, as the tool read writes it,
// with what follows it. More reports that b is too short to tell.
func lineNumber(b []byte) (n int, more bool) {
	for n < len(b) && n < mostDigit && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, false
	}
	if after := b[n:]; bytes.HasPrefix(after, []byte("| ")) {
		return n + 2, false
	} else if len(after) == 0 || string(after) == "|" {
		return 0, true
	}
	return 0, false
}
