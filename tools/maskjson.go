package tools

import (
	"bytes"
	"encoding/json"
	"slices"

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
	secrets := m.current()
	// Without a secret in the text as it is written there is none in a string of it, unless its
	// characters are escaped that need not be, or more often than a spelling is: JSON in JSON.
	if secrets.first(raw) == len(raw) && !bytes.Contains(raw, []byte(`\u00`)) && !bytes.Contains(raw, []byte(`\\`)) {
		return raw
	}
	var out []byte
	copied := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i+1)
		if hidden, found := secrets.hideString(raw[i+1:end], as); found {
			out = append(append(out, raw[copied:i+1]...), hidden...)
			copied = end
		}
		i = end
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

// hideString masks a string of JSON as what it means: as it is written, a secret could begin or end
// within an escape. It takes and returns what is between the quotes. What is not JSON is masked as it is
// written.
func (m *secrets) hideString(inner []byte, as func(found []byte) string) (hidden []byte, found bool) {
	var meant string
	if json.Unmarshal(slices.Concat([]byte{'"'}, inner, []byte{'"'}), &meant) != nil {
		hidden, _ = m.hide(nil, inner, 0, true)
		return hidden, !bytes.Equal(hidden, inner)
	}
	text := []byte(meant)
	shown := 0
	for i := m.first(text); i < len(text); i++ {
		if !m.mayStart(text, i) {
			continue
		}
		n, _ := m.at(text[i:])
		if n == 0 {
			continue
		}
		hidden = appendEscaped(hidden, text[shown:i])
		if as == nil {
			hidden = append(hidden, masked...)
		} else {
			hidden = append(hidden, as(appendEscaped(nil, text[i:i+n]))...)
		}
		shown, found = i+n, true
		i += n - 1
	}
	return appendEscaped(hidden, text[shown:]), found
}

// appendEscaped appends what stands for a text between the quotes of a JSON string.
func appendEscaped(dst, text []byte) []byte {
	quoted, _ := jsonline.Encode(string(text)) // a string always can be
	return append(dst, quoted[1:len(quoted)-1]...)
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
