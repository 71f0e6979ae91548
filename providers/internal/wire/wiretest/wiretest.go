// Package wiretest has what the tests of the formats share: an answer that is read
// from a text in place of a service, a message in one line, and what an answer
// must be whatever came.
//
//	var wireFormat = wiretest.Reading(func(client *wire.Client, emit func(providers.Event)) (*wire.Answer, wire.Reader) {
//		s := newStream(client, emit)
//		return s.answer, s
//	})
//	message, err := wireFormat.Decode("text/event-stream", body, nil)
package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// Stream is the type of a stream of events.
const Stream = "text/event-stream"

// A Format reads the answer of a service.
type Format func(ctx context.Context, res *http.Response, emit func(providers.Event)) (providers.Message, error)

// Reading is the format whose answers are read by what reader returns.
func Reading(reader func(*wire.Client, func(providers.Event)) (*wire.Answer, wire.Reader)) Format {
	return func(ctx context.Context, res *http.Response, emit func(providers.Event)) (providers.Message, error) {
		client := wire.Connect(providers.Endpoint{Ref: "p/m"})
		answer, r := reader(client, emit)
		return client.Receive(ctx, res, answer, r)
	}
}

// Asked is the format of a model, which is asked for each answer.
func Asked(connect func(*http.Client) providers.Model) Format {
	return func(ctx context.Context, res *http.Response, emit func(providers.Event)) (providers.Message, error) {
		return connect(&http.Client{Transport: answering{res}}).Stream(ctx, providers.Request{}, emit)
	}
}

// answering gives every request the same answer.
type answering struct{ res *http.Response }

func (a answering) RoundTrip(*http.Request) (*http.Response, error) { return a.res, nil }

// Decode reads a body as the answer of a service.
func (f Format) Decode(contentType, body string, emit func(providers.Event)) (providers.Message, error) {
	return f(context.Background(), &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body)),
	}, emit)
}

// Decodings are streams, each with the message that comes of it, in brief; "" where
// it is an answer that makes no sense.
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

// Breakages are streams that end in an error: its kind, whether another try may
// help, and what it says among other words.
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

// Benchmark reads a stream again and again.
func (f Format) Benchmark(b *testing.B, body string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := f.Decode(Stream, body, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Fuzz reads anything, from the decodings on: it must end, without a panic, in a
// [*providers.Error] or in an answer that a conversation can go on with. What else
// a format promises of it, sound looks at; it may be nil.
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

// briefID is an id, or a word in place of one that was made up.
func briefID(id string) string {
	const madeUp = 24
	if random, ok := strings.CutPrefix(id, "call_"); ok && len(random) == madeUp {
		return "made-up"
	}
	return id
}
