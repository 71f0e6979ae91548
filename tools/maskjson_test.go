package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMaskJSON(t *testing.T) {
	m := NewMask([]string{"12345678", `pass"word`, "tok-5f2e9c"})
	tests := []struct{ name, raw, want string }{
		{"numbers stay", `{"tokens":12345678}`, `{"tokens":12345678}`},
		{"values", `{"a":"is tok-5f2e9c.","b":["12345678"]}`, `{"a":"is ***.","b":["***"]}`},
		{"keys", `{"tok-5f2e9c":1}`, `{"***":1}`},
		{"escaped", `{"a":"x pass\"word y","b":"\\"}`, `{"a":"x *** y","b":"\\"}`},
		{"nothing to hide", `{"a":"b"}`, `{"a":"b"}`},
		{"no JSON", `"tok-5f2e9c`, `"***`},
		{"an escape at the end", `"a\`, `"a\`},
		{"empty", ``, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(m.JSON([]byte(test.raw))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	var none *Mask
	if got := string(none.JSON([]byte(`{"a":1}`))); got != `{"a":1}` {
		t.Errorf("without a mask: %s", got)
	}
}

func FuzzMaskJSON(f *testing.F) {
	f.Add("tok-5f2e9c", 12345678.0)
	f.Add(`a"b\c<d>`, 1e300)
	m := NewMask([]string{"tok-5f2e9c", "12345678", `a"b\c<d>`})
	f.Fuzz(func(t *testing.T, text string, number float64) {
		raw, err := json.Marshal(map[string]any{"text": text, text: number})
		if err != nil {
			t.Skip("not to be written as JSON: ", err)
		}
		masked := m.JSON(raw)
		if !json.Valid(masked) {
			t.Errorf("%s became %s", raw, masked)
		}
		if strings.Contains(string(masked), "tok-5f2e9c") {
			t.Errorf("%s holds the secret", masked)
		}
	})
}
