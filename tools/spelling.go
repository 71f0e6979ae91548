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

// spelling is a form that a secret has in some format.
type spelling struct {
	text   string
	breaks breaks
}

// spellings returns s in all formats.
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

// jsonSpellings returns what different encoders of JSON write, and JSON in JSON in JSON.
func jsonSpellings(s string) []string {
	all := []string{s}
	for _, escapeHTML := range []bool{false, true} {
		once := jsonInner(s, escapeHTML)
		twice := jsonInner(once, escapeHTML)
		all = append(all, once, twice, jsonInner(twice, escapeHTML), strings.ReplaceAll(once, "/", `\/`), inASCII(once))
	}
	return all
}

// jsonInner returns a JSON string without its quotes.
func jsonInner(s string, escapeHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(s) // a string always encodes
	return b.String()[1 : b.Len()-2]
}

// inASCII replaces non-ASCII characters of a JSON string by \uXXXX.
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

// urlSpellings returns what Go, Python and encodeURIComponent write into URLs, which differ
// in what they escape, and the form with all escaped; each with upper and lower case digits.
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

// lowerEscapes replaces escapes such as %2F by %2f.
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

// shellSpellings returns what shells print for a variable: in quotes of both kinds, and with
// backslashes.
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

// innerBase64 returns the characters of base64 that depend only on s, if before, modulo 3,
// bytes come before it.
func innerBase64(alphabet *base64.Encoding, s string, before int) string {
	bits := 8 * (before + len(s))
	text := alphabet.EncodeToString(append(make([]byte, before), s...))
	return text[(8*before+5)/6 : bits/6]
}
