package google_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func underTest() providertest.Provider {
	return providertest.Provider{
		Dialect:        func() providertest.Dialect { return new(providertest.Google) },
		WholeArguments: true,
		New: func(e providers.Endpoint) providers.Model {
			return google.New(google.Options{Endpoint: e})
		},
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest()) }

// Models before Gemini 3 give calls no ids, and get none back.
func TestConformanceOfOlderModels(t *testing.T) {
	p := underTest()
	p.NoCallIDs = true
	p.Dialect = func() providertest.Dialect { return &providertest.Google{Older: true} }
	providertest.Run(t, p)
}

// TestSignedTexts has a model sign the end of its text, on a part of nothing else.
func TestSignedTexts(t *testing.T) {
	dialect := &providertest.Google{SignsText: true}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if _, refused := dialect.Read(body); err != nil || refused != nil {
			t.Errorf("error %v, refused for %v: %s", err, refused, body)
		}
		if n := bytes.Count(body, []byte(`{"text":"","thoughtSignature":"`)); n != bytes.Count(body, []byte(`"role":"model"`)) {
			t.Errorf("%d signatures: %s", n, body)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		dialect.Write(w, providertest.Reply{Text: "Yes."})
	}))
	defer service.Close()
	model := google.New(google.Options{Endpoint: providers.Endpoint{Model: "gemini-3-flash-preview", APIKey: "k", BaseURL: service.URL}})
	req := providers.Request{Messages: []providers.Message{providers.UserText("1")}}
	for range 3 {
		message, err := model.Stream(context.Background(), req, nil)
		if err != nil || message.Text() != "Yes." {
			t.Fatalf("answer %+v, error %v", message, err)
		}
		req.Messages = append(req.Messages, message, providers.UserText("Sure?"))
	}
}
