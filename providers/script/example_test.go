package script_test

import (
	"context"
	"fmt"
	"os"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

func greeter() *script.Model {
	return script.New("script/demo", script.Script{Steps: map[string][]script.Turn{
		"greet": {func(s script.Scene) (script.Answer, error) {
			return script.Answer{Text: "You said: " + s.Prompt}, nil
		}},
	}})
}

func ExampleNew() {
	request := providers.Request{
		Step: "greet", Prompt: "Hello.",
		Messages: []providers.Message{providers.UserText("Hello.")},
	}
	answer, err := greeter().Stream(context.Background(), request, func(providers.Event) {})
	fmt.Println(answer.Text(), err)
	// Output: You said: Hello. <nil>
}

func ExampleRecorder() {
	recorder := script.NewRecorder()
	model := recorder.Record(providers.Retry(greeter()))
	for i, name := range []string{"Ann", "Bob"} {
		where := fmt.Sprintf("greet[%d]", i)
		_, err := model.Stream(context.Background(), providers.Request{
			Step: "greet", Conversation: where, Prompt: "I am " + name + ".",
		}, func(providers.Event) {})
		if err != nil {
			fmt.Println(err)
		}
	}
	_, _ = recorder.WriteTo(os.Stdout)
	// Output:
	// # Recorded by flow from script/demo.
	// steps:
	//   greet[0]:
	//     - text: "You said: I am Ann."
	//   greet[1]:
	//     - text: "You said: I am Bob."
}
