package expression

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// string returns a value as text; a time and a duration as Go prints them.
func (m *meter) string(v any) (string, error) {
	if printed, ok := v.(fmt.Stringer); ok {
		return printed.String(), m.spend(1)
	}
	return m.shown(v)
}

// shown returns a value as templates show it.
func (m *meter) shown(v any) (string, error) {
	plain, err := m.plain(v)
	if err != nil {
		return "", err
	}
	return tree.TextOf(plain)
}

// toJSON returns compact JSON. Parts that are shared are written more than once, so they
// are counted first.
func (m *meter) toJSON(v any) (string, error) {
	plain, err := m.plain(v)
	if err != nil {
		return "", err
	}
	return tree.CompactJSON(plain)
}

// fromJSON reads JSON; see [tree.ParseJSON] for its numbers.
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

// hash returns the SHA-256, in hex, of one text, or of the compact JSON of the list of
// all arguments.
func (m *meter) hash(values ...any) (string, error) {
	if len(values) == 1 {
		if text, isText := values[0].(string); isText {
			return hexSHA256(text), nil
		}
	}
	text, err := m.toJSON(values)
	return hexSHA256(text), err
}

func hexSHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// repeat repeats a text.
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

// flatten replaces lists in a list by their elements, at any depth.
func (m *meter) flatten(list any) ([]any, error) {
	elements, isList := asList(list)
	if !isList {
		return nil, fmt.Errorf("flatten takes a list, not %s", NameOf(list))
	}
	flat := []any{}
	for _, element := range elements {
		if err := m.spend(1); err != nil {
			return nil, err
		}
		if _, nested := asList(element); !nested {
			flat = append(flat, element)
			continue
		}
		inner, err := m.flatten(element)
		if err != nil {
			return nil, err
		}
		flat = append(flat, inner...)
	}
	return flat, nil
}

// uniq keeps the first of equal elements. Equal means the same JSON.
func (m *meter) uniq(list any) ([]any, error) {
	elements, isList := asList(list)
	if !isList {
		return nil, fmt.Errorf("uniq takes a list, not %s", NameOf(list))
	}
	seen := map[string]bool{}
	unique := []any{}
	for _, element := range elements {
		key, err := m.toJSON(element)
		if err != nil {
			return nil, err
		}
		if !seen[key] {
			seen[key] = true
			unique = append(unique, element)
		}
	}
	return unique, nil
}

// asList returns the elements of a slice or array of any type.
func asList(v any) ([]any, bool) {
	if list, ok := v.([]any); ok {
		return list, true
	}
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Slice && value.Kind() != reflect.Array {
		return nil, false
	}
	list := make([]any, value.Len())
	for i := range list {
		list[i] = value.Index(i).Interface()
	}
	return list, true
}

const limitFunction = "limit"

// limit keeps at most most bytes of a text: of both ends, or of the head or the tail as
// keep says. A mark replaces what it leaves out, and no character is cut in two.
func (m *meter) limit(text string, most int, keep ...string) (string, error) {
	if most < 0 || len(keep) > 1 {
		return "", fmt.Errorf("limit takes a text, a number of bytes that is not negative, and which part to keep")
	}
	if len(text) <= most {
		return text, nil
	}
	head, tail := most-most/2, most/2
	switch strings.Join(keep, "") {
	case "", "both":
	case "head":
		head, tail = most, 0
	case "tail":
		head, tail = 0, most
	default:
		return "", fmt.Errorf(`limit keeps "head", "tail" or "both", not %q`, keep[0])
	}
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	from := len(text) - tail
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	mark := fmt.Sprintf("\n… %s bytes left out …\n", quantity.Thousands(from-head))
	limited := strings.TrimPrefix(text[:head]+mark, "\n") + text[from:]
	if from == len(text) {
		limited = strings.TrimSuffix(limited, "\n")
	}
	return limited, m.write(len(limited))
}

// SaysWhatToKeep reports whether the expression is a call of limit.
func (e *Expression) SaysWhatToKeep() bool {
	if e.tree == nil {
		return false
	}
	call, isCall := e.tree.Node.(*ast.CallNode)
	return isCall && isIdentifier(call.Callee, limitFunction)
}
