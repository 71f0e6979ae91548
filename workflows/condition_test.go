package workflows

import (
	"errors"
	"strings"
	"testing"
)

// TestConditionForms writes one condition in all the forms that there are.
func TestConditionForms(t *testing.T) {
	for what, written := range map[string]string{
		"bare":            " inputs.n == 3",
		"marks":           " ${{ inputs.n == 3 }}",
		"quotes":          ` "inputs.n == 3"`,
		"marks in quotes": ` '${{inputs.n == 3}}'`,
		"literal":         " |\n      inputs.n == 3\n",
		"literal marks":   " |\n      ${{ inputs.n == 3 }}\n",
		"folded":          " >-\n      inputs.n\n      == 3\n",
		"over lines":      " |\n      inputs.n == 3 and\n        true\n",
		"words":           " not (inputs.n != 3 or false) and true",
		"signs":           ` "!(inputs.n != 3 || false) && true"`,
		"a boolean":       " true",
		"a comment":       " inputs.n == 3 # three",
		"a choice":        ` 'inputs.n > 2 ? true : false'`,
		"an empty start":  " |\n\n      inputs.n == 3\n",
	} {
		t.Run(what, func(t *testing.T) {
			w := parseRight(t, "name: x\ninputs: {n: {type: integer}}\nsteps:\n  - if:"+written+"\n    run: x\n")
			if holds, err := w.Steps[0].If.Holds(testEnv()); err != nil || !holds {
				t.Errorf("%v, %v", holds, err)
			}
		})
	}
}

// TestWrongConditions shows what is said of conditions that can't be right.
func TestWrongConditions(t *testing.T) {
	tests := []struct{ written, want string }{
		{"inputs.n", "must be true or false, not a number"},
		{"inputs.any", "may be something else than true or false (write inputs.any == true for a boolean, inputs.any == 0 for a number)"},
		{"'\"true\"'", "must be true or false, not a string"},
		{"yes", `a condition is an expression, and yes is none`},
		{"3", "an expression was expected, not an integer"},
		{"[a]", "an expression was expected, not a list"},
		{"null", "an expression was expected, not nothing"},
		{`""`, "the expression is empty"},
		{"${{ true }} and false", "more text after the expression (the whole of it is one, without marks: write true and false)"},
		{"inputs.n == ${{ 3 }}", "(the whole of it is an expression, without marks: write inputs.n == 3)"},
		{"inputs.n = 3", "equality is =="},
		{"inputs.n == 3 AND true", "it is written and"},
		{"inputs.n == 3 OR true", "it is written or"},
		{"NOT (inputs.n == 3)", "it is written not"},
		{"NOT inputs.n", "it is written not"},
		{"inputs.n <> 3", "inequality is !="},
		{"inputs.n is 3", "equality is =="},
		{"inputs.n == 3 & true", "it is written and, or &&"},
		{"inputs.n == 'three", "the string has no closing quote"},
		{"inputs.n == (3", "ends too early"},
		{"inputs.n ==", "ends too early"},
		{"len(inputs.list #) > 1", `" #" begins a comment`},
		{"inputs.list == 'a #b'", `" #" begins a comment`},
	}
	for _, tt := range tests {
		t.Run(tt.written, func(t *testing.T) {
			_, ds := Parse("x.yaml", []byte("name: x\ninputs: {n: {type: integer}, any: {}, list: {type: array}}\nsteps:\n  - if: "+tt.written+"\n    run: x\n"), Options{})
			if len(ds) != 1 || !strings.Contains(ds[0].String(), tt.want) {
				t.Errorf("got %v, want %q", ds, tt.want)
			}
		})
	}
}

// TestConditionIsNoBoolean shows what happens when a value is not what the file
// says of it.
func TestConditionIsNoBoolean(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {b: {type: boolean}}\nsteps:\n  - if: inputs.b\n    run: x\n")
	tests := []struct {
		value any
		want  string // "" when it counts as false
	}{
		{"text", "not a string"}, {"", "not a string"}, {1, "not a number"}, {[]any{}, "not a list"}, {map[string]any{}, "not a map"}, {nil, ""}, {false, ""},
	}
	for _, tt := range tests {
		holds, err := w.Steps[0].If.Holds(Env{"inputs": map[string]any{"b": tt.value}})
		if tt.want == "" && (holds || err != nil) || tt.want != "" && (err == nil || err.Error() != "x.yaml:4:9: the expression `inputs.b` failed: true or false was expected, "+tt.want) {
			t.Errorf("%v: got %v, %v", tt.value, holds, err)
		}
	}
}

var errOnFire = errors.New("disk on fire")

// TestLongExpressionsAreShortened shows how an expression that fails is quoted.
func TestLongExpressionsAreShortened(t *testing.T) {
	tests := []struct{ what, source, want string }{
		{"plain", `file("nope.txt")`, "the expression `file(\"nope.txt\")` failed: disk on fire"},
		{"blanks", "  file( \n\t\"nope.txt\" )  ", "the expression `file( \"nope.txt\" )` failed: disk on fire"},
		{"long", `file("` + strings.Repeat("long/", 300) + `")`, "the expression `file(\"" + strings.Repeat("long/", 14) + "long…` failed: disk on fire"},
		{"wide", `file("` + strings.Repeat("é", 300) + `")`, "the expression `file(\"" + strings.Repeat("é", 74) + "…` failed: disk on fire"},
		{"escapes", `file("` + "\u202e" + `")`, "the expression `file(\"\ufffd\")` failed: disk on fire"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			w := parseRight(t, "name: x\nsteps: [{run: x}]\noutputs:\n  o: |-\n    a ${{ "+strings.ReplaceAll(tt.source, "\n", "\n    ")+" }}\n")
			_, err := w.Outputs[0].Value.Eval(Env{"file": func(string) (string, error) { return "", errOnFire }})
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
