package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// turns is a conversation of so many turns, each with a call: its answers are of
// the named provider, with ids that no other takes.
func turns(n int, provider string) []providers.Message {
	list := []providers.Message{providers.UserText("Go.")}
	for i := range n {
		answer := providers.Message{Role: providers.RoleAssistant, Provider: provider, Blocks: []providers.Block{{
			Type: providers.BlockToolCall, ID: fmt.Sprintf("call_%s_%d", strings.Repeat("x", 40), i),
			Name: "read", Arguments: json.RawMessage(`{"path":"a"}`),
		}}}
		results := answerCalls(answer)
		results.Blocks[0].Content = strings.Repeat("A line of a file.\n", 100)
		list = append(list, answer, results)
	}
	return list
}

// answering is a service that costs nothing.
type answering struct {
	header http.Header
	stream string
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: a.header, Body: io.NopCloser(strings.NewReader(a.stream)), Request: r}, nil
}

// BenchmarkRequest asks once more in a conversation that has gone on for a while, with this
// provider, or with another before.
func BenchmarkRequest(b *testing.B) {
	for name, f := range formats() {
		w := httptest.NewRecorder()
		Answer(w, f.Dialect(), Reply{Text: "a"})
		e := endpoint("http://127.0.0.1:1/v1")
		e.HTTPClient = &http.Client{Transport: answering{w.Header(), w.Body.String()}}
		model := f.New(e)
		for _, provider := range []string{"test", "another"} {
			for _, n := range []int{1, 10, 100} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, provider, n), func(b *testing.B) {
					req := providers.Request{Messages: turns(n, provider), Tools: tools()}
					b.ReportAllocs()
					for b.Loop() {
						if _, err := model.Stream(b.Context(), req, nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
