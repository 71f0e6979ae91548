package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// elements evaluates the step's foreach: an array, or a map as its entries,
// sorted by key.
func (t *site) elements(ctx context.Context) ([]any, error) {
	value, err := t.step.Foreach.Eval(t.names(ctx, nil))
	if err != nil {
		return nil, err
	}
	items, err := listed(value)
	if errors.Is(err, errNoList) {
		err = fmt.Errorf("%w, got %s", err, t.exec.describe(value))
	}
	return items, err
}

var errNoList = errors.New("expected a list or a map")

// listed returns the elements of a list or a map.
func listed(value any) ([]any, error) {
	list := reflect.ValueOf(value)
	switch list.Kind() {
	case reflect.Slice, reflect.Array:
		if list.Len() > journal.MaxElements {
			return nil, fmt.Errorf("%d elements; the limit is 1,000,000", list.Len())
		}
		items := make([]any, list.Len())
		for i := range items {
			items[i] = list.Index(i).Interface()
		}
		return items, nil
	case reflect.Map:
		return entries(list), nil
	}
	return nil, errNoList
}

// leaveOut returns the indexes of the elements for which the step's when does not hold.
func (t *site) leaveOut(ctx context.Context, all []any) (left []int, err error) {
	if t.step.When == nil {
		return nil, nil
	}
	names := t.names(ctx, nil)
	for i, item := range all {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		names[t.step.As], names["index"] = item, i
		holds, err := t.step.When.Holds(names)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if !holds {
			left = append(left, i)
		}
	}
	return left, nil
}

// entries returns the entries of a map, sorted by their keys.
func entries(m reflect.Value) []any {
	items := make([]any, 0, m.Len())
	for key, value := range m.Seq2() {
		items = append(items, map[string]any{"key": key.String(), "value": value.Interface()})
	}
	slices.SortFunc(items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["key"].(string), b.(map[string]any)["key"].(string))
	})
	return items
}

func (e *exec) describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %.60q", e.Mask.String(value))
	}
	return fmt.Sprintf("%.60s", e.Mask.String(Text(value)))
}
