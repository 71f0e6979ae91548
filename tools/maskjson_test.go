package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

func TestMaskJSON(t *testing.T) {
	m := NewMask([]string{"12345678", `pass"word`, `back\slash`, "tok-5f2e9c"})
	tests := []struct{ name, raw, want string }{
		{"numbers stay", `{"tokens":12345678}`, `{"tokens":12345678}`},
		{"values", `{"a":"is tok-5f2e9c.","b":["12345678"]}`, `{"a":"is ***.","b":["***"]}`},
		{"keys", `{"tok-5f2e9c":1}`, `{"***":1}`},
		{"escaped", `{"a":"x pass\"word y","b":"\\"}`, `{"a":"x *** y","b":"\\"}`},
		{"nothing to hide", `{"a":"b"}`, `{"a":"b"}`},
		{"behind an escape", `{"a":"x\npm_` + body36 + `"}`, `{"a":"x\npm_` + body36 + `"}`},
		{"from an escape on", `{"a":"\u001eyJ` + body36 + `.eyJ` + body36 + `"}`, `{"a":"\u001eyJ` + body36 + `.eyJ` + body36 + `"}`},
		{"beside escapes", `{"a":"x\n\"tok-5f2e9c\"\t\u00e9\ud83d\ude00é"}`, `{"a":"x\n\"***\"\té😀é"}`},
		{"escaped needlessly", `{"a":"x\ntok-5f\u0032e9c"}`, `{"a":"x\n***"}`},
		{"before a quote", `{"a":"` + beginKey + `PRIVATE KEY-----\n` + body36 + body36 + `\" y"}`, `{"a":"***\" y"}`},
		{"JSON in JSON", `{"a":"{\"b\":\"pass\\\"word\"}"}`, `{"a":"{\"b\":\"***\"}"}`},
		{"JSON in JSON in JSON", within(within(within(`pass"word`))), within(within(`"***"`))},
		{"a backslash in JSON in JSON in JSON", within(within(within(`back\slash`))), within(within(`"***"`))},
		{"escapes that there are none of", `{"a":"\x tok-5f2e9c \u00 \ud83d \u`, `{"a":"\x *** \u00 \ud83d \u`},
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

// within returns a text as a string of JSON.
func within(text string) string {
	quoted, _ := jsonline.Encode(text)
	return string(quoted)
}

func FuzzMaskJSON(f *testing.F) {
	f.Add("tok-5f2e9c", 12345678.0)
	f.Add(`a"b\c<d>`, 1e300)
	f.Add("x\npm_"+body36+"\rk_live_"+body36, 0.0)
	f.Add("\x1eyJ"+body36+".eyJ"+body36, 0.0)
	f.Add(beginKey+"PRIVATE KEY-----\n"+body36+body36+"\" y", 0.0)
	m := NewMask([]string{"tok-5f2e9c", "12345678", `a"b\c<d>`, "nbrft01", "ends in \\"})
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

// FuzzMaskRawJSON has JSON that others write, escaped as they like.
func FuzzMaskRawJSON(f *testing.F) {
	f.Add([]byte(`{"a":"x\npm_` + body36 + `","b":"\u00e9\ud83d\ude00\/"}`))
	f.Add([]byte(`["tok-5f2e9c\\","nbrft01\nbrft01\\nbrft01"]`))
	f.Add([]byte("[\"\xff\\ntok-5f2e9c\"]"))
	m := NewMask([]string{"tok-5f2e9c", "nbrft01", "0000aaaa"})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var before, after any
		if json.Unmarshal(raw, &before) != nil {
			t.Skip("no JSON")
		}
		masked := m.JSON(raw)
		if err := json.Unmarshal(masked, &after); err != nil {
			t.Errorf("%s became %s: %v", raw, masked, err)
		}
		if text, ok := before.(string); ok && utf8.Valid(raw) && after != any(m.String(text)) {
			t.Errorf("%s became %s, want %q", raw, masked, m.String(text))
		}
	})
}
