package steps_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// greet is a tool that greets.
type greet struct{}

func (greet) Spec() tools.Spec {
	return tools.Spec{
		Name: "greet", Description: "Greets somebody",
		Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
	}
}
func (greet) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }
func (greet) Run(_ context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	var given struct{ Name string }
	if err := json.Unmarshal(arguments, &given); err != nil {
		return tools.Result{}, err
	}
	_, err := fmt.Fprintf(out, "Hello, %s!", given.Name)
	return tools.Result{}, err
}

// anything allows every call.
type anything struct{}

func (anything) Offered(string) bool { return true }
func (anything) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Allow}
}

func newSet() *tools.Set {
	set, err := tools.NewSet([]tools.Entry{{Tool: greet{}}}, tools.SetOptions{Guard: anything{}})
	if err != nil {
		panic(err)
	}
	return set
}

// An agent calls a tool, and ends with what the tool said.
func ExampleAgent() {
	model := script.New("script/demo", script.Script{Steps: map[string][]script.Turn{script.AnyStep: {
		func(script.Scene) (script.Answer, error) {
			return script.Answer{Calls: []script.Call{{Name: "greet", Arguments: map[string]any{"name": "Ada"}}}}, nil
		},
		func(s script.Scene) (script.Answer, error) {
			return script.Answer{Text: "It said: " + s.Results[0].Content}, nil
		},
	}}})
	agent := steps.Agent{Model: model, Prompt: "Greet Ada.", Tools: newSet(), Stop: steps.Stop{MaxTurns: 5}}
	result := agent.Run(context.Background())
	fmt.Println(result.Status, result.StopReason, result.Turns)
	fmt.Println(result.Text)
	// Output:
	// succeeded completed 2
	// It said: Hello, Ada!
}

// A limit keeps what there is, and is no success.
func ExampleStop() {
	model := script.New("script/demo", script.Script{Steps: map[string][]script.Turn{script.AnyStep: {
		func(script.Scene) (script.Answer, error) {
			return script.Answer{Calls: []script.Call{{Name: "greet", Arguments: map[string]any{"name": "Ada"}}}}, nil
		},
		func(s script.Scene) (script.Answer, error) {
			return script.Answer{Text: fmt.Sprintf("One of two, with %d tools left.", len(s.Tools))}, nil
		},
	}}})
	agent := steps.Agent{Model: model, Prompt: "Greet Ada and Bob.", Tools: newSet(), Stop: steps.Stop{MaxTurns: 1}}
	result := agent.Run(context.Background())
	fmt.Println(result.Status, result.StopReason, result.Partial)
	fmt.Println(result.Text)
	fmt.Println(result.Error)
	// Output:
	// stopped max_turns true
	// One of two, with 0 tools left.
	// max_turns: the limit of 1 turn is reached
}

// A command's values are words, never code.
func ExampleCommand() {
	command := steps.Command{
		Source: `printf '%s\n' "$NAME" done`,
		Values: []steps.Variable{{Name: "NAME", Value: "Ada; rm -rf *"}},
		Env:    []string{"PATH=" + os.Getenv("PATH")},
		Output: steps.Output{Kind: steps.OutputLines},
	}
	result := command.Run(context.Background())
	fmt.Printf("%s %q\n", result.Status, result.Output)
	// Output:
	// succeeded ["Ada; rm -rf *" "done"]
}

// A tool call is judged as a model's would be.
func ExampleToolCall() {
	call := steps.ToolCall{Tools: newSet(), Tool: "greet", Arguments: json.RawMessage(`{"nam": "Ada"}`)}
	result := call.Run(context.Background())
	fmt.Println(result.Status, result.StopReason)
	fmt.Println(result.Error.Message)
	// Output:
	// failed error
	// tool "greet": The arguments of greet do not fit; nothing was run:
	// - "name" is missing
}
