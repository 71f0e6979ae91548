package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/openai"
)

// TestCutOffAsCompleted: an answer that has all the tokens that were asked for was
// cut off, also where the service calls it completed, as llama.cpp does.
func TestCutOffAsCompleted(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Once upon a"}]}],"usage":{"input_tokens":34,"output_tokens":3}}}`+"\n\n")
	}))
	defer service.Close()
	for most, want := range map[int]providers.Finish{0: providers.FinishStop, 3: providers.FinishLength, 4: providers.FinishStop} {
		model := openai.New(openai.Options{Endpoint: providers.Endpoint{Ref: "local/small", Provider: "local", Model: "small", BaseURL: service.URL}})
		answer, err := model.Stream(context.Background(), providers.Request{
			Messages: []providers.Message{providers.UserText("Tell a story.")}, Params: providers.Params{MaxOutputTokens: most},
		}, func(providers.Event) {})
		if err != nil || answer.Finish != want {
			t.Errorf("at most %d: finish %q, %v; want %q", most, answer.Finish, err, want)
		}
	}
}
