package workflows

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFunctionsFail shows what is said of values that a function can't take.
func TestFunctionsFail(t *testing.T) {
	tests := []struct{ in, want string }{
		{`${{ join(inputs.data.n, ",") }}`, "join does not take a number"},
		{`${{ join([1, 2], ",") }}`, "a string was expected, not a number"},
		{`${{ repeat("a", -1) }}`, "a count from 0"},
		{`${{ concat([1], inputs.data.s) }}`, "a list was expected, not a string"},
		{`${{ flatten(inputs.data.s) }}`, "flatten takes a list, not a string"},
		{`${{ uniq(inputs.data.n) }}`, "uniq takes a list, not a number"},
		{`${{ fromJSON("{") }}`, "JSON: unexpected EOF"},
		{`${{ fromJSON("1 2") }}`, "more text after the value"},
		{`${{ fromJSON("") }}`, "JSON: unexpected EOF"},
		{`${{ format(string("{1}"), "a") }}`, `no value for "{1}" among 1`},
		{`${{ format(string("{x}"), "a") }}`, `no value for "{x}"`},
		{`${{ format(string("{0"), "a") }}`, "no value for"},
		{`${{ format(string("}"), "a") }}`, "no value for"},
		{`${{ inputs.data.s + 1 }}`, `"+" does not go with a string and a number`},
		{`${{ inputs.data.missing.deeper }}`, "there is no deeper in nothing (?. passes over"},
		{`${{ sum(map([{"results": [{"output": nil}]}], .results[0].output.n)) }}`, `there is no n in nothing`},
		{`${{ inputs.list[5] }}`, "there is no such element: the list has 2"},
		{`${{ inputs.data.n in inputs.data.n }}`, `"in" looks into a list or a map`},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			template, r := compileForTest(t, tt.in)
			for _, d := range r.Found {
				t.Fatal(d.Render())
			}
			env := testEnv()
			env["inputs"].(map[string]any)["data"] = map[string]any{"n": 1, "s": "text"}
			got, err := template.Text(env)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// TestBuiltInsStay shows that the language is expr's but for the names that are
// known to be off.
func TestBuiltInsStay(t *testing.T) {
	for _, in := range []string{
		`trim(" a ")`, `hasPrefix("ab", "a")`, `"ab" matches "^a"`, `"ab" contains "b"`, `len("é")`, `abs(-1)`, `int("5")`, `float("1.5")`, `max(1, 2)`, `min([1, 2])`,
		`sum([1, 2])`, `mean([1, 2])`, `first([1])`, `last([1])`, `take([1, 2], 1)`, `reverse([1])`, `sort([2, 1])`, `keys({"a": 1})`, `values({"a": 1})`, `toPairs({"a": 1})`,
		`fromPairs([["a", 1]])`, `groupBy([1, 2], # % 2)`, `count([1, 2], # > 1)`, `find([1, 2], # > 1)`, `findIndex([1], # == 1)`, `none([1], # == 2)`, `one([1], # == 1)`,
		`date("2026-01-02").Year()`, `duration("1h").Hours()`, `fromBase64("YQ==")`, `indexOf("ab", "b")`, `trimPrefix("ab", "a")`, `type(1)`, `1..3`, `[1, 2][-1]`, `{"a": 1}?.a`,
		`if true {1} else {2}`, `bitand(1, 3)`, `2 ** 3`, `7 % 4`, `nil ?? 1`, `"a" + "b" == "ab"`, `not (1 in [2])`, `get([1], 0)`, `ceil(1.5)`, `floor(1.5)`,
	} {
		template, r := compileForTest(t, "${{ "+in+" }}")
		for _, d := range r.Found {
			t.Fatal(d.Render())
		}
		if _, err := template.Eval(testEnv()); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestKeyedMaps: a map with keys of any type is one with texts wherever it leaves the expression.
func TestKeyedMaps(t *testing.T) {
	for in, want := range map[string]string{
		`${{ groupBy(["a.go", "b.md"], split(#, ".")[1]) }}`:                    `{"go":["a.go"],"md":["b.md"]}`,
		`${{ groupBy([1, 2, 3], # % 2) }}`:                                      `{"0":[2],"1":[1,3]}`,
		`${{ [fromPairs([["a", {"b": fromPairs([[true, nil]])}]])] }}`:          `[{"a":{"b":{"true":null}}}]`,
		`${{ map(["x"], fromPairs([[#, 1]])) }}`:                                `[{"x":1}]`,
		`${{ fromJSON(toJSON(groupBy([1], #))) }}`:                              `{"1":[1]}`,
		`${{ groupBy([1, 2], # % 2)[1] }}`:                                      `[1]`,
		`${{ {"n": groupBy(["a"], #), "all": uniq([fromPairs([["a", 1]])])} }}`: `{"all":[{"a":1}],"n":{"a":["a"]}}`,
	} {
		template, r := compileForTest(t, in)
		for _, d := range r.Found {
			t.Fatal(d.Render())
		}
		value, err := template.Eval(testEnv())
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got, err := json.Marshal(value); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
		if text, err := template.Text(testEnv()); err != nil || text != want {
			t.Errorf("%s in a text: %s, %v", in, text, err)
		}
	}
	template, _ := compileForTest(t, `${{ fromPairs([["1", "a"], [1, "b"]]) }}`)
	if _, err := template.Eval(testEnv()); err == nil || !strings.Contains(err.Error(), `two keys of a map are written "1"`) {
		t.Error(err)
	}
}
