package web

import (
	"bytes"
	"mime"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

const (
	sniffed  = 1024 // bytes of a page that may name its encoding
	longRune = utf8.UTFMax - 1
)

// text returns the body in UTF-8, with invalid bytes replaced.
func (p *page) text(mediaType string) []byte {
	body := p.body
	if p.cutAt > 0 {
		body = wholeRunes(body)
	}
	encoding, name, certain := charset.DetermineEncoding(body[:min(len(body), sniffed)], p.contentType)
	_, parameters, _ := mime.ParseMediaType(p.contentType)
	named := parameters["charset"] != ""
	// Without a named encoding, valid UTF-8 and JSON are UTF-8.
	if name == "utf-8" || !certain && utf8.Valid(body) || isJSON(mediaType) && !named {
		return bytes.ToValidUTF8(bytes.TrimPrefix(body, []byte("\ufeff")), []byte("\ufffd"))
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		decoded = body
	}
	return bytes.ToValidUTF8(decoded, []byte("\ufffd"))
}

// wholeRunes drops an incomplete character at the end.
func wholeRunes(b []byte) []byte {
	for n := 1; n <= min(longRune, len(b)); n++ {
		last := b[len(b)-n:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-n]
			}
			return b
		}
	}
	return b
}
