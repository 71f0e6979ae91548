package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fileTurn is a turn as a script's file has it.
type fileTurn struct {
	Thinking, Text, Finish string
	Output                 any
	Calls                  []struct {
		Name      string
		Arguments any
	}
	Usage *struct {
		Input     int64 `yaml:"input_tokens"`
		Output    int64 `yaml:"output_tokens"`
		Cached    int64 `yaml:"cached_input_tokens"`
		Reasoning int64 `yaml:"reasoning_tokens"`
	}
	Error *struct {
		Status     int
		RetryAfter string `yaml:"retry_after"`
		Message    string
	}
}

// load reads a recording strictly, and makes a script of it. It knows of
// expressions only that a literal one is written with another dollar.
func load(t testing.TB, text []byte) script.Script {
	t.Helper()
	var file struct{ Steps map[string][]fileTurn }
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		t.Fatalf("the recording is no YAML: %v\n%s", err, text)
	}
	s := script.Script{Steps: map[string][]script.Turn{}}
	for key, turns := range file.Steps {
		s.Steps[key] = nil
		for _, turn := range turns {
			s.Steps[key] = append(s.Steps[key], say(turn.answer(t)))
		}
	}
	return s
}

func (f fileTurn) answer(t testing.TB) script.Answer {
	a := script.Answer{Thinking: literal(f.Thinking), Text: literal(f.Text), Finish: f.Finish, Output: unescaped(f.Output), HasOutput: f.Output != nil}
	for _, c := range f.Calls {
		a.Calls = append(a.Calls, script.Call{Name: literal(c.Name), Arguments: unescaped(c.Arguments)})
	}
	if f.Usage != nil {
		a.Usage = &providers.Usage{InputTokens: f.Usage.Input, OutputTokens: f.Usage.Output, CachedInputTokens: f.Usage.Cached, ReasoningTokens: f.Usage.Reasoning}
	}
	if f.Error != nil {
		a.Error = &script.Failure{Status: f.Error.Status, Message: literal(f.Error.Message)}
		if after := f.Error.RetryAfter; after != "" {
			wait, err := time.ParseDuration(after)
			if err != nil {
				t.Fatal(err)
			}
			a.Error.RetryAfter = wait
		}
	}
	return a
}

func literal(text string) string { return strings.ReplaceAll(text, "$${{", "${{") }

func unescaped(value any) any {
	switch v := value.(type) {
	case string:
		return literal(v)
	case []any:
		for i := range v {
			v[i] = unescaped(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = unescaped(v[key])
		}
	}
	return value
}

// recording is a recorder's script as text.
func recording(t testing.TB, r *script.Recorder) []byte {
	t.Helper()
	var out bytes.Buffer
	n, err := r.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("wrote %d of %d bytes, %v", n, out.Len(), err)
	}
	return out.Bytes()
}

// exchange is one request, and what came of it.
type exchange struct {
	req    providers.Request
	answer providers.Message
	err    error
}

func send(t testing.TB, m providers.Model, reqs ...providers.Request) []exchange {
	t.Helper()
	var all []exchange
	for _, req := range reqs {
		answer, err := m.Stream(t.Context(), req, ignore)
		answer.Model = ""
		all = append(all, exchange{req, answer, err})
	}
	return all
}

func at(step, conversation string) providers.Request {
	return providers.Request{Step: step, Conversation: conversation}
}

