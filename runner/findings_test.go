package runner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

func TestReadFindings(t *testing.T) {
	with := func(change map[string]any) []any {
		f := map[string]any{"file": "a", "line": 3, "message": "m"}
		for name, value := range change {
			if f[name] = value; value == "absent" {
				delete(f, name)
			}
		}
		return []any{f}
	}
	for _, test := range []struct {
		name string
		list []any
		want string // the error; "": it is valid
	}{
		{"whole", with(nil), ""},
		{"without a line", with(map[string]any{"line": nil}), ""},
		{"a fraction of zero", with(map[string]any{"line": 3.0, "end_line": 5.0, "severity": "high", "rule": nil}), ""},
		{"no object", []any{1}, "findings[0]: expected an object with file, line and message"},
		{"no file", with(map[string]any{"file": "absent"}), "findings[0]: file: expected a text"},
		{"an empty file", with(map[string]any{"file": ""}), "findings[0]: file: expected a text"},
		{"no message", with(map[string]any{"message": "absent"}), "findings[0]: message: expected a text"},
		{"a line as text", with(map[string]any{"line": "3"}), "findings[0]: line: expected a whole number from 1"},
		{"half a line", with(map[string]any{"line": 3.5}), "findings[0]: line: expected a whole number from 1"},
		{"a negative line", with(map[string]any{"line": -1}), "findings[0]: line: expected a whole number from 1"},
		{"an end as text", with(map[string]any{"end_line": "5"}), "findings[0]: end_line: expected a whole number from 1"},
		{"a rule as a number", with(map[string]any{"rule": 7}), "findings[0]: rule: expected a text"},
		{"too many", make([]any, maxFindings+1), "findings: there are 100,001; the limit is 100,000"},
	} {
		found, invalid := ReadFindings(test.list)
		got := ""
		if len(invalid) > 0 {
			got = invalid[0].Error()
		}
		if got != test.want || (len(found) == 1) != (test.want == "") {
			t.Errorf("%s: %v, %q, want %q", test.name, found, got, test.want)
		}
	}
}

// A run with an invalid finding fails, whoever reads its findings. A run that is resumed evaluates
// them again.
func TestInvalidFindingsFailTheRun(t *testing.T) {
	const source = "name: t\nsteps:\n  - {id: look, run: 'cat found.json', output: json}\n  - {id: then, run: 'test ! -e broken'}\nfindings: ${{ steps.look.output }}\n"
	list := func(n int, more string) string {
		return "[" + strings.Repeat(`{"file": "a", "message": "m"}, `, n) + more + "]"
	}
	for _, found := range []string{`{"message": "m"}`, `{"file": "a", "line": "7", "message": "m"}`, `"a.go:7: m"`, `{"file": ["a"], "message": "m"}`} {
		tr := newTrial(t)
		tr.write("found.json", list(2, found))
		r := tr.run(source)
		if r.Status != steps.Failed || r.Error.Kind != steps.KindInvalidOutput || !strings.HasPrefix(r.Error.Message, "1 of 3 findings invalid: findings[2]: ") {
			t.Errorf("%s: %s, %+v", found, r.Status, r.Error)
		}
		tr.write("found.json", list(2, `{"file": "a", "line": 7, "message": "m"}`))
		for _, from := range [][]journal.Address{nil, {unitOf(t, "look")}} {
			tr.change = func(o *Options) { o.Resume = &Resumption{From: from} }
			if r = tr.run(source); (r.Status == steps.Succeeded) != (from != nil) {
				t.Errorf("%s: resumed from %v: %s, %+v", found, from, r.Status, r.Error)
			}
		}
	}
	tr := newTrial(t)
	tr.write("found.json", list(0, strings.Repeat("1, ", 8)+"2"))
	tr.write("broken", "")
	r := tr.run(source)
	warned := ""
	for _, e := range tr.events {
		if e.Type == steps.Warning {
			warned += e.Message
		}
	}
	if r.Error == nil || r.Error.Kind != steps.KindCommand || !strings.Contains(warned, "9 of 9 findings invalid: ") || !strings.HasSuffix(warned, fmt.Sprintf("; and %d more", 4)) {
		t.Errorf("a run that failed before: %+v, warned of %q", r.Error, warned)
	}
}
