package script

import (
	"fmt"
	"testing"
)

// What expressions see of a conversation has the digits that were written.
func TestDecodeKeepsDigits(t *testing.T) {
	tests := []struct{ in, want string }{
		{`9007199254740993`, `int 9007199254740993`},
		{`12345678901234567890`, `string 12345678901234567890`},
		{`1.5`, `float64 1.5`},
		{`1e3`, `float64 1000`},
		{`1e999`, `string 1e999`},
		{`[{"a": 1}, null]`, `[]interface {} [map[a:1] <nil>]`},
		{``, `<nil> <nil>`},
	}
	for _, test := range tests {
		got, err := decode([]byte(test.in))
		if text := fmt.Sprintf("%T %v", got, got); err != nil || text != test.want {
			t.Errorf("%q became %s, %v; want %s", test.in, text, err, test.want)
		}
	}
	if _, err := decode([]byte(`{`)); err == nil {
		t.Error("half an object was read")
	}
}
