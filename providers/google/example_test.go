package google_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func ExampleModel_Stream() {
	dialect := new(providertest.Google)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		dialect.Write(w, providertest.Reply{Text: "Hello, world."})
	}))
	defer service.Close()

	model := google.New(google.Options{Endpoint: providers.Endpoint{
		Ref: "google/gemini-3-flash-preview", Model: "gemini-3-flash-preview", APIKey: "a key", BaseURL: service.URL,
	}})
	answer, err := model.Stream(context.Background(), providers.Request{
		System:   "Be brief.",
		Messages: []providers.Message{providers.UserText("Say hello.")},
	}, func(e providers.Event) {
		if e.Type == providers.BlockDelta {
			fmt.Printf("%s|", e.Delta)
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("\n%s, %q\n", answer.Finish, answer.Text())
	// Output:
	// Hello, |world.|
	// stop, "Hello, world."
}
