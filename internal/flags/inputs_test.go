package flags_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

const greeting = `name: greeting
inputs:
  to: {type: string}
  times: {type: integer, default: 1}
steps:
  - {id: greet, run: echo hello}
`

func TestInputs(t *testing.T) {
	w, found := workflows.Parse("flow.yaml", []byte(greeting), workflows.Options{})
	if w == nil {
		t.Fatal(found)
	}
	for _, tt := range []struct {
		args, stdin string
		want        string // values, or a part of the error
	}{
		{args: "-i to=you", want: "map[times:1 to:you]"},
		{args: "-i times=2 -i to=you=me", want: "map[times:2 to:you=me]"},
		{args: "--inputs -", stdin: "{to: you, times: 3}", want: "map[times:3 to:you]"},
		{args: "--inputs - -i times=4", stdin: "{to: you, times: 3}", want: "map[times:4 to:you]"},
		{args: "-i times=2", want: "map[times:2]"},
		{args: "-i to", want: `-i "to": expected name=value`},
		{args: "-i to=you -i times=many", want: `input "times"`},
		{args: "-i too=you", want: `input "too"`},
		{args: "--inputs -", stdin: "[1]", want: "expected a map of inputs"},
		{args: "--inputs to=you", want: "--inputs to=you: no such file or directory; one input is set with -i name=value"},
	} {
		var g flags.Inputs
		set := pflag.NewFlagSet("flow", pflag.ContinueOnError)
		g.Register(set)
		if err := set.Parse(strings.Fields(tt.args)); err != nil {
			t.Fatal(err)
		}
		values, err := g.Known(w, strings.NewReader(tt.stdin))
		got := fmt.Sprint(values)
		if err != nil {
			got = err.Error() + "; " + steps.HintOf(err)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.args, got, tt.want)
		}
		_, given := values["to"]
		if _, wrong := g.Values(w, strings.NewReader(tt.stdin)); (wrong == nil) != (given && err == nil) {
			t.Errorf("%s: %v without what is missing, %v with it", tt.args, err, wrong)
		}
	}
	if !(&flags.Inputs{}).None() {
		t.Error("no inputs are some")
	}
}
