package expression

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"time"

	"github.com/expr-lang/expr/vm/runtime"
)

// The limits of one evaluation. expr itself counts the values that it makes, but neither
// the bytes of strings nor the time.
const (
	maxExpressionValues = 1_000_000
	maxExpressionTicks  = 1_000_000
	maxExpressionText   = 64 << 20
	maxExpressionTime   = 5 * time.Second

	maxResultValues = 16 << 20
	maxResultText   = 256 << 20
)

var (
	errDivided  = errors.New("nothing can be divided by 0")
	errNoNumber = errors.New("it comes to no number, or to one that is too large")
)

var errTooMuch = errors.New("the expression takes more time or memory than it may")

// A meter counts what one evaluation uses. Its methods are the functions that could use
// too much.
type meter struct {
	ticks, mostTicks int
	text, mostText   int
	deadline         time.Time
	keyed            bool // walk has seen a map whose keys are no texts
}

// newMeter returns a meter that starts now.
func newMeter() *meter {
	return &meter{mostTicks: maxExpressionTicks, mostText: maxExpressionText, deadline: time.Now().Add(maxExpressionTime)}
}

// Names of functions that replace operators. No source can spell them.
const (
	functionTick       = "tick!"
	functionAdd        = "+"
	functionAddStrings = "+string"
	functionDivide     = "/"
	functionEqual      = "=="
	functionIn         = "in!"
)

// functions returns flow's own functions, which every expression has.
func (m *meter) functions() map[string]any {
	return map[string]any{
		functionTick:       m.tick,
		functionAdd:        m.add,
		functionAddStrings: m.addStrings,
		functionDivide:     divide,
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
		limitFunction:      m.limit,
		"toBase64":         m.toBase64,
		"concat":           m.concat,
		"flatten":          m.flatten,
		"uniq":             m.uniq,
	}
}

// bind returns the names of an evaluation: those of env, and the functions.
func (m *meter) bind(env Env) map[string]any {
	bound := m.functions()
	maps.Copy(bound, env)
	return bound
}

// tick counts one round of a predicate.
func (m *meter) tick() (bool, error) {
	return true, m.spend(1)
}

// spend counts rounds, and checks the time now and then.
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

// addStrings replaces + where both sides are strings.
func (m *meter) addStrings(a, b string) (string, error) {
	if err := m.write(len(a) + len(b)); err != nil {
		return "", err
	}
	return a + b, nil
}

// add replaces + where the types are known only at run time.
func (m *meter) add(a, b any) (any, error) {
	left, isText := a.(string)
	right, both := b.(string)
	if isText && both {
		return m.addStrings(left, right)
	}
	return runtime.Add(a, b), nil
}

// divide replaces /, which would return infinity.
func divide(a, b any) (float64, error) {
	quotient := runtime.Divide(a, b)
	if runtime.Equal(b, 0) {
		return 0, errDivided
	}
	return quotient, nil
}

// equal replaces == for values that are or may be lists or maps. Comparing values with
// shared parts can take for ever, so one is counted first.
func (m *meter) equal(a, b any) (bool, error) {
	if err := m.walk(a); err != nil {
		return false, err
	}
	return runtime.Equal(a, b), nil
}

// in replaces the operator in where elements may be lists or maps.
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

// walk counts the values in v. A number that JSON does not have is an error.
func (m *meter) walk(v any) error {
	if err := m.spend(1); err != nil {
		return err
	}
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return errNoNumber
		}
		return m.write(8)
	case nil, bool, int, json.Number:
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
		m.keyed = m.keyed || v.Type().Key().Kind() != reflect.String
		for _, key := range v.MapKeys() {
			if err := errors.Join(m.walk(key.Interface()), m.walk(v.MapIndex(key).Interface())); err != nil {
				return err
			}
		}
	}
	return nil
}
