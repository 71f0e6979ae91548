package sdk

import (
	"encoding/json"
	"errors"
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
		{"none", nil, `{"model":"m","stream":true}`},
		{"an empty one", []List{{Field: "a"}}, `{"model":"m","stream":true,"a":[]}`},
		{"of one part", []List{{Field: "a", Of: raw(`[1,2]`)}}, `{"model":"m","stream":true,"a":[1,2]}`},
		{"of several", []List{{Field: "a", Of: raw(`[1]`, `[]`, `[[2]]`, `[{"x":"]"}]`)}}, `{"model":"m","stream":true,"a":[1,[2],{"x":"]"}]}`},
		{"two", []List{{Field: "a", Of: raw(`[1]`)}, {Field: "b", Of: raw(`[2]`)}}, `{"model":"m","stream":true,"a":[1],"b":[2]}`},
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

// TestBodyOfNoJSON has params, or a list, that can't be written.
func TestBodyOfNoJSON(t *testing.T) {
	good, bad := json.RawMessage(`{"model":"m"}`), Encode([]json.Marshaler{unwritable{}})
	for name, body := range map[string]Body{
		"params": {Params: unwritable{}},
		"a list": {Params: good, Lists: []List{{Field: "tools", Of: []json.RawMessage{bad}}}},
	} {
		if encoded, err := body.encode(); err == nil {
			t.Errorf("%s: sent as %s", name, encoded)
		}
	}
}

type unwritable struct{}

func (unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New("no JSON") }
