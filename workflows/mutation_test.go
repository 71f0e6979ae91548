package workflows

import (
	"encoding/json"
	"os"
	"testing"
)

// mutations gives data in which one value, at any depth, is another or is gone.
func mutations(data any, each func(any)) {
	others := []any{nil, true, 3, -1.5, "x", "${{ x }}", []any{"x"}, map[string]any{"x": "y"}}
	var visit func(v any, put func(any))
	visit = func(v any, put func(any)) {
		for _, other := range others {
			put(other)
			each(data)
		}
		put(v)
		switch v := v.(type) {
		case []any:
			for i := range v {
				visit(v[i], func(other any) { v[i] = other })
			}
		case map[string]any:
			for key, value := range v {
				delete(v, key)
				each(data)
				v[key] = value
				visit(value, func(other any) { v[key] = other })
			}
		}
	}
	for key, value := range data.(map[string]any) {
		visit(value, func(other any) { data.(map[string]any)[key] = other })
	}
}

// TestMutations replaces every value of the file that has every key: nothing
// panics, and what the parser takes fits the schema.
func TestMutations(t *testing.T) {
	src, err := os.ReadFile("testdata/ok/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, ds := DecodeData("everything.yaml", src)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	schema := formatSchema(t)
	count := 0
	mutations(data, func(mutant any) {
		count++
		if testing.Short() && count%20 > 0 {
			return
		}
		text, err := json.Marshal(mutant)
		if err != nil {
			t.Fatal(err)
		}
		_, ds := Parse("everything.yaml", text, in("testdata/ok"))
		if ds.HasErrors() {
			return
		}
		again, _ := DecodeData("everything.yaml", text)
		if err := schema.Validate(again); err != nil {
			t.Errorf("the parser takes what the schema refuses: %v", err)
		}
	})
	if count < 1000 {
		t.Errorf("only %d mutants", count)
	}
}
