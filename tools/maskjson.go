package tools

// JSON masks secrets in the strings of a JSON text, keys included, and nothing else: the
// text stays JSON, and a number with the digits of a secret stays a number. The result may
// share memory with raw.
func (m *Mask) JSON(raw []byte) []byte { return m.JSONWith(raw, nil) }

// JSONWith is JSON with as(found) in the place of ***. found is escaped as in the JSON, and
// the result of as has to be escaped, too.
func (m *Mask) JSONWith(raw []byte, as func(found []byte) string) []byte {
	if m == nil || m.reads(raw).first() == len(raw) { // then there is none in any of its strings
		return raw
	}
	var out []byte
	copied := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i+1)
		text := string(raw[i+1 : end])
		if masked := m.stringWith(text, as); masked != text {
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
