package jsonline

import (
	"fmt"
	"testing"
)

func TestExactNumbers(t *testing.T) {
	tests := []struct{ in, want string }{
		{`0`, `int 0`},
		{`-0`, `int 0`},
		{`9007199254740993`, `int 9007199254740993`},
		{`9223372036854775807`, `int 9223372036854775807`},
		{`-9223372036854775808`, `int -9223372036854775808`},
		{`9223372036854775808`, `json.Number 9223372036854775808`},
		{`12345678901234567890`, `json.Number 12345678901234567890`},
		{`1.5`, `float64 1.5`},
		{`1e2`, `float64 100`},
		{`1e999`, `string 1e999`},
		{`"7"`, `string 7`},
		{`[1, {"a": 12345678901234567890}, null]`, `[]interface {} [1 map[a:12345678901234567890] <nil>]`},
	}
	for _, test := range tests {
		value, err := DecodeExact([]byte(test.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%T %v", value, value); got != test.want {
			t.Errorf("%s became %s, want %s", test.in, got, test.want)
		}
	}
}

func TestDecodeInto(t *testing.T) {
	type inner struct {
		Any  any
		None any
		Map  map[string]any
	}
	var into struct {
		inner
		List    []any
		Of      []inner
		Pointer *any
		N       float64
		Nil     *inner
	}
	err := Decode([]byte(`{"Any": 1, "Map": {"a": 2, "b": null}, "List": [3, [4]], "Of": [{"Any": 5}], "Pointer": 6, "N": 7}`), &into)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%#v %#v %#v %#v %#v %v", into.Any, into.Map, into.List, into.Of[0].Any, *into.Pointer, into.N)
	const want = `1 map[string]interface {}{"a":2, "b":interface {}(nil)} []interface {}{3, []interface {}{4}} 5 6 7`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
