package expression

import (
	"fmt"
	"reflect"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// plain returns a copy of a value in which the keys of all maps are texts. groupBy and fromPairs
// make maps with keys of any type, which JSON does not have.
func plain(value any) (any, error) {
	switch value := value.(type) {
	case nil, string:
		return value, nil
	case []any:
		return plainList(reflect.ValueOf(value))
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Map:
		return plainMap(v)
	case reflect.Slice, reflect.Array:
		return plainList(v)
	}
	return value, nil
}

func plainList(v reflect.Value) (list []any, err error) {
	list = make([]any, v.Len())
	for i := range list {
		if list[i], err = plain(v.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func plainMap(v reflect.Value) (map[string]any, error) {
	m := make(map[string]any, v.Len())
	for key, value := range v.Seq2() {
		name, err := tree.TextOf(key.Interface())
		if err != nil {
			return nil, err
		}
		if _, twice := m[name]; twice {
			return nil, fmt.Errorf("two keys of a map are written %q", name)
		}
		if m[name], err = plain(value.Interface()); err != nil {
			return nil, err
		}
	}
	return m, nil
}
