package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

const personSchema = `{
  "type": "object",
  "properties": {
    "name": {"type": "string", "minLength": 1},
    "age": {"type": "integer", "minimum": 0},
    "id": {"const": 12345678901234567890},
    "kind": {"enum": ["cat", "dog"]},
    "mail": {"type": "string", "format": "email"},
    "code": {"type": "string", "pattern": "^[a-z]+$"},
    "size": {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["w"]}]},
    "a/b": {"type": "array", "items": {"type": "object", "properties": {"x~y": {"type": "null"}}, "additionalProperties": false}}
  },
  "required": ["name", "age"],
  "additionalProperties": false
}`

// validate returns what makes a text invalid.
func validate(s *jsonschema.Schema, text string) []jsonschema.Problem {
	v, err := jsonschema.Parse([]byte(text))
	if err != nil {
		return []jsonschema.Problem{{Message: err.Error()}}
	}
	return s.Validate(v)
}

func problems(s *jsonschema.Schema, text string) string {
	var all []string
	for _, p := range validate(s, text) {
		all = append(all, p.String())
	}
	return strings.Join(all, "; ")
}

func TestSchemaValidate(t *testing.T) {
	schema, err := CompileSchema(json.RawMessage(personSchema))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		in   string
		want string
	}{
		{"fits", `{"name": "Ada", "age": 36, "id": 12345678901234567890, "kind": "cat", "mail": "a@b.org", "code": "x", "size": 1}`, ""},
		{"a big integer that is not the one", `{"name": "Ada", "age": 36, "id": 12345678901234567891}`, "/id: got 12345678901234567891, want 12345678901234567890"},
		{"all that is missing", `{}`, `"name" is missing; "age" is missing`},
		{"all that is wrong", `{"name": "", "age": "x", "kind": "cow"}`,
			`/age: got string, want integer; /kind: got "cow", want "cat" or "dog"; /name: got 0 characters, want at least 1`},
		{"a name that is near", `{"name": "A", "age": 1, "mial": ""}`, `"mial" is not known (did you mean "mail"?)`},
		{"a name that is not", `{"name": "A", "age": 1, "frobnicate": ""}`,
			`"frobnicate" is not known; there are a/b, age, code, id, kind, mail, name, size`},
		{"a format", `{"name": "A", "age": 1, "mail": "nobody"}`, `/mail: "nobody" is not a valid email: a mailbox such as ada@example.org is expected`},
		{"a pattern", `{"name": "A", "age": 1, "code": "X"}`, `/code: "X" does not match the pattern "^[a-z]+$"`},
		{"no alternative", `{"name": "A", "age": 1, "size": "x"}`,
			`/size: got string, want integer or object`},
		{"a path", `{"name": "A", "age": 1, "a/b": [{}, {"x~y": 1}, {"xy": 1}]}`,
			`/a~1b/1/x~0y: got number, want null; /a~1b/2: "xy" is not known (did you mean "x~y"?)`},
		{"no JSON", `{"name": "A`, "no valid JSON: unexpected EOF"},
		{"more than one value", `{} {}`, "no valid JSON: invalid character after top-level value"},
		{"a number that is a bomb", `{"name": "A", "age": 1e999999999}`, "the number 1e999999999 is out of range"},
		{"a small number that is one", `{"name": "A", "age": 1e-999999}`, "the number 1e-999999 is out of range"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := problems(schema, test.in); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestSchemaManyProblems(t *testing.T) {
	schema, err := CompileSchema(json.RawMessage(`{"items": {"type": "string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	problems := validate(schema, "["+strings.Repeat("1,", 5000)+"1]")
	if len(problems) != 21 || problems[20].Message != "and 4,981 problems more" {
		t.Errorf("got %d, the last: %v", len(problems), problems[len(problems)-1])
	}
}

func TestSchemaDeepValue(t *testing.T) {
	schema, err := CompileSchema(json.RawMessage(`{"$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}, "$ref": "#/$defs/l"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := validate(schema, strings.Repeat("[", 1<<20)); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if got := validate(schema, deep); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestCompileSchemaErrors(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want string
	}{
		{"no JSON", `{`, "schema: no valid JSON: unexpected EOF"},
		{"a wrong type", `{"properties": {"a": {"type": "strnig"}}}`, "/properties/a/type"},
		{"a file", `{"$ref": "file:///etc/passwd"}`, "is not loaded"},
		{"a URL", `{"$ref": "https://example.org/s.json"}`, "is not loaded"},
		{"a part that is not there", `{"$ref": "#/$defs/x"}`, "$defs/x"},
		{"a number", `7`, "schema"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := CompileSchema(json.RawMessage(test.in))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestSchemaDrafts(t *testing.T) {
	for _, in := range []string{
		`{"$schema": "http://json-schema.org/draft-04/schema#", "type": "string"}`,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}`,
		`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string"}`,
		`{"type": "string"}`,
	} {
		schema, err := CompileSchema(json.RawMessage(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if validate(schema, `1`) == nil {
			t.Errorf("%s: a number is taken for a string", in)
		}
	}
}

func TestSchemaPatternThatIsNotRE2(t *testing.T) {
	schema, err := CompileSchema(json.RawMessage(`{"pattern": "^(?=a).*$", "minLength": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := validate(schema, `"bb"`); got != nil {
		t.Errorf("got %v", got)
	}
	if got := validate(schema, `"b"`); len(got) != 1 {
		t.Errorf("the rest is not checked: %v", got)
	}
}

func FuzzSchemaValidate(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name": "A", "age": 1}`, `{"size": [1e5, {"a/b": null}]}`, `[[[`, `1e309`} {
		f.Add([]byte(seed))
	}
	schema, err := CompileSchema(json.RawMessage(personSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		problems := validate(schema, string(in))
		if !json.Valid(in) && problems == nil {
			t.Errorf("%q is no JSON, and fits", in)
		}
		for _, p := range problems {
			if p.Message == "" || len(p.Message) > 1000 {
				t.Errorf("message of %d bytes: %.100q", len(p.Message), p.Message)
			}
		}
	})
}

func BenchmarkSchemaValidate(b *testing.B) {
	schema, err := CompileSchema(json.RawMessage(personSchema))
	if err != nil {
		b.Fatal(err)
	}
	in := json.RawMessage(`{"name": "Ada", "age": 36, "kind": "cat", "mail": "a@b.org"}`)
	for b.Loop() {
		validate(schema, string(in))
	}
}
