package tools

import (
	"bytes"
	"strconv"
	"unicode/utf16"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// JSON masks secrets in the strings of a JSON text, keys included, and nothing else: the
// text stays JSON, and a number with the digits of a secret stays a number. The result may
// share memory with raw.
func (m *Mask) JSON(raw []byte) []byte { return m.JSONWith(raw, nil) }

// JSONWith is JSON with as(found) in the place of ***. found is escaped as in the JSON, and
// the result of as has to be escaped, too.
func (m *Mask) JSONWith(raw []byte, as func(found []byte) string) []byte {
	if m == nil {
		return raw
	}
	// Without a secret in the text as it is written there is none in a string of it, unless its
	// characters are escaped that need not be, or more often than a spelling is: JSON in JSON.
	if m.reads(raw).first() == len(raw) && !bytes.Contains(raw, []byte(`\u00`)) && !bytes.Contains(raw, []byte(`\\`)) {
		return raw
	}
	var out []byte
	copied := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i+1)
		if masked, found := m.escapedWith(raw[i+1:end], as); found {
			out = append(append(out, raw[copied:i+1]...), masked...)
			copied = end
		}
		i = end
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

// escapedWith masks what is between the quotes of a string. It is masked as what it means:
// as it is written, a secret could begin or end within an escape. found says whether there
// is one.
func (m *Mask) escapedWith(text []byte, as func(found []byte) string) (masked []byte, found bool) {
	r := m.reads(unescaped(text))
	first := r.first()
	if first == len(r.text) {
		return nil, false
	}
	r.as, r.plain = as, appendEscaped
	if as != nil {
		r.as = func(secret []byte) string { return as(appendEscaped(nil, secret)) }
	}
	masked, _ = r.hide(nil, first, true)
	return masked, true
}

// appendEscaped appends what stands for a text between the quotes of a JSON string.
func appendEscaped(dst, text []byte) []byte {
	quoted := jsonline.AppendString(nil, string(text))
	return append(dst, quoted[1:len(quoted)-1]...)
}

// unescaped returns what the text between the quotes of a JSON string means. Of an escape
// that JSON does not have the characters stay.
func unescaped(text []byte) []byte {
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for at >= 0 {
		out = append(out, text[:at]...)
		n := 0
		if out, n = appendMeant(out, text[at:]); n == 0 {
			out, n = append(out, '\\'), 1
		}
		text = text[at+n:]
		at = bytes.IndexByte(text, '\\')
	}
	return append(out, text...)
}

// appendMeant appends what the escape at the beginning of a text means, and returns its
// length; 0 if it is none.
func appendMeant(dst, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return dst, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return append(dst, c), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	}
	unit, ok := unitAt(text)
	if !ok {
		return dst, 0
	}
	if second, ok := unitAt(text[len(`\u0000`):]); ok && utf16.IsSurrogate(unit) {
		if r := utf16.DecodeRune(unit, second); r != '\uFFFD' {
			return append(dst, string(r)...), 2 * len(`\u0000`)
		}
	}
	return append(dst, string(unit)...), len(`\u0000`)
}

// unitAt returns the UTF-16 code unit of the escape at the beginning of a text.
func unitAt(text []byte) (rune, bool) {
	if len(text) < len(`\u0000`) || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}

// stringEnd returns the index of the quote that ends a string, or the end of the text.
func stringEnd(raw []byte, i int) int {
	for i < len(raw) && raw[i] != '"' {
		if raw[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(raw))
}
