package tools

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// JSON masks secrets in the strings of a JSON text, keys included, and nothing else: the
// text stays JSON, and a number with the digits of a secret stays a number. The result may
// share memory with raw.
func (m *Mask) JSON(raw []byte) []byte {
	return m.JSONWith(raw, func([]byte) string { return masked })
}

// JSONWith is JSON with as(found) in the place of ***. found is escaped as in the JSON, and
// the result of as has to be escaped, too.
func (m *Mask) JSONWith(raw []byte, as func(found []byte) string) []byte {
	if m == nil {
		return raw
	}
	found := m.patterns()
	// Without a secret in the text as it is written there is none in a string of it, unless its
	// characters are escaped that need not be, or more often than a spelling is: JSON in JSON.
	if !found.has(string(raw)) && !bytes.Contains(raw, []byte(`\u00`)) && !bytes.Contains(raw, []byte(`\\`)) {
		return raw
	}
	var out []byte
	copied := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i+1)
		inner := string(raw[i+1 : end])
		if hidden := found.inString(inner, as); hidden != inner {
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

// inString masks a string of JSON as what it means: as it is written, a secret could begin or end
// within an escape. It takes and returns what is between the quotes. What is not JSON is masked as it is
// written.
func (p *patterns) inString(inner string, as func(found []byte) string) string {
	var meant string
	if json.Unmarshal([]byte(`"`+inner+`"`), &meant) != nil {
		return p.replace(inner, nil, func(found string) string { return as([]byte(found)) })
	}
	escaped := func(text string) string { return inJSON(text, jsonline.Encode) }
	hidden := p.replace(meant, escaped, func(found string) string { return as([]byte(escaped(found))) })
	if hidden == meant { // nothing was found, and nothing is escaped anew
		return inner
	}
	return hidden
}

// inJSON returns what stands for a text between the quotes of a JSON string.
func inJSON(text string, encode func(any) ([]byte, error)) string {
	quoted, _ := encode(text) // a string always encodes
	return string(quoted[1 : len(quoted)-1])
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
