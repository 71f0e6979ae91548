package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A time limit of a tool, a model or a check, and what they cancel themselves, is theirs: the
// step has failed with their words and their name, and nothing says that the run's time is up.
func TestTimeOfTheirOwn(t *testing.T) {
	for cause, words := range map[error]string{context.DeadlineExceeded: "context deadline exceeded", context.Canceled: "context canceled"} {
		late := fmt.Errorf("get https://x.example: %w", cause)
		set := toolbox(t, tool{name: "slow", run: func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
			return tools.Result{}, late
		}})
		check := Check{Name: "slow", Run: func(context.Context, any, string) (Judgement, error) { return Judgement{}, late }}
		words = "get https://x.example: " + words
		for _, tt := range []struct {
			name, want string
			kind       Kind
			run        func(context.Context) Result
		}{
			{"a model", "fake/one: " + words, KindNetwork, (&Agent{Model: playing(breaks(late))}).Run},
			{"a model that is retried", "fake/one: " + words, KindNetwork, (&Agent{Model: providers.Retry(playing(breaks(late)))}).Run},
			{"the only model that is left", "fake/one: no; then " + words, KindNetwork, (&Agent{Model: providers.Fallback([]providers.Model{
				playing(breaks(&providers.Error{Kind: providers.KindOverloaded, Model: "fake/one", Message: "no"})), playing(breaks(late)),
			})}).Run},
			{"a tool", `call 1: tool "slow": ` + words, KindTool, (&Agent{Model: playing(calls(`slow {}`)), Tools: set}).Run},
			{"a tool without a model", `tool "slow": ` + words, KindTool, (&ToolCall{Tools: set, Tool: "slow"}).Run},
			{"a check", `check "slow": ` + words, KindInternal, (&Agent{Model: playing(says("done")), Checks: []Check{check}}).Run},
		} {
			t.Run(tt.name+", "+cause.Error(), func(t *testing.T) {
				r := tt.run(t.Context())
				if r.Status != Failed || r.StopReason != ReasonError || r.Error.Kind != tt.kind || r.Error.Message != tt.want {
					t.Errorf("%s, %s: %+v, want %s", r.Status, r.StopReason, r.Error, tt.want)
				}
				if !errors.Is(r.Error, cause) {
					t.Errorf("the cause of %v is lost", r.Error)
				}
			})
		}
	}
}

// The same of a client with a timeout, by its words.
func TestTimeoutOfAToolsClient(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer service.Close()
	client := &http.Client{Timeout: time.Millisecond}
	set := toolbox(t, tool{name: "fetch", run: func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
		_, err := client.Get(service.URL)
		return tools.Result{}, err
	}})
	r := (&ToolCall{Tools: set, Tool: "fetch"}).Run(t.Context())
	if r.Status != Failed || r.Error.Kind != KindTool || !strings.HasPrefix(r.Error.Message, `tool "fetch": Get "`+service.URL) {
		t.Errorf("%s: %+v", r.Status, r.Error)
	}
}

// An error without a kind is the model's, with its name.
func TestModelsErrorWithoutAKind(t *testing.T) {
	r := (&Agent{Model: playing(breaks(errors.New("out of ideas")))}).Run(t.Context())
	if r.Status != Failed || r.Error.Kind != KindProvider || r.Error.Message != "fake/one: out of ideas" {
		t.Errorf("%s: %+v", r.Status, r.Error)
	}
}
