package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/tools"
)

// hello is a tool that touches nothing.
type hello struct{}

func (hello) Spec() tools.Spec {
	return tools.Spec{
		Name:       "hello",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`),
	}
}

func (hello) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }

func (hello) Run(_ context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	var a struct{ Name string }
	if err := json.Unmarshal(arguments, &a); err != nil {
		return tools.Result{}, err
	}
	_, err := fmt.Fprintf(out, "Hello, %s!", a.Name)
	return tools.Result{}, err
}

// adaOnly is a guard.
type adaOnly struct{}

func (adaOnly) Decide(_ context.Context, _ string, arguments json.RawMessage) tools.Decision {
	if string(arguments) == `{"name":"Ada"}` {
		return tools.Decision{Verdict: tools.Allow}
	}
	return tools.Decision{Verdict: tools.Deny, Rule: "*: deny", Reason: "only Ada may be greeted"}
}

func (adaOnly) Offered(string) bool { return true }

func Example() {
	set, err := tools.NewSet([]tools.Entry{{Tool: hello{}}}, tools.SetOptions{Guard: adaOnly{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"name": "Ada"}`, `{"name": "Bob"}`, `{"nmae": "Ada"}`} {
		answer, err := set.Prepare("hello", json.RawMessage(arguments)).Run(context.Background())
		fmt.Println(answer.Status, answer.Content, err)
	}
	// Output:
	// succeeded Hello, Ada! <nil>
	// denied Denied by the rule "*: deny": only Ada may be greeted. <nil>
	// failed The arguments of hello do not fit; nothing was run:
	// - "name" is missing <nil>
}

func ExampleNewOutput() {
	out := tools.NewOutput(tools.OutputOptions{Limits: tools.Limits{Lines: 4, Keep: tools.KeepBoth}})
	for i := range 1000 {
		fmt.Fprintln(out, "line", i+1)
	}
	text, err := out.Close()
	fmt.Println(text.Content, err)
	// Output:
	// line 1
	// line 2
	// … 996 lines (8,860 bytes) left out
	// line 999
	// line 1000
	//  <nil>
}

func ExampleMask() {
	mask := tools.NewMask([]string{"s3cr3t/value"})
	fmt.Println(mask.String("s3cr3t/value, s3cr3t%2Fvalue, dXNlcjpzM2NyM3QvdmFsdWU="))
	// Output: ***, ***, dXNlcjp***U=
}
