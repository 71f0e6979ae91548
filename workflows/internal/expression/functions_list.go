package expression

import (
	"fmt"
	"reflect"
)

// concat joins lists.
func (m *meter) concat(lists ...any) ([]any, error) {
	all := []any{} // in JSON an empty list, not null
	for _, list := range lists {
		elements, isList := asList(list)
		if !isList {
			return nil, fmt.Errorf("concat takes lists, not %s", NameOf(list))
		}
		if err := m.spend(len(elements)); err != nil {
			return nil, err
		}
		all = append(all, elements...)
	}
	return all, nil
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
