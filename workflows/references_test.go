package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestStepsAreReadAsExpressionsAskForThem(t *testing.T) {
	const source = `name: x
steps:
  - {id: a, run: echo}
  - {id: b, run: echo, needs: []}
  - {id: unused, run: echo, needs: []}
  - {id: last, run: echo, needs: [a, b, unused]}
outputs:
  o: ${{ steps.a.text + steps.b.status + steps.a.status + steps.a["text"] }}
`
	w, diagnostics := Parse("x.yaml", []byte(source), Options{})
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	var asked []string
	read := func(id, field string) (any, error) {
		asked = append(asked, id+"."+field)
		return map[string]any{field: fmt.Sprintf("<%s.%s>", id, field)}, nil
	}
	got, err := w.Outputs[0].Value.Eval(Env{"steps": StepReader(read)})
	if want := "<a.text><b.status><a.status><a.text>"; err != nil || got != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	slices.Sort(asked)
	if want := "a.status a.text b.status"; strings.Join(slices.Compact(asked), " ") != want {
		t.Errorf("asked for %v", asked)
	}
	gone := errors.New("the disk is gone")
	_, err = w.Outputs[0].Value.Eval(Env{"steps": StepReader(func(string, string) (any, error) { return nil, gone })})
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "steps.") {
		t.Errorf("got %v, want the reader's error and the step", err)
	}
}
