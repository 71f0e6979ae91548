package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"time"

	"github.com/expr-lang/expr/vm/runtime"

	"github.com/a-seed-11b9befa/flow/internal/tree"
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
	errNoNumber = errors.New("it comes to no number, or to one that is too large")
	errTooMuch  = errors.New("the expression takes more time or memory than it may")
)

// A meter counts what one evaluation uses. Its methods are the functions that could use
// too much.
type meter struct {
	ticks, maxTicks int
	text, maxText   int
	deadline        time.Time
}

// newMeter returns a meter that starts now.
func newMeter() *meter {
	return &meter{maxTicks: maxExpressionTicks, maxText: maxExpressionText, deadline: time.Now().Add(maxExpressionTime)}
}

// Names of functions that a [guardVisitor] puts into expressions. No source can spell them.
const (
	functionTick  = "tick!"
	functionMade  = "made!"
	functionEqual = "equal!"
	functionIn    = "in!"
)

// functions returns flow's own functions, which every expression has.
func (m *meter) functions() map[string]any {
	return map[string]any{
		functionTick:  m.tick,
		functionMade:  m.made,
		functionEqual: m.equal,
		functionIn:    m.in,
		"string":      m.string,
		"toJSON":      m.toJSON,
		"fromJSON":    m.fromJSON,
		"format":      m.format,
		"hash":        m.hash,
		"repeat":      m.repeat,
		"replace":     m.replace,
		limitFunction: m.limit,
		"flatten":     m.flatten,
		"uniq":        m.uniq,
	}
}

// bind returns the names of an evaluation: those of env, and the functions.
func (m *meter) bind(env Env) map[string]any {
	bound := m.functions()
	maps.Copy(bound, env)
	return bound
}

// tick counts one round of a predicate.
func (m *meter) tick() (any, error) { return nil, m.spend(1) }

// spend counts rounds, and checks the time now and then.
func (m *meter) spend(ticks int) error {
	before := m.ticks
	m.ticks += ticks
	if m.ticks > m.maxTicks || m.ticks>>6 != before>>6 && time.Now().After(m.deadline) {
		return errTooMuch
	}
	return nil
}

// write counts bytes of text.
func (m *meter) write(bytes int) error {
	if bytes < 0 || bytes > m.maxText-m.text {
		return errTooMuch
	}
	m.text += bytes
	return nil
}

// made counts a text, or a list of texts, that was made of others: so its size is bounded by theirs.
func (m *meter) made(value any) (any, error) {
	switch value := value.(type) {
	case string:
		return value, m.write(len(value))
	case []string:
		const header = 16 // bytes that a text takes beside its own
		return value, m.write(header * len(value))
	}
	return value, nil
}

// equal replaces == for values that are or may be lists or maps. Comparing values with
// shared parts can take for ever, so one is counted first.
func (m *meter) equal(a, b any) (bool, error) {
	if _, err := m.plain(a); err != nil {
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

// plain counts the values in v, and returns v as JSON can have it: groupBy and fromPairs make maps with
// keys of any type. A number that JSON does not have is an error.
func (m *meter) plain(v any) (any, error) {
	if err := m.spend(1); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, errNoNumber
		}
		return v, m.write(8)
	case nil, bool, int, json.Number:
		return v, m.write(8)
	case string:
		return v, m.write(len(v))
	}
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Slice, reflect.Array:
		return m.plainList(of)
	case reflect.Map:
		return m.plainMap(of)
	}
	return v, nil
}

func (m *meter) plainList(v reflect.Value) (_ any, err error) {
	list := make([]any, v.Len())
	for i := range list {
		if list[i], err = m.plain(v.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (m *meter) plainMap(v reflect.Value) (any, error) {
	plain := make(map[string]any, v.Len())
	for key, value := range v.Seq2() {
		name, err := tree.TextOf(key.Interface())
		if err != nil {
			return nil, err
		}
		if _, twice := plain[name]; twice {
			return nil, fmt.Errorf("two keys of a map are written %q", name)
		}
		if err := m.write(len(name)); err != nil {
			return nil, err
		}
		if plain[name], err = m.plain(value.Interface()); err != nil {
			return nil, err
		}
	}
	return plain, nil
}