func TestRecordingPlaysTheSame(t *testing.T) {
	schema := &providers.Output{Name: "page", Schema: json.RawMessage(`{}`)}
	formed := at("index", "index")
	formed.Output = schema
	model := script.New("live/model", script.Script{Steps: map[string][]script.Turn{
		"pages": {
			func(s script.Scene) (script.Answer, error) {
				return script.Answer{
					Thinking: "First the file.\nThen the rest.",
					Calls: []script.Call{
						{Name: "read", Arguments: map[string]any{"filePath": "a.md", "limit": 10, "ratio": 0.5, "deep": []any{map[string]any{"x": nil, "y": true}}}},
						{Name: "write", Arguments: map[string]any{"content": "# A\n\n  ${{ not.an.expression }}\n\tand $${{ neither }}\n", "filePath": "b.md"}},
						{Name: "odd", Arguments: map[string]any{"a key\nof two lines": 1}},
						{Name: "cut", Arguments: `{"filePath": "c.m`},
						{Name: "big", Arguments: `{"id": 12345678901234567890123}`},
					},
					Usage: &providers.Usage{InputTokens: 900, OutputTokens: 40, CachedInputTokens: 800, ReasoningTokens: 7},
				}, nil
			},
			func(s script.Scene) (script.Answer, error) {
				return script.Answer{Text: "Done with ${{ " + s.Prompt + " }}: yes # no"}, nil
			},
		},
		"index": {
			say(script.Answer{HasOutput: true, Output: map[string]any{"page": "docs/x.md", "symbols": 3, "notes": []any{"a: b", "- c"}}}),
			say(script.Answer{Text: "Once upon a", Finish: "content_filter"}),
			say(script.Answer{}),
		},
	}})
	var reqs []providers.Request
	for i, conversation := range []string{"pages[0]~1", "pages[1]~1", "pages[10]~1", "pages[2]~1"} {
		req := at("pages", conversation)
		req.Prompt = string(rune('a' + i))
		reqs = append(reqs, req, req)
	}
	reqs = append(reqs, formed, formed, formed)

	recorder := script.NewRecorder()
	want := send(t, recorder.Record(model), reqs...)
	text := recording(t, recorder)
	golden(t, "recording.yaml", text)
	got := send(t, script.New("script/recording.yaml", load(t, text)), reqs...)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(exchange{}), cmp.Comparer(sameJSON)); diff != "" {
		t.Errorf("the recording plays differently (-want +got):\n%s", diff)
	}
}

// TestRecordedResult records results that a tool took, of a model that knows no
// schema: a script gives them as output.
func TestRecordedResult(t *testing.T) {
	hands := func(arguments any) script.Call { return script.Call{Name: "final_result", Arguments: arguments} }
	read := script.Call{Name: "read", Arguments: map[string]any{"filePath": "a"}}
	model := script.New("live/model", script.Script{Steps: map[string][]script.Turn{"one": {
		say(script.Answer{Text: "I think.", Calls: []script.Call{read}}),
		say(script.Answer{Calls: []script.Call{hands(`{"page":`)}}),
		say(script.Answer{Text: "Here.", Calls: []script.Call{hands(map[string]any{"page": "a"})}}),
		say(script.Answer{Calls: []script.Call{read, hands(map[string]any{"page": "b"})}}),
	}}})
	req := at("one", "one")
	req.Result = "final_result"
	recorder := script.NewRecorder()
	send(t, recorder.Record(model), req, req, req, req)
	req.Result, req.Output = "", &providers.Output{Name: "result"}
	played := script.New("script/x", load(t, recording(t, recorder)))
	for i, want := range []string{"I think.|read", `{"page":`, `{"page":"a"}`, "|read", `{"page":"b"}`} {
		answer, err := played.Stream(t.Context(), req, ignore)
		got := answer.Text()
		for _, call := range answer.Calls() {
			got += "|" + call.Name
		}
		if err != nil || got != want {
			t.Errorf("turn %d: %s, %v; want %s", i+1, got, err, want)
		}
	}
}

// TestRecordedCallsBeforeAResult: of a model that knows schemas, a turn of calls gives no result.
func TestRecordedCallsBeforeAResult(t *testing.T) {
	read := []script.Call{{Name: "read"}}
	model := script.New("live/model", script.Script{Steps: map[string][]script.Turn{"one": {
		say(script.Answer{Calls: read}),
		say(script.Answer{Text: "I look.", Calls: read}),
		say(script.Answer{Calls: read}),
		say(script.Answer{HasOutput: true, Output: map[string]any{"n": 1}}),
	}}})
	req := at("one", "one")
	req.Output = &providers.Output{Name: "result"}
	recorder := script.NewRecorder()
	want := send(t, recorder.Record(model), req, req, req, req)
	text := recording(t, recorder)
	got := send(t, script.New("script/x", load(t, text)), req, req, req, req)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(exchange{}), cmp.Comparer(sameJSON)); diff != "" {
		t.Errorf("the recording plays differently (-want +got):\n%s\n%s", diff, text)
	}
}

