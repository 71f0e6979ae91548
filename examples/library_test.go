package examples

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/files"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A workflow can be checked without a runner, a tool or a model.
func Example_lint() {
	source := []byte("name: notes\nsteps:\n  - id: draft\n    promt: Write the notes.\n")

	_, mistakes := workflows.Parse("notes.yaml", source, workflows.Options{})
	for _, m := range mistakes {
		fmt.Printf("%s:%d:%d: %s\n", m.File, m.Line, m.Column, m.Message)
	}

	// Output:
	// notes.yaml:4:5: a step has no key "promt"
}

// A readOnly guard lets files be read and nothing else.
type readOnly struct{}

func (readOnly) Decide(_ context.Context, tool string, _ json.RawMessage) tools.Decision {
	if tool == "read" {
		return tools.Decision{Verdict: tools.Allow}
	}
	return tools.Decision{Verdict: tools.Deny, Reason: "only read is allowed here"}
}

func (readOnly) Offered(tool string) bool { return tool == "read" }

// A tool can be called without a model.
func Example_tool() {
	workspace, err := files.New(files.Options{Root: "codebase-analysis"})
	if err != nil {
		panic(err)
	}
	defer workspace.Close()
	var entries []tools.Entry
	for _, tool := range workspace.Tools() {
		entries = append(entries, tools.Entry{Tool: tool})
	}
	set, err := tools.NewSet(entries, tools.SetOptions{Guard: readOnly{}})
	if err != nil {
		panic(err)
	}
	for _, call := range []struct{ tool, arguments string }{
		{"read", `{"filePath": "go.mod", "limit": 1}`},
		{"write", `{"filePath": "go.mod", "content": ""}`},
	} {
		answer, err := set.Prepare(call.tool, json.RawMessage(call.arguments)).Run(context.Background())
		fmt.Println(answer.Status, answer.Content, err)
	}

	// Output:
	// succeeded 00001| module example.com/inventory
	// The file goes on; offset 1 is the next line. <nil>
	// denied Denied: only read is allowed here. <nil>
}

// A workflow can be run from Go, here with a model that is a Go function.
func Example_run() {
	dir, err := os.MkdirTemp("", "flow-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	source := []byte("name: hello\nsteps:\n  - prompt: Say hello.\n")
	workflow, mistakes := workflows.Parse("hello.yaml", source, workflows.Options{})
	if workflow == nil {
		panic(mistakes)
	}
	echo := script.New("mine/echo", script.Script{Steps: map[string][]script.Turn{
		script.AnyStep: {func(s script.Scene) (script.Answer, error) {
			return script.Answer{Text: "I was told: " + s.Prompt}, nil
		}},
	}})
	result, err := runner.Run(context.Background(), runner.Options{
		Workflow: workflow, Dir: dir + "/run", Workspace: dir, Model: "mine/echo",
		Models: func(string, *workflows.Workflow) (providers.Model, error) { return echo, nil },
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Status, result.Text())

	// Output:
	// succeeded I was told: Say hello.
}
