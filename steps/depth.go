package steps

import "encoding/json"

// maxLevels is how deep JSON of a model, a tool or a command may be nested. Parsers and
// encoders have limits of their own, at which they fail.
const maxLevels = 200

// extent returns upper bounds of the number of values in JSON, and of their nesting. Each
// value but the first follows a comma, a colon or a bracket outside of strings.
func extent[T string | json.RawMessage](text T) (values, levels int) {
	values = 1
	level, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			values++
			level++
			levels = max(levels, level)
		case c == ',' || c == ':':
			values++
		case c == '}' || c == ']':
			level--
		}
	}
	return values, levels
}

func tooDeep(raw json.RawMessage) bool {
	_, levels := extent(raw)
	return levels > maxLevels
}