// sameJSON compares arguments by meaning, and what is no JSON by its bytes.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	return cmp.Equal(x, y)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestRecordingHasEachAttempt(t *testing.T) {
	recorder := script.NewRecorder()
	first := recorder.Record(one(texts("first attempt")...))
	second := recorder.Record(one(texts("second attempt")...))
	send(t, first, at("s", "s~1"))
	send(t, second, at("s", "s~2"))
	want := "  s:\n    - text: first attempt\n  s~2:\n    - text: second attempt\n"
	if got := string(recording(t, recorder)); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRecordingOfNothing(t *testing.T) {
	if got := string(recording(t, script.NewRecorder())); got != "# Recorded by flow.\nsteps: {}\n" {
		t.Errorf("got %q", got)
	}
}

// TestRecordingHides: a secret is hidden in each text before that is quoted.
func TestRecordingHides(t *testing.T) {
	const secret = `Zq8"x\R&n'w ‹Lm9é`
	recorder := script.NewRecorder()
	asJSON, _ := json.Marshal(secret)
	recorder.Hide = strings.NewReplacer(secret, "***", strings.Trim(string(asJSON), `"`), "***", `Zq8\"x\\R&n'w ‹Lm9é`, "***").Replace
	given := map[string]any{"a": []any{"- " + secret}}
	send(t, recorder.Record(one(
		say(script.Answer{Thinking: "\t" + secret, Text: "\x01 " + secret, Calls: []script.Call{{Name: "read", Arguments: given}}}),
		say(script.Answer{Error: &script.Failure{Status: 400, Message: ": " + secret}}),
	)), at("s", "s"), at("s", "s"))
	got := string(recording(t, recorder))
	if strings.Contains(got, "Zq8") || strings.Count(got, "***") != 4 {
		t.Errorf("got\n%s", got)
	}
}

func TestRecordingLeavesRetriesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := script.NewRecorder()
		model := one(say(script.Answer{Error: &script.Failure{Status: 429}}), say(script.Answer{Text: "hi"}))
		send(t, recorder.Record(providers.Retry(model)), at("s", "s"))
		if got := string(recording(t, recorder)); strings.Contains(got, "error") {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestRecordedFailuresFailTheSame(t *testing.T) {
	failures := map[string]*providers.Error{
		"rate limit":  {Kind: providers.KindRateLimited, Status: 429, Retryable: true, RetryAfter: time.Second, Message: "slow\ndown"},
		"long wait":   {Kind: providers.KindRateLimited, Status: 429, Retryable: true, RetryAfter: time.Hour},
		"quota":       {Kind: providers.KindRateLimited, Status: 429, Code: "insufficient_quota", Message: "no money"},
		"overloaded":  {Kind: providers.KindOverloaded, Status: 529, Retryable: true},
		"mid-stream":  {Kind: providers.KindOverloaded, Message: "busy", Retryable: true},
		"network":     {Kind: providers.KindNetwork, Err: errors.New("connection reset"), Retryable: true},
		"provider":    {Kind: providers.KindProvider, Message: "the response is an HTML page; check the base URL"},
		"server":      {Kind: providers.KindProvider, Message: "internal", Retryable: true},
		"auth":        {Kind: providers.KindAuth, Status: 401},
		"no key":      {Kind: providers.KindConfiguration, Message: "OPENAI_API_KEY is not set"},
		"too long":    {Kind: providers.KindContextLength, Status: 400, Message: "sorry"},
		"too long 2":  {Kind: providers.KindContextLength, Status: 400, Message: "your prompt is too long"},
		"filter":      {Kind: providers.KindContentFilter, Status: 400, Message: "sorry"},
		"no error":    nil,
		"bad request": {Kind: providers.KindProvider, Status: 422, Message: "temperature"},
	}
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var err error = failure
				if failure == nil {
					err = errors.New("no error of ours")
				}
				recorder := script.NewRecorder()
				live := recorder.Record(providers.Retry(failing{err}))
				want := send(t, live, at("s", "s"))[0].err
				replay := script.New("script/x", load(t, recording(t, recorder)))
				got := send(t, providers.Retry(replay), at("s", "s"))[0].err
				if providers.KindOf(got) != providers.KindOf(want) {
					t.Errorf("got %s: %v\nwant %s: %v\n%s", providers.KindOf(got), got, providers.KindOf(want), want, recording(t, recorder))
				}
			})
		})
	}
}

// failing is a model that answers nothing but an error.
type failing struct{ err error }

func (f failing) Info() providers.Info { return providers.Info{Ref: "live/model"} }

func (f failing) Stream(context.Context, providers.Request, func(providers.Event)) (providers.Message, error) {
	return providers.Message{}, f.err
}

func TestRecordingAfterAFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := failing{&providers.Error{Kind: providers.KindOverloaded, Status: 503, Retryable: true}}
		recorder := script.NewRecorder()
		model := providers.Fallback([]providers.Model{
			providers.Retry(down),
			providers.Retry(failing{&providers.Error{Kind: providers.KindAuth, Status: 401}}),
		})
		send(t, recorder.Record(model), at("s", "s"))
		if got := string(recording(t, recorder)); strings.Contains(got, "status: 503") || strings.Count(got, "status: 401") != 1 {
			t.Errorf("the failures of the model that was given up are none of the answer:\n%s", got)
		}
	})
}

func TestCancelledIsNotRecorded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	recorder := script.NewRecorder()
	if _, err := recorder.Record(one(texts("x")...)).Stream(ctx, at("s", "s"), ignore); err == nil {
		t.Error("no error")
	}
	if got := string(recording(t, recorder)); !strings.HasSuffix(got, "steps: {}\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestRecordingAtOnce(t *testing.T) {
	recorder := script.NewRecorder()
	model := recorder.Record(one(func(s script.Scene) (script.Answer, error) {
		return script.Answer{Text: s.Prompt}, nil
	}))
	var group conc.WaitGroup
	for i := range 50 {
		group.Go(func() {
			req := at("pages", "pages/"+string(rune('0'+i/10))+string(rune('0'+i%10)))
			req.Prompt = req.Conversation
			send(t, model, req)
		})
	}
	group.Go(func() { recording(t, recorder) })
	group.Wait()
	s := load(t, recording(t, recorder))
	if len(s.Steps) != 50 {
		t.Errorf("got %d keys, want 50", len(s.Steps))
	}
}

func TestRecordingToAFullDisk(t *testing.T) {
	full := errors.New("no space left on device")
	if _, err := script.NewRecorder().WriteTo(writer{full}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type writer struct{ err error }

func (w writer) Write([]byte) (int, error) { return 0, w.err }

func FuzzRecordingOfTexts(f *testing.F) {
	for _, text := range []string{
		"", "a", " a\nb", "a\r\nb", "\ta", "? x", "- x", "a: b", "a #b", "true", "1_000", "0x1F", "null", "~", "|", "a\n\n\n", "\n", "a\n ",
		"a\nb: [", "...", "---", "\x00", "\x7f", "\xff", "\u2028", "\u0085", "\ufeff", "😀", "${{ x }}", "$${{", "'", "\"", "\\", "a\\\nb", "a\t\n\tb", "1e3", "=", "<<",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		want := script.Answer{Thinking: text, Calls: []script.Call{{Name: "write", Arguments: map[string]any{"content": text, "list": []any{text}}}}}
		recorder := script.NewRecorder()
		before := send(t, recorder.Record(one(say(want))), at("s", "s"))
		after := send(t, script.New("script/x", load(t, recording(t, recorder))), at("s", "s"))
		if diff := cmp.Diff(before, after, cmp.AllowUnexported(exchange{}), cmp.Comparer(sameJSON)); diff != "" {
			t.Errorf("%q plays differently (-want +got):\n%s\n%s", text, diff, recording(t, recorder))
		}
	})
}

func FuzzRecordingOfArguments(f *testing.F) {
	for _, arguments := range []string{`{}`, `{"a": 1.0}`, `{"a": 1e400}`, `{"a": -0}`, `{"<<": 1}`, `{"n": 1, "y": 2, "null": 3}`, `[1]`, `"x"`, `null`, `{"a"`, ``, `{"a": {"b": [[]]}}`, `9007199254740993`} {
		f.Add(arguments)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		arguments = strings.ToValidUTF8(arguments, "\uFFFD")
		recorder := script.NewRecorder()
		turn := say(script.Answer{Calls: []script.Call{{Name: "x", Arguments: arguments}}})
		before := send(t, recorder.Record(one(turn)), at("s", "s"))
		after := send(t, script.New("script/x", load(t, recording(t, recorder))), at("s", "s"))
		if arguments == "null" {
			return // an empty object by another name
		}
		if diff := cmp.Diff(before, after, cmp.AllowUnexported(exchange{}), cmp.Comparer(sameJSON)); diff != "" {
			t.Errorf("%q plays differently (-want +got):\n%s\n%s", arguments, diff, recording(t, recorder))
		}
	})
}
