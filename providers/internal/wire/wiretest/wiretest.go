// Package wiretest is shared by the tests of the formats. It decodes a text as the answer
// of a service, writes a message in one line, and checks what holds for every answer.
//
//	var wireFormat = wiretest.Format(func(client *http.Client) providers.Model {
//		return New(Options{Endpoint: providers.Endpoint{Ref: "p/m", Model: "m", BaseURL: "http://127.0.0.1:1", HTTPClient: client}})
//	})
//	message, err := wireFormat.Decode("text/event-stream", body, nil)
package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Format returns a model with one wire format, whose connections a client makes.
type Format func(*http.Client) providers.Model

// Decode reads a body as the answer of a service.
func (f Format) Decode(contentType, body string, emit func(providers.Event)) (providers.Message, error) {
	model := f(&http.Client{Transport: Answering(contentType, body)})
	return model.Stream(context.Background(), providers.Request{}, emit)
}

// Decodings maps a stream to its message as [Brief] writes it, or to "" if the answer is
// malformed.
type Decodings = []struct{ Name, Body, Want string }

// Run decodes each stream.
func (f Format) Run(t *testing.T, decodings Decodings) {
	for _, d := range decodings {
		t.Run(d.Name, func(t *testing.T) {
			message, err := f.Decode(Stream, d.Body, nil)
			if d.Want == "" {
				if providers.KindOf(err) != providers.KindProvider {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(d.Want, Brief(message)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Breakages are streams that end in an error, with its kind, whether it may be retried,
// and a part of its message.
type Breakages = []struct {
	Name, Body string
	Kind       providers.Kind
	Retryable  bool
	Says       string
}

// RunBroken reads each stream to its error.
func (f Format) RunBroken(t *testing.T, breakages Breakages) {
	for _, b := range breakages {
		t.Run(b.Name, func(t *testing.T) {
			message, err := f.Decode(Stream, b.Body, nil)
			told, ok := err.(*providers.Error)
			if !ok {
				t.Fatalf("error %v, want a *providers.Error", err)
			}
			if told.Kind != b.Kind || told.Retryable != b.Retryable || !strings.Contains(told.Error(), b.Says) {
				t.Errorf("error %q of kind %s, retryable %v; want %q, %s, %v", told, told.Kind, told.Retryable, b.Says, b.Kind, b.Retryable)
			}
			if message.Finish != providers.FinishError {
				t.Errorf("finish %q", message.Finish)
			}
		})
	}
}

// Benchmark measures decoding a stream.
func (f Format) Benchmark(b *testing.B, body string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := f.Decode(Stream, body, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Fuzz decodes arbitrary input, with the decodings as seeds. The result must be a
// [*providers.Error] or an answer with which a conversation can go on. A format checks its
// other invariants in sound, which may be nil.
func (f Format) Fuzz(t *testing.F, decodings Decodings, sound func(*testing.T, providers.Message)) {
	for _, d := range decodings {
		t.Add(Stream, d.Body)
	}
	t.Add("", "{\n\"error\": {\"code\": 503}\n}")
	t.Fuzz(func(t *testing.T, contentType, body string) {
		message, err := f.Decode(contentType, body, func(providers.Event) {})
		if err != nil {
			if told := new(providers.Error); !errors.As(err, &told) {
				t.Fatalf("error %v is no *providers.Error", err)
			}
			return
		}
		checkAnswer(t, message)
		if sound != nil {
			sound(t, message)
		}
	})
}

func checkAnswer(t *testing.T, message providers.Message) {
	seen := map[string]bool{}
	for _, call := range message.Calls() {
		if call.ID == "" || call.Name == "" || len(call.Arguments) == 0 || seen[call.ID] {
			t.Errorf("call %+v", call)
		}
		seen[call.ID] = true
	}
	for _, block := range message.Blocks {
		if len(block.Raw) > 0 && !json.Valid(block.Raw) {
			t.Errorf("raw %s", block.Raw)
		}
	}
	if message.Finish == "" {
		t.Error("no finish")
	}
}

// Brief writes a message in one line: why it ended, and its blocks.
func Brief(m providers.Message) string {
	words := []string{string(m.Finish)}
	for _, b := range m.Blocks {
		said := b.Text
		if b.Type == providers.BlockToolCall {
			said = briefID(b.ID) + " " + b.Name + " " + string(b.Arguments)
		}
		kind := strings.TrimPrefix(string(b.Type), "tool_")
		words = append(words, kind+"("+said+")"+string(b.Raw))
	}
	return strings.Join(words, " ")
}

// briefID returns an id, or a fixed word for one that was made up.
func briefID(id string) string {
	const madeUp = 24
	if random, ok := strings.CutPrefix(id, "call_"); ok && len(random) == madeUp {
		return "made-up"
	}
	return id
}
