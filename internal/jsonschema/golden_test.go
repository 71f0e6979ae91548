package jsonschema

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the messages that come out as those that are wanted")

// A case of testdata/*.txt is a line beginning with "schema" or "value" and the
// JSON behind it; what is wrong with it stands below, indented. A value is
// checked by the schema above it, with formats.

// TestMessages shows every message as people and models see it.
func TestMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := answers(string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want), got); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// answers writes the cases of a file again, with what is wrong.
func answers(cases string) string {
	var out strings.Builder
	var schema *Schema
	for line := range strings.Lines(cases) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		switch kind, text, _ := strings.Cut(line, " "); kind {
		case "schema":
			var problems []Problem
			if schema, problems = compileCase(text); schema != nil {
				_, problems = compileWith(text, Options{Strict: true})
			}
			writeProblems(&out, problems)
		case "value":
			writeProblems(&out, validateCase(schema, text))
		}
	}
	return out.String()
}

func compileCase(text string) (*Schema, []Problem) { return compileWith(text, Options{Formats: true}) }

func compileWith(text string, o Options) (*Schema, []Problem) {
	document, err := Parse([]byte(text))
	if err != nil {
		return nil, []Problem{{Message: err.Error()}}
	}
	schema, err := Compile(document, o)
	var wrong *Error
	if errors.As(err, &wrong) {
		return nil, wrong.Problems
	}
	return schema, nil
}

func validateCase(schema *Schema, text string) []Problem {
	value, err := Parse([]byte(text))
	if err != nil {
		return []Problem{{Message: err.Error()}}
	}
	return schema.Validate(value)
}

func writeProblems(out *strings.Builder, problems []Problem) {
	for _, p := range problems {
		out.WriteString("\t" + p.String())
		if p.Keyword != "" {
			out.WriteString(" [" + p.Keyword + "]")
		}
		out.WriteString("\n")
	}
}
