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

// urlSpellings returns the spellings in URLs of Go, of Python and of encodeURIComponent, which leave
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
