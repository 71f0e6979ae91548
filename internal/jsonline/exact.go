package jsonline

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// ExactNumbers replaces each [json.Number] in a value that was decoded with UseNumber, in
// place: by an int if it fits into one, by a float64 if it has a fraction or an exponent. A
// whole number that does not fit into an int stays as it is, because a float64 would change
// its digits. One that is too large even for a float64 becomes a string.
func ExactNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		return exactNumber(v)
	case []any:
		for i := range v {
			v[i] = ExactNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = ExactNumbers(v[key])
		}
	}
	return value
}

// Decode decodes JSON. Wherever into is, or holds, a value of the type any, numbers in it are as
// [ExactNumbers] has them.
func Decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(into)
	exactIn(reflect.ValueOf(into))
	return err
}

// DecodeExact decodes JSON to plain data.
func DecodeExact(data []byte) (value any, err error) {
	err = Decode(data, &value)
	return value, err
}

// exactIn applies [ExactNumbers] to every value of the type any in v.
func exactIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		exactIn(v.Elem())
	case reflect.Interface:
		if v.CanSet() && !v.IsNil() {
			v.Set(reflect.ValueOf(ExactNumbers(v.Interface())))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				exactIn(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			exactIn(v.Index(i))
		}
	case reflect.Map:
		if values, is := v.Interface().(map[string]any); is {
			ExactNumbers(values)
		}
	}
}

func exactNumber(n json.Number) any {
	if i, err := strconv.Atoi(n.String()); err == nil {
		return i
	}
	if !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return n.String()
}
