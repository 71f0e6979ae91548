package ollama_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func ExampleModel_Stream() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		providertest.Answer(w, providertest.Ollama{}, providertest.Reply{Text: "Hello, world."})
	}))
	defer server.Close()

	model := ollama.New(ollama.Options{Endpoint: providers.Endpoint{
		Ref: "ollama/qwen3:4b", Model: "qwen3:4b", BaseURL: ollama.BaseURL(server.URL),
	}})
	answer, err := model.Stream(context.Background(), providers.Request{
		Messages: []providers.Message{providers.UserText("Say hello.")},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %q\n", answer.Finish, answer.Text())
	// Output: stop, "Hello, world."
}
