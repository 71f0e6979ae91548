package expression

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// string returns a value as text; a time and a duration as Go prints them.
func (m *meter) string(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case fmt.Stringer:
		return v.String(), m.spend(1)
	}
	return m.shown(v)
}

// toJSON returns compact JSON. Parts that are shared are written more than once, so they
// are counted first.
func (m *meter) toJSON(v any) (string, error) {
	if err := m.walk(v); err != nil {
		return "", err
	}
	if m.keyed {
		var err error
		if v, err = plain(v); err != nil {
			return "", err
		}
	}
	return tree.CompactJSON(v)
}

// fromJSON reads JSON; see [parseJSON] for its numbers.
func (m *meter) fromJSON(text string) (any, error) {
	if err := m.write(len(text)); err != nil {
		return nil, err
	}
	return tree.ParseJSON(text)
}

// format replaces {0}, {1} and so on with the arguments, as GitHub Actions
// does; {{ and }} stand for the braces themselves.
func (m *meter) format(layout string, values ...any) (string, error) {
	var b strings.Builder
	for rest := layout; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		if rest = rest[i:]; len(rest) > 1 && rest[1] == rest[0] {
			b.WriteByte(rest[0])
			rest = rest[2:]
			continue
		}
		digits, after, closed := strings.Cut(rest[1:], "}")
		index, err := strconv.Atoi(digits)
		if rest[0] == '}' || !closed || err != nil || index < 0 || index >= len(values) {
			return "", fmt.Errorf("format %q: no value for %q among %d", layout, rest[:min(len(rest), 8)], len(values))
		}
		text, err := m.shown(values[index])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		rest = after
	}
	return b.String(), m.write(b.Len())
}

// shown returns a value as templates show it.
func (m *meter) shown(v any) (string, error) {
	if err := m.walk(v); err != nil {
		return "", err
	}
	return tree.TextOf(v)
}

// hash returns the SHA-256, in hex, of one text, or of the compact JSON of the list of
// all arguments.
func (m *meter) hash(values ...any) (string, error) {
	if len(values) == 1 {
		if text, isText := values[0].(string); isText {
			return hexSHA256([]byte(text)), m.write(len(text))
		}
	}
	text, err := m.toJSON(values)
	return hexSHA256([]byte(text)), err
}

func hexSHA256(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// join concatenates a list of strings. The separator is optional.
func (m *meter) join(list any, separator ...string) (string, error) {
	elements, isList := asList(list)
	if !isList || len(separator) > 1 {
		return "", fmt.Errorf("join takes a list and a separator, not %s", NameOf(list))
	}
	texts := make([]string, len(elements))
	size := len(elements) * len(strings.Join(separator, ""))
	for i, element := range elements {
		text, isText := element.(string)
		if !isText {
			return "", fmt.Errorf("join takes a list of strings; element %d is %s: join(map(list, string(#)), …) makes texts of them", i, NameOf(element))
		}
		texts[i] = text
		size += len(text)
	}
	if err := m.write(size); err != nil {
		return "", err
	}
	return strings.Join(texts, strings.Join(separator, "")), nil
}

func (m *meter) repeat(text string, count int) (string, error) {
	if count < 0 || count > maxExpressionText {
		return "", fmt.Errorf("repeat takes a count from 0 to %d, not %d", maxExpressionText, count)
	}
	if err := m.write(len(text) * count); err != nil {
		return "", err
	}
	return strings.Repeat(text, count), nil
}

// replace replaces all occurrences; an empty old matches between any two characters.
func (m *meter) replace(text, old, replacement string) (string, error) {
	times := strings.Count(text, old)
	if len(replacement) > 0 && times > maxExpressionText/len(replacement) {
		return "", errTooMuch
	}
	if err := m.write(len(text) + times*len(replacement)); err != nil {
		return "", err
	}
	return strings.ReplaceAll(text, old, replacement), nil
}

// split cuts a text; each piece costs a little more than its bytes.
func (m *meter) split(text, separator string, limit ...int) ([]string, error) {
	pieces := -1
	if len(limit) > 0 {
		pieces = limit[0]
	}
	if err := m.write(len(text) + 16*strings.Count(text, separator)); err != nil {
		return nil, err
	}
	return strings.SplitN(text, separator, pieces), nil
}

// A letter in the other case may take up to three times the bytes.

func (m *meter) upper(text string) (string, error) {
	return strings.ToUpper(text), m.write(3 * len(text))
}

func (m *meter) lower(text string) (string, error) {
	return strings.ToLower(text), m.write(3 * len(text))
}

// toBase64 encodes in the standard alphabet, padded.
func (m *meter) toBase64(text string) (string, error) {
	return base64.StdEncoding.EncodeToString([]byte(text)), m.write(2 * len(text))
}
