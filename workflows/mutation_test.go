package workflows

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

// A mutator gives data in which one value, at any depth, is another or is gone.
type mutator struct {
	each  func()
	count int
}

// put sets a value to null, and to some of what a value can be: which ones goes
// on from value to value, so that all values of a kind together see them all.
func (m *mutator) put(set func(any)) {
	others := []any{true, 3, -1.5, "x", "${{ x }}", []any{"x"}, map[string]any{"x": "y"}}
	const some = 2
	set(nil)
	m.mutated()
	for range some {
		set(others[m.count%len(others)])
		m.mutated()
	}
}

func (m *mutator) mutated() {
	m.count++
	m.each()
}

// visit mutates a value, and all in it, in place.
func (m *mutator) visit(v any, set func(any)) {
	m.put(set)
	set(v)
	switch v := v.(type) {
	case []any:
		for i := range v {
			m.visit(v[i], func(other any) { v[i] = other })
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			value := v[key]
			delete(v, key)
			m.mutated()
			v[key] = value
			m.visit(value, func(other any) { v[key] = other })
		}
	}
}

// TestMutations replaces every value of the file that has every key: nothing
// panics, and what the parser takes fits the schema.
func TestMutations(t *testing.T) {
	src, err := os.ReadFile("testdata/ok/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schema := formatSchema(t)
	check := func(t *testing.T, mutant any) {
		text, err := json.Marshal(mutant)
		if err != nil {
			t.Fatal(err)
		}
		if _, ds := Parse("everything.yaml", text, in("testdata/ok")); ds.HasErrors() {
			return
		}
		again, _ := DecodeData("everything.yaml", text)
		if err := schema.Validate(again); err != nil {
			t.Errorf("the parser takes what the schema refuses: %v", err)
		}
	}
	decoded := func(t *testing.T) map[string]any {
		data, ds := DecodeData("everything.yaml", src)
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		return data.(map[string]any)
	}
	for key := range decoded(t) {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			data := decoded(t)
			m := mutator{each: func() { check(t, data) }}
			m.visit(data[key], func(other any) { data[key] = other })
			if key == "steps" && m.count < 250 {
				t.Errorf("only %d mutants", m.count)
			}
		})
	}
}
