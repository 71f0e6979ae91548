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

	mu            sync.Mutex
	conversations []*conversation // in the order of their first answers
	known         map[talk]*conversation
	models        []string // that answered
}

// A talk identifies a conversation.
type talk struct{ step, conversation string }

// A conversation has its turns, in order, with the keys that they have in the file.
type conversation struct {
	talk
	turns []yaml.MapSlice
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{known: map[talk]*conversation{}} }

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
			m.recorder.add(req, "", yaml.MapSlice{{Key: "error", Value: m.recorder.failure(failure)}})
		}
	}
	return answer, err
}

// Cached implements [providers.Cacher].
func (m *recorded) Cached(req providers.Request) bool { return providers.Cached(m.Model, req) }

func (r *Recorder) add(req providers.Request, model string, turns ...yaml.MapSlice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if model != "" && !slices.Contains(r.models, model) {
		r.models = append(r.models, model)
	}
	key := talk{req.Step, req.Conversation}
	c := r.known[key]
	if c == nil {
		c = &conversation{talk: key}
		r.known[key] = c
		r.conversations = append(r.conversations, c)
	}
	c.turns = append(c.turns, turns...)
}

// WriteTo writes the recording as a script, in YAML: the turns of each conversation (pages[3]), in the
// order of their first answers. Hidden thinking, the order of texts and calls in an answer, and texts
// beside a result are lost.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	steps := yaml.MapSlice{}
	for _, c := range r.conversations {
		key := cmp.Or(strings.TrimSuffix(c.conversation, "~1"), c.step)
		steps = append(steps, yaml.MapItem{Key: key, Value: c.turns})
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
func (r *Recorder) turnsOf(req providers.Request, m providers.Message) (turns []yaml.MapSlice) {
	var calls []yaml.MapSlice
	var result json.RawMessage
	for _, call := range m.Calls() {
		if req.Result != "" && call.Name == req.Result {
			result = call.Arguments
			continue
		}
		calls = append(calls, yaml.MapSlice{{Key: "name", Value: r.text(call.Name)}, {Key: "arguments", Value: r.value(call.Arguments)}})
	}
	text := m.Text()
	if req.Output != nil {
		result = json.RawMessage(text)
	}
	var turn, output yaml.MapSlice
	thoughts := thinking(m)
	add(&turn, "thinking", r.text(thoughts), thoughts != "")
	if value, isJSON := r.json(result); isJSON {
		add(&output, "output", value, true)
	} else {
		add(&output, "text", r.text(string(result)), true)
	}
	if result != nil && calls == nil {
		turn = append(turn, output...)
	} else {
		add(&turn, "text", r.text(text), text != "" || calls == nil)
		add(&turn, "calls", calls, calls != nil)
	}
	add(&turn, "finish", string(m.Finish), m.Finish == providers.FinishLength || m.Finish == providers.FinishContentFilter)
	add(&turn, "usage", usage(m.Usage), m.Usage != providers.Usage{})
	turns = append(turns, turn)
	if result != nil && calls != nil {
		turns = append(turns, output)
	}
	return turns
}

func thinking(m providers.Message) string {
	var all []string
	for _, b := range m.Blocks {
		if b.Type == providers.BlockThinking && b.Text != "" {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n\n")
}

func usage(u providers.Usage) yaml.MapSlice {
	counts := yaml.MapSlice{}
	add(&counts, "input_tokens", u.InputTokens, u.InputTokens != 0)
	add(&counts, "output_tokens", u.OutputTokens, u.OutputTokens != 0)
	add(&counts, "cached_input_tokens", u.CachedInputTokens, u.CachedInputTokens != 0)
	add(&counts, "reasoning_tokens", u.ReasoningTokens, u.ReasoningTokens != 0)
	return counts
}

// failure returns a failure that becomes the same error when it is played.
func (r *Recorder) failure(err error) (failure yaml.MapSlice) {
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
	add(&failure, "status", f.Status, f.Status != 0)
	add(&failure, "retry_after", f.RetryAfter, f.RetryAfter != 0)
	add(&failure, "message", r.text(f.Message), f.Message != "")
	return failure
}

// statusOf returns the status for an error in a script.
func statusOf(e *providers.Error) int {
	switch e.Kind {
	case providers.KindConfiguration:
		return 404
	case providers.KindAuth:
		return 401
	case providers.KindRateLimited:
		if !e.Retryable && e.RetryAfter == 0 {
			return 402 // a quota that is used up
		}
		return 429
	case providers.KindOverloaded:
		return 503
	case providers.KindNetwork:
		return 0
	}
	if e.Retryable {
		return 500
	}
	return 400
}
