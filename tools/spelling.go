package tools

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// spellings returns s as it is, as JSON and URLs write it, and in base64 and hex.
func spellings(s string) []string {
	all := []string{s, url.QueryEscape(s), url.PathEscape(s), strings.ReplaceAll(url.QueryEscape(s), "+", "%20")}
	for _, encode := range []func(any) ([]byte, error){jsonline.Encode, json.Marshal} { // without and with HTML escapes
		once := inJSON(s, encode)
		twice := inJSON(once, encode) // JSON in JSON
		all = append(all, once, twice, inJSON(twice, encode), inASCII(once))
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			if inner := innerBase64(alphabet, s, before); len(inner) >= shortestBase64 {
				all = append(all, inner)
			}
		}
	}
	digits := hex.EncodeToString([]byte(s))
	return append(all, digits, strings.ToUpper(digits))
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

// innerBase64 returns the characters of base64 that depend only on s, if before, modulo 3,
// bytes come before it.
func innerBase64(alphabet *base64.Encoding, s string, before int) string {
	bits := 8 * (before + len(s))
	text := alphabet.EncodeToString(append(make([]byte, before), s...))
	return text[(8*before+5)/6 : bits/6]
}
