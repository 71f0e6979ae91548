package cache

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzEntry reads anything: what is taken for an entry is an answer that a
// conversation can go on with, and is read again as it was.
func FuzzEntry(f *testing.F) {
	good, err := json.Marshal(entryOf(said("a")))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"flow_cached_answer":1,"finish":"tool_calls","blocks":[{"type":"thinking","raw":"e30="},{"type":"tool_call","id":"MQ==","name":"Zg==","arguments":"e30="}]}`))
	f.Add([]byte(`{"flow_cached_answer":1,"finish":"stop","usage":{"cost_usd":1e999},"blocks":[{}]}`))
	f.Add([]byte(`[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		m := e.message()
		for _, call := range m.Calls() {
			if call.ID == "" || call.Name == "" || len(call.Arguments) == 0 || seen[call.ID] {
				t.Errorf("call %+v", call)
			}
			seen[call.ID] = true
		}
		if len(m.Blocks) == 0 || m.Usage.Total() != 0 || m.Saved == nil || m.Saved.Total() < 0 {
			t.Errorf("answer %+v", m)
		}
		encoded, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(encoded)
		if err != nil || !cmp.Equal(again.message(), m) {
			t.Errorf("%s is read as %+v, %v", encoded, again, err)
		}
	})
}
