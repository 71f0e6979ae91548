package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/goccy/go-yaml"
)

// A Recorder records answers of models, and writes a script that plays the same run again.
// It is safe for concurrent use.
type Recorder struct {
	// Hide removes secrets from each text that is written; nil changes none. It is set before
	// anything is recorded.
	Hide func(text string) string

	mu     sync.Mutex
	turns  map[string][]turn // by the keys of conversations
	keys   []string          // in the order of their first answers
	models []string          // that answered
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{turns: map[string][]turn{}} }

// Record returns a model that answers as m does, and records the answers. It should be the
// outermost wrapper: then failures that [providers.Retry] and [providers.Fallback] have
// handled are not recorded. A request that failed in the end is recorded with each of its
// failed attempts, so that it fails in the same way; a cancelled one is not recorded.
func (r *Recorder) Record(m providers.Model) providers.Model {
	return &recorded{Model: m, recorder: r}
}

type recorded struct {
	providers.Model
	recorder *Recorder
}

func (m *recorded) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	var failures []error
	answer, err := m.Model.Stream(ctx, req, func(e providers.Event) {
		switch e.Type {
		case providers.Retried:
			failures = append(failures, e.Err)
		case providers.FellBack:
			failures = nil
		}
		emit(e)
	})
	switch {
	case err == nil:
		m.recorder.add(req, answer.Model, m.recorder.turnsOf(req, answer)...)
	case ctx.Err() == nil && providers.KindOf(err) != providers.KindCancelled:
		for _, failure := range append(failures, err) {
			m.recorder.add(req, "", turn{Error: m.recorder.failure(failure)})
		}
	}
	return answer, err
}

// Cached implements [providers.Cacher].
func (m *recorded) Cached(req providers.Request) bool { return providers.Cached(m.Model, req) }

func (r *Recorder) add(req providers.Request, model string, turns ...turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if model != "" && !slices.Contains(r.models, model) {
		r.models = append(r.models, model)
	}
	key := cmp.Or(strings.TrimSuffix(req.Conversation, "~1"), req.Step)
	if r.turns[key] == nil {
		r.keys = append(r.keys, key)
	}
	r.turns[key] = append(r.turns[key], turns...)
}

// WriteTo writes the recording as a script, in YAML: the turns of each conversation (pages[3]), in the
// order of their first answers. Hidden thinking, the order of texts and calls in an answer, and texts
// beside a result are lost.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	steps := yaml.MapSlice{}
	for _, key := range r.keys {
		steps = append(steps, yaml.MapItem{Key: key, Value: r.turns[key]})
	}
	text, err := document(r.hidden(strings.Join(r.models, ", ")), steps)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}

// turnsOf returns the turns for an answer. A result that was passed to a tool becomes the
// output of a turn: of another one if there were other calls, too.
func (r *Recorder) turnsOf(req providers.Request, m providers.Message) []turn {
	said := turn{Thinking: r.textIf(thinking(m)), Text: r.textIf(m.Text()), Usage: usageOf(m.Usage)}
	if m.Finish == providers.FinishLength || m.Finish == providers.FinishContentFilter {
		said.Finish = string(m.Finish)
	}
	var result json.RawMessage
	for _, call := range m.Calls() {
		if req.Result != "" && call.Name == req.Result {
			result = call.Arguments
			continue
		}
		arguments, isJSON := r.json(call.Arguments)
		if !isJSON {
			arguments = r.text(string(call.Arguments))
		}
		said.Calls = append(said.Calls, turnCall{r.text(call.Name), arguments})
	}
	if req.Output != nil && said.Calls == nil { // a text beside calls is no result yet
		result = json.RawMessage(m.Text())
	}
	switch {
	case result != nil && said.Calls != nil:
		return []turn{said, r.giving(turn{}, result)}
	case result != nil:
		said = r.giving(said, result)
	case said.Calls == nil && said.Text == nil:
		said.Text = r.text("")
	}
	return []turn{said}
}

// giving returns a turn with a result, which mostly is JSON.
func (r *Recorder) giving(t turn, result json.RawMessage) turn {
	if output, isJSON := r.json(result); isJSON {
		t.Output, t.Text = output, nil
	} else {
		t.Text = r.text(string(result))
	}
	return t
}

func thinking(m providers.Message) string {
	var all []string
	for _, b := range m.Of(providers.BlockThinking) {
		if b.Text != "" {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n\n")
}

func usageOf(u providers.Usage) *turnUsage {
	if u == (providers.Usage{}) {
		return nil
	}
	return &turnUsage{u.InputTokens, u.OutputTokens, u.CachedInputTokens, u.ReasoningTokens}
}

// failure returns a failure that becomes the same error when it is played.
func (r *Recorder) failure(err error) *turnError {
	var e *providers.Error
	if !errors.As(err, &e) {
		e = &providers.Error{Kind: providers.KindProvider, Message: err.Error()}
	}
	f := Failure{Status: e.Status, RetryAfter: e.RetryAfter, Message: e.Message}
	if f.Message == "" && e.Err != nil {
		f.Message = e.Err.Error()
	}
	if f.Message == "" && f.Status == 0 {
		f.Message = string(e.Kind)
	}
	if played := f.err(""); played.Kind != e.Kind || played.Retryable != e.Retryable && e.RetryAfter == 0 {
		f.Status = statusOf(e)
		switch e.Kind {
		case providers.KindContextLength:
			f.Message = "context_length_exceeded: " + f.Message
		case providers.KindContentFilter:
			f.Message = "content_filter: " + f.Message
		}
	}
	return &turnError{f.Status, f.RetryAfter, r.textIf(f.Message)}
}

// statusOf returns the status for an error in a script.
func statusOf(e *providers.Error) int {
	status, fixed := map[providers.Kind]int{
		providers.KindConfiguration: 404, providers.KindAuth: 401, providers.KindOverloaded: 503, providers.KindNetwork: 0,
	}[e.Kind]
	switch {
	case fixed:
		return status
	case e.Kind == providers.KindRateLimited && !e.Retryable && e.RetryAfter == 0:
		return 402 // a quota that is used up
	case e.Kind == providers.KindRateLimited:
		return 429
	case e.Retryable:
		return 500
	}
	return 400
}
