package workflows

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm/runtime"
)

// What one evaluation of an expression may use. expr counts the values that it
// makes, but neither the bytes of strings nor the time.
const (
	maxExpressionValues = 1_000_000
	maxExpressionTicks  = 1_000_000
	maxExpressionText   = 64 << 20
	maxExpressionTime   = 5 * time.Second

	maxResultValues = 16 << 20
	maxResultText   = 256 << 20
)

var errTooMuch = errors.New("the expression takes more time or memory than it may")

// A meter counts what one evaluation uses, and has the functions that could
// use too much.
type meter struct {
	ticks, mostTicks int
	text, mostText   int
	deadline         time.Time
}

func newMeter() *meter {
	return &meter{mostTicks: maxExpressionTicks, mostText: maxExpressionText, deadline: time.Now().Add(maxExpressionTime)}
}

// Names of functions that stand for operators. No source can spell them.
const (
	functionTick       = "tick!"
	functionAdd        = "+"
	functionAddStrings = "+string"
	functionEqual      = "=="
	functionIn         = "in!"
)

// functions gives the functions of ours that every expression has.
func (m *meter) functions() map[string]any {
	return map[string]any{
		functionTick:       m.tick,
		functionAdd:        m.add,
		functionAddStrings: m.addStrings,
		functionEqual:      m.equal,
		functionIn:         m.in,
		"string":           m.string,
		"toJSON":           m.toJSON,
		"fromJSON":         m.fromJSON,
		"format":           m.format,
		"hash":             m.hash,
		"join":             m.join,
		"repeat":           m.repeat,
		"replace":          m.replace,
		"split":            m.split,
		"upper":            m.upper,
		"lower":            m.lower,
		"toBase64":         m.toBase64,
		"concat":           m.concat,
		"flatten":          m.flatten,
		"uniq":             m.uniq,
	}
}

// bind gives what an evaluation sees: the names of env, and the functions.
func (m *meter) bind(env Env) map[string]any {
	bound := m.functions()
	maps.Copy(bound, env)
	return bound
}

// tick counts one round of a predicate.
func (m *meter) tick() (bool, error) {
	return true, m.spend(1)
}

func (m *meter) spend(ticks int) error {
	before := m.ticks
	m.ticks += ticks
	if m.ticks > m.mostTicks || m.ticks>>6 != before>>6 && time.Now().After(m.deadline) {
		return errTooMuch
	}
	return nil
}

// write counts bytes of text that are about to be made.
func (m *meter) write(bytes int) error {
	if bytes < 0 || bytes > m.mostText-m.text {
		return errTooMuch
	}
	m.text += bytes
	return nil
}

func (m *meter) addStrings(a, b string) (string, error) {
	return a + b, m.write(len(a) + len(b))
}

func (m *meter) add(a, b any) (any, error) {
	left, isText := a.(string)
	right, both := b.(string)
	if isText && both {
		return m.addStrings(left, right)
	}
	return runtime.Add(a, b), nil
}

func (m *meter) equal(a, b any) (bool, error) {
	if err := m.walk(a); err != nil {
		return false, err
	}
	return runtime.Equal(a, b), nil
}

func (m *meter) in(needle, array any) (bool, error) {
	list, isList := asList(array)
	if !isList {
		return runtime.In(needle, array), nil
	}
	for _, element := range list {
		if same, err := m.equal(element, needle); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

// walk counts the values in v.
func (m *meter) walk(v any) error {
	if err := m.spend(1); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil, bool, int, float64, json.Number:
		return m.write(8)
	case string:
		return m.write(len(v))
	case []any:
		for _, element := range v {
			if err := m.walk(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, element := range v {
			if err := errors.Join(m.write(len(key)), m.walk(element)); err != nil {
				return err
			}
		}
	default:
		return m.walkOther(reflect.ValueOf(v))
	}
	return nil
}

// walkOther counts lists and maps of other Go types.
func (m *meter) walkOther(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := m.walk(v.Index(i).Interface()); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := errors.Join(m.walk(key.Interface()), m.walk(v.MapIndex(key).Interface())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *meter) string(v any) (string, error) {
	if text, isText := v.(string); isText {
		return text, nil
	}
	if err := m.walk(v); err != nil {
		return "", err
	}
	return fmt.Sprint(v), nil
}

func (m *meter) toJSON(v any) (string, error) {
	if err := m.walk(v); err != nil {
		return "", err
	}
	return compactJSON(v)
}

func (m *meter) fromJSON(text string) (any, error) {
	if err := m.write(len(text)); err != nil {
		return nil, err
	}
	return parseJSON(text)
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
		text, err := m.text1(values[index])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		rest = after
	}
	return b.String(), m.write(b.Len())
}

// text1 gives a value as templates show it.
func (m *meter) text1(v any) (string, error) {
	if err := m.walk(v); err != nil {
		return "", err
	}
	return textOf(v)
}

// hash gives the SHA-256, in hex, of a text, or of the compact JSON of a list
// of other arguments.
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

func (m *meter) join(list any, separator ...string) (string, error) {
	elements, isList := asList(list)
	if !isList || len(separator) > 1 {
		return "", fmt.Errorf("join takes a list and a separator, not %T", list)
	}
	texts := make([]string, len(elements))
	size := len(elements) * len(strings.Join(separator, ""))
	for i, element := range elements {
		text, isText := element.(string)
		if !isText {
			return "", fmt.Errorf("join takes a list of strings; element %d is %T", i, element)
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

func (m *meter) upper(text string) (string, error) {
	return strings.ToUpper(text), m.write(3 * len(text))
}

func (m *meter) lower(text string) (string, error) {
	return strings.ToLower(text), m.write(3 * len(text))
}

func (m *meter) toBase64(text string) (string, error) {
	return base64.StdEncoding.EncodeToString([]byte(text)), m.write(2 * len(text))
}

func (m *meter) concat(lists ...any) ([]any, error) {
	var all []any
	for _, list := range lists {
		elements, isList := asList(list)
		if !isList {
			return nil, fmt.Errorf("concat takes lists, not %T", list)
		}
		if err := m.spend(len(elements)); err != nil {
			return nil, err
		}
		all = append(all, elements...)
	}
	return all, nil
}

func (m *meter) flatten(list any) ([]any, error) {
	elements, isList := asList(list)
	if !isList {
		return nil, fmt.Errorf("flatten takes a list, not %T", list)
	}
	var flat []any
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
		return nil, fmt.Errorf("uniq takes a list, not %T", list)
	}
	seen := map[string]bool{}
	var unique []any
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

// asList gives the elements of any kind of list.
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
