package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func lineOf(t testing.TB, r Record) []byte {
	t.Helper()
	line, err := r.line()
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '}')
}

func full() Record {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	u := Address{}.Child("pages").WithElement(3).WithAttempt(1)
	return Record{
		Seq: 7, Time: at, Kind: Decided, Unit: u, Version: 1, Parallel: 4, About: Keep, Holds: true, Count: 3, Once: true,
		Call: `a,"data":{}`, Status: steps.Failed, ErrorKind: "timeout", Forgiven: true, Fatal: true, Until: at.Add(time.Minute),
		From: []Address{u}, Failed: true, Changed: true, Spent: tools.Amount{Tokens: 5, CostUSD: 0.25}, Used: &steps.Used{Turns: 1, Unpriced: []string{"a/b"}}, Label: "x", Data: json.RawMessage([]byte(`{"a":",\"data\":1"}`)),
	}
}

func TestLineOfARecord(t *testing.T) {
	want := full()
	text := lineOf(t, want)
	const written = `{"seq":7,"time":"2026-01-02T03:04:05.000000006Z","kind":"decided","unit":"pages[3]~1","version":1,"parallel":4,` +
		`"about":"keep","holds":true,"count":3,"once":true,"call":"a,\"data\":{}","status":"failed","reason":"timeout","label":"x","forgiven":true,"fatal":true,` +
		`"until":"2026-01-02T03:05:05.000000006Z","from":["pages[3]~1"],"failed":true,"changed":true,"spent":{"tokens":5,"cost_usd":0.25},"used":{"turns":1,"unpriced_models":["a/b"]},` +
		`"data":{"a":",\"data\":1"}}`
	if string(text) != written {
		t.Errorf("got\n%s\nwant\n%s", text, written)
	}
	got, err := ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back:\n%s", diff)
	}
}

// What a when leaves out are ranges in the data, which comes back as indexes.
func TestLeftOut(t *testing.T) {
	left := []int{0, 1, 2, 5, 7, 8}
	data, err := json.Marshal(List{LeftOut: Ranges(left), Items: []any{"a"}})
	if err != nil || string(data) != `{"left_out":[[0,2],[5,5],[7,8]],"items":["a"]}` {
		t.Fatalf("%s, %v", data, err)
	}
	r, err := ParseRecord(lineOf(t, Record{Seq: 1, Kind: Decided, About: Elements, Count: 9, Data: data}))
	if diff := cmp.Diff(left, r.LeftOut); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestRecordErrors(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"kind":"began","unit":"a["}`, `not the name of a unit`},
		{`{"kind":"decided","about":"elements","count":-1}`, `negative`},
		{`{"kind":"decided","about":"elements","data":{"left_out":[[0,99999999]],"items":[]}}`, `0 to 99999999 are not among 1000000 elements`},
		{`{"kind":"decided","about":"elements","data":{"left_out":[[0,999999],[0,999999]],"items":[]}}`, `0 to 999999 are not among 1000000 elements`},
		{`{"kind":"decided","about":"elements","data":{"left_out":[x],"items":[]}}`, `left_out: `},
		{`{"kind":"said","data":}`, `not an object`},
		{`{"kind":"said"`, `unexpected end`},
		{``, `unexpected end`},
	}
	for _, test := range tests {
		if _, err := ParseRecord([]byte(test.line)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.line, err, test.want)
		}
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add(lineOf(f, full()))
	f.Add([]byte(`{"kind":"decided","about":"elements","count":3,"data":{"left_out":[[0,1]],"items":[1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRecord(text)
		if err != nil {
			return
		}
		if r.Time.Year() > 9999 || bytes.ContainsAny(r.Data, "\n") {
			return
		}
		again, err := ParseRecord(lineOf(t, r))
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, lineOf(t, r), err)
		}
		if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	})
}

func BenchmarkParseRecord(b *testing.B) {
	r := full()
	r.Data = (bytes.Repeat([]byte("x"), 1000))
	text := lineOf(b, r)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ParseRecord(text); err != nil {
			b.Fatal(err)
		}
	}
}
