package sdk

import (
	"encoding/json"
	"testing"
)

func TestJoin(t *testing.T) {
	raw := func(texts ...string) []json.RawMessage {
		var list []json.RawMessage
		for _, text := range texts {
			list = append(list, json.RawMessage(text))
		}
		return list
	}
	for _, c := range []struct {
		name  string
		lists []List
		want  string
	}{
		{"none", nil, `{"model":"m"}`},
		{"an empty one", []List{{Field: "a"}}, `{"model":"m","a":[]}`},
		{"of one part", []List{{Field: "a", Of: raw(`[1,2]`)}}, `{"model":"m","a":[1,2]}`},
		{"of several", []List{{Field: "a", Of: raw(`[1]`, `[]`, `null`, `[[2]]`, `[{"x":"]"}]`)}}, `{"model":"m","a":[1,[2],{"x":"]"}]}`},
		{"two", []List{{Field: "a", Of: raw(`[1]`)}, {Field: "b", Of: raw(`[2]`)}}, `{"model":"m","a":[1],"b":[2]}`},
	} {
		if got := join([]byte("{\"model\":\"m\"}\n"), c.lists); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEncode(t *testing.T) {
	for want, params := range map[string][]json.RawMessage{
		`[]`: nil, `[1]`: {json.RawMessage(`1`)}, `[{"a":"]"},2]`: {json.RawMessage(`{"a":"]"}`), json.RawMessage(`2`)},
	} {
		if got := Encode(params); string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
