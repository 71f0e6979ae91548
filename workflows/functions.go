package workflows

import "slices"

// A Function can be called by expressions.
type Function struct {
	Name    string `json:"name"`
	Example string `json:"example"` // an expression that calls it
	Gives   string `json:"gives"`   // the value of the example, as text
}

// Functions returns the functions that the expressions of every workflow can call, sorted
// by name. In the examples of file and glob the workspace has the files VERSION, with the
// text 1.2.0, a.go and b.go.
func Functions() []Function { return slices.Clone(functionExamples) }

var functionExamples = []Function{
	{"abs", `abs(-3)`, `3`},
	{"all", `all([2, 4], # % 2 == 0)`, `true`},
	{"any", `any(["a.go", "b.md"], # endsWith ".md")`, `true`},
	{"bitand", `bitand(6, 3)`, `2`},
	{"bitnand", `bitnand(6, 3)`, `4`},
	{"bitnot", `bitnot(6)`, `-7`},
	{"bitor", `bitor(6, 3)`, `7`},
	{"bitshl", `bitshl(1, 4)`, `16`},
	{"bitshr", `bitshr(16, 4)`, `1`},
	{"bitushr", `bitushr(16, 4)`, `1`},
	{"bitxor", `bitxor(6, 3)`, `5`},
	{"ceil", `ceil(1.2)`, `2`},
	{"concat", `concat([1, 2], [3])`, `[1,2,3]`},
	{"count", `count(["a.go", "b.md"], # endsWith ".go")`, `1`},
	{"date", `date("2026-11-22").Year()`, `2026`},
	{"duration", `duration("90s").Minutes()`, `1.5`},
	{"file", `file("VERSION")`, `1.2.0`},
	{"filter", `filter([1, 5, 9], # > 3)`, `[5,9]`},
	{"find", `find(["a.go", "b.md"], # endsWith ".md")`, `b.md`},
	{"findIndex", `findIndex(["a.go", "b.md"], # endsWith ".md")`, `1`},
	{"findLast", `findLast([1, 5, 9], # < 9)`, `5`},
	{"findLastIndex", `findLastIndex([1, 5, 9], # < 9)`, `1`},
	{"first", `first(["a", "b"])`, `a`},
	{"flatten", `flatten([[1, 2], [3]])`, `[1,2,3]`},
	{"float", `float("1.5")`, `1.5`},
	{"floor", `floor(1.8)`, `1`},
	{"format", `format("{0} of {1}", 3, 7)`, `3 of 7`},
	{"fromBase64", `fromBase64("Zmxvdw==")`, `flow`},
	{"fromJSON", `fromJSON("{\"size\": 3}")`, `{"size":3}`},
	{"fromPairs", `fromPairs([["a", 1], ["b", 2]]).b`, `2`},
	{"get", `get({"a": 1}, "a")`, `1`},
	{"glob", `glob("*.go")`, `["a.go","b.go"]`},
	{"groupBy", `groupBy(["a.go", "b.md", "c.go"], split(#, ".")[1])["go"]`, `["a.go","c.go"]`},
	{"hasPrefix", `hasPrefix("main.go", "main")`, `true`},
	{"hasSuffix", `hasSuffix("main.go", ".go")`, `true`},
	{"hash", `hash("flow")`, `3b21278178ed3463f3bde3a35f088caf6d99ff1b2f647d9a0c2b8de599ec3dc6`},
	{"indexOf", `indexOf("main.go", ".")`, `4`},
	{"int", `int("42")`, `42`},
	{"join", `join(["a", "b"], ", ")`, `a, b`},
	{"keys", `keys({"a": 1})`, `["a"]`},
	{"last", `last(["a", "b"])`, `b`},
	{"lastIndexOf", `lastIndexOf("a.b.c", ".")`, `3`},
	{"len", `len(["a", "b"])`, `2`},
	{"limit", `limit("a long text", 256)`, `a long text`},
	{"lower", `lower("Main")`, `main`},
	{"map", `map([1, 2, 3], # * 2)`, `[2,4,6]`},
	{"max", `max(3, 7, 5)`, `7`},
	{"mean", `mean([1, 2, 6])`, `3`},
	{"median", `median([1, 2, 6])`, `2`},
	{"min", `min(3, 7, 5)`, `3`},
	{"none", `none(["a.go"], # endsWith ".md")`, `true`},
	{"one", `one(["a.go", "b.md"], # endsWith ".md")`, `true`},
	{"reduce", `reduce([1, 2, 3], #acc + #, 0)`, `6`},
	{"repeat", `repeat("ab", 3)`, `ababab`},
	{"replace", `replace("a/b/c", "/", "_")`, `a_b_c`},
	{"reverse", `reverse([1, 2, 3])`, `[3,2,1]`},
	{"sort", `sort([3, 1, 2])`, `[1,2,3]`},
	{"sortBy", `sortBy(["ccc", "a", "bb"], len(#))`, `["a","bb","ccc"]`},
	{"split", `split("a,b", ",")`, `["a","b"]`},
	{"splitAfter", `splitAfter("a,b", ",")`, `["a,","b"]`},
	{"string", `string(42)`, `42`},
	{"sum", `sum([1, 2, 3])`, `6`},
	{"take", `take(["a", "b", "c"], 2)`, `["a","b"]`},
	{"toBase64", `toBase64("flow")`, `Zmxvdw==`},
	{"toJSON", `toJSON({"size": 3})`, `{"size":3}`},
	{"toPairs", `toPairs({"a": 1})`, `[["a",1]]`},
	{"trim", `trim("  a ")`, `a`},
	{"trimPrefix", `trimPrefix("v1.2", "v")`, `1.2`},
	{"trimSuffix", `trimSuffix("main.go", ".go")`, `main`},
	{"type", `type("text")`, `string`},
	{"uniq", `uniq([1, 2, 1])`, `[1,2]`},
	{"upper", `upper("main")`, `MAIN`},
	{"values", `values({"a": 1})`, `[1]`},
}
