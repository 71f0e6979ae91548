package tools

// JSON hides the values in the strings of a JSON text, keys included, and
// leaves all else as it is: the text stays JSON, and a number that happens to
// hold a secret's digits stays a number. The result may share memory with raw.
func (m *Mask) JSON(raw []byte) []byte { return m.JSONWith(raw, nil) }

// JSONWith is JSON with another text in the place of what it has found, as the JSON
// spells that. The other text has to be part of a string in JSON, too.
func (m *Mask) JSONWith(raw []byte, as func(found []byte) string) []byte {
	if m == nil || m.reads(raw).first() == len(raw) { // nor is there one in any of its strings then
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

// stringEnd is the place of the quote that ends the string, or the text's end.
func stringEnd(raw []byte, i int) int {
	for i < len(raw) && raw[i] != '"' {
		if raw[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(raw))
}
