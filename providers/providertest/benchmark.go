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

// Turns is a conversation of so many turns, each with a call: its answers are of
// the named provider, with ids that no other takes.
func Turns(turns int, provider string) []providers.Message {
	list := []providers.Message{providers.UserText("Go.")}
	for i := range turns {
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

// BenchmarkRequest asks once more in a conversation that has gone on for a while,
// with this provider, or with another before.
func BenchmarkRequest(b *testing.B, p Provider) {
	w := httptest.NewRecorder()
	Answer(w, p.Dialect(), Reply{Text: "a"})
	service := answering{w.Header(), w.Body.String()}
	for _, provider := range []string{"test", "another"} {
		for _, turns := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/%d", provider, turns), func(b *testing.B) {
				e := endpoint("http://127.0.0.1:1/v1")
				e.HTTPClient = &http.Client{Transport: service}
				model := p.New(e)
				req := providers.Request{Messages: Turns(turns, provider), Tools: tools()}
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
