package jsonschema

import (
	"os"
	"strings"
	"sync"
	"testing"
)

const person = `{
  "type": "object",
  "properties": {
    "name": {"type": "string", "minLength": 1},
    "age": {"type": "integer", "minimum": 0},
    "kind": {"enum": ["cat", "dog"]},
    "mail": {"type": "string", "format": "email"},
    "friends": {"type": "array", "items": {"$ref": "#"}, "uniqueItems": true}
  },
  "required": ["name", "age"],
  "additionalProperties": false
}`

const ada = `{"name": "Ada", "age": 36, "kind": "cat", "mail": "a@b.org", "friends": [{"name": "Bob", "age": 7}]}`

// TestConcurrentUse is of use with the race detector.
func TestConcurrentUse(t *testing.T) {
	schema, problems := compileCase(person)
	if problems != nil {
		t.Fatal(problems)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if p := validateCase(schema, ada); p != nil {
					t.Error(p)
				}
				if p := validateCase(schema, `{"age": -1}`); len(p) != 2 {
					t.Error(p)
				}
				if _, p := compileCase(person); p != nil {
					t.Error(p)
				}
			}
		})
	}
	all.Wait()
}

// TestNothingIsCompiledAtStart holds the promise that importing costs nothing:
// what is a variable is made when it is first asked for.
func TestNothingIsCompiledAtStart(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file.Name())
		if err != nil || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		before := ""
		for line := range strings.Lines(string(source)) {
			embeds := strings.HasPrefix(before, "//go:embed ")
			before = line
			if strings.HasPrefix(line, "var ") && !embeds && !strings.Contains(line, " = sync.OnceValue(") || strings.HasPrefix(line, "func init(") {
				t.Errorf("%s: %s", file.Name(), line)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	if got := strings.Join(Tokens("/a~1b/~01/0"), " "); got != "a/b ~1 0" {
		t.Errorf("got %q", got)
	}
	if got := Tokens(""); got != nil {
		t.Errorf("got %q", got)
	}
}

// FuzzValidate takes any two texts for a schema and a value: there is an answer
// in bounded time, it is the same each time, and no message is long.
func FuzzValidate(f *testing.F) {
	f.Add(person, ada)
	for _, file := range []string{"testdata/schemas.txt", "testdata/values.txt"} {
		cases, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		schema := ""
		for line := range strings.Lines(string(cases)) {
			switch kind, rest, _ := strings.Cut(line, " "); kind {
			case "schema":
				schema = rest
				f.Add(schema, "1")
			case "value":
				f.Add(schema, rest)
			}
		}
	}
	f.Fuzz(func(t *testing.T, schemaText, valueText string) {
		schema, problems := compileCase(schemaText)
		if schema != nil {
			first, again := validateCase(schema, valueText), validateCase(schema, valueText)
			if joined(first) != joined(again) {
				t.Errorf("%v, and then %v", first, again)
			}
			problems = append(problems, first...)
		}
		for _, p := range problems {
			if p.Message == "" || len(p.Message) > 2000 {
				t.Errorf("message of %d bytes: %.100q", len(p.Message), p.Message)
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	document, err := Parse([]byte(person))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(document, Options{Formats: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	schema, _ := compileCase(person)
	value, err := Parse([]byte(ada))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if p := schema.Validate(value); p != nil {
			b.Fatal(p)
		}
	}
}

func BenchmarkProblems(b *testing.B) {
	schema, _ := compileCase(person)
	value, err := Parse([]byte(`{"nmae": "Ada", "age": -1, "kind": "cow"}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if p := schema.Validate(value); len(p) != 4 {
			b.Fatal(p)
		}
	}
}
