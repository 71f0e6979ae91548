package workflows_test

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/workflows"
)

func ExampleParse() {
	w, _ := workflows.Parse("greet.yaml", []byte(`
name: greet
inputs:
  who: {type: string, default: world}
steps:
  - run: echo hello ${{ inputs.who }}
`), workflows.Options{})
	inputs, err := w.CheckInputs(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	script, err := w.Steps[0].Command.Script.Render(workflows.Env{"inputs": inputs})
	fmt.Println(script.Source, script.Values, err)
	// Output: echo hello "${FLOW_VALUE_1}" [{FLOW_VALUE_1 world}] <nil>
}

func ExampleDiagnostic_Render() {
	_, ds := workflows.Parse("release.yaml", []byte(`name: release
steps:
  - id: build
    run: make
  - id: notes
    needs: [biuld]
    run: make notes
`), workflows.Options{})
	for _, d := range ds {
		fmt.Println(d.Render())
	}
	// Output:
	// release.yaml:6:13: the step needs "biuld", but no step beside it has that id (did you mean "build"?) [needs]
	// 6 |     needs: [biuld]
	//   |             ^~~~~
}

func ExampleWorkflow_CheckInputs() {
	w, _ := workflows.Parse("x.yaml", []byte("name: x\ninputs: {depth: {type: integer, minimum: 1}}\nsteps: [{run: x}]\n"), workflows.Options{})
	_, err := w.CheckInputs(map[string]any{"dpeth": 2})
	fmt.Println(err)
	// Output:
	// the workflow has no input "dpeth" (did you mean "depth"?)
	// the required input "depth" is missing
}
