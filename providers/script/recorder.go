package script

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Recorder keeps what models answer, and writes it as a script that plays
// the same run again. It is safe for concurrent use.
type Recorder struct {
	mu            sync.Mutex
	conversations []*conversation // in the order of their first answers
	models        []string        // who answered
}

// A conversation is what one was told, in order.
type conversation struct {
	step, place, id string
	turns           []Answer
}

// NewRecorder returns a recorder that has heard nothing yet.
func NewRecorder() *Recorder { return &Recorder{} }

// Record returns a model that answers as m does, and is recorded. It belongs
// around all other wrappers: what [providers.Retry] and [providers.Fallback]
// have made good is then left out, and the recording has answers only. A
// request that failed in the end is recorded with each of its failed attempts,
// so that it fails in the same way; a cancelled one is not recorded.
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
		m.recorder.add(req, answer.Model, answerOf(req, answer))
	case ctx.Err() == nil && providers.KindOf(err) != providers.KindCancelled:
		m.recorder.add(req, "", refusals(append(failures, err))...)
	}
	return answer, err
}

func (r *Recorder) add(req providers.Request, model string, turns ...Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if model != "" && !slices.Contains(r.models, model) {
		r.models = append(r.models, model)
	}
	at := slices.IndexFunc(r.conversations, func(c *conversation) bool {
		return c.id == req.Conversation && c.step == req.Step && c.place == req.Place
	})
	if at < 0 {
		at = len(r.conversations)
		r.conversations = append(r.conversations, &conversation{step: req.Step, place: req.Place, id: req.Conversation})
	}
	c := r.conversations[at]
	c.turns = append(c.turns, turns...)
}

// WriteTo writes the script of all that has been recorded, as YAML. A step
// whose conversations all went the same way has its turns once; any other has
// them by place (pages/3). Of several attempts at one place the last one is
// written: a script starts each attempt from the first turn. Thinking that its
// provider hides, and the order of texts among the calls of one answer, are
// lost.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := document(r.models, r.parts())
	if err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}

// A part is one key of a script, with its turns.
type part struct {
	key   string
	turns []turn
}

// parts sorts the conversations to the keys that they are played by.
func (r *Recorder) parts() []part {
	var parts []part
	for _, step := range r.steps() {
		places := r.places(step)
		same := !slices.ContainsFunc(places, func(p part) bool { return !equal(p.turns, places[0].turns) })
		if same {
			places = []part{{key: step, turns: places[0].turns}}
		}
		parts = append(parts, places...)
	}
	return parts
}

// steps lists the steps in the order of their first answers.
func (r *Recorder) steps() []string {
	var steps []string
	for _, c := range r.conversations {
		if !slices.Contains(steps, c.step) {
			steps = append(steps, c.step)
		}
	}
	return steps
}

// places has the last conversation at each place of a step.
func (r *Recorder) places(step string) []part {
	var places []part
	for _, c := range r.conversations {
		if c.step != step {
			continue
		}
		key := c.place
		if key == "" {
			key = step
		}
		at := slices.IndexFunc(places, func(p part) bool { return p.key == key })
		if at < 0 {
			at = len(places)
			places = append(places, part{key: key})
		}
		places[at].turns = turnsOf(c.turns)
	}
	slices.SortStableFunc(places, func(a, b part) int { return comparePlaces(a.key, b.key) })
	return places
}

// answerOf is an answer as a script says it.
func answerOf(req providers.Request, m providers.Message) Answer {
	a := Answer{Thinking: thinking(m), Text: m.Text()}
	if m.Usage != (providers.Usage{}) {
		a.Usage = &m.Usage
	}
	for _, call := range m.Calls() {
		a.Calls = append(a.Calls, Call{Name: call.Name, Arguments: readable(call.Arguments)})
	}
	switch m.Finish {
	case providers.FinishLength, providers.FinishContentFilter:
		a.Finish = string(m.Finish)
	}
	if req.Output == nil {
		return a
	}
	if output := readable([]byte(a.Text)); output != any(a.Text) {
		a.Output, a.HasOutput, a.Text = output, true, ""
	}
	return a
}

func thinking(m providers.Message) string {
	var all string
	for _, b := range m.Blocks {
		if b.Type != providers.BlockThinking || b.Text == "" {
			continue
		}
		if all != "" {
			all += "\n\n"
		}
		all += b.Text
	}
	return all
}

func refusals(failures []error) []Answer {
	var answers []Answer
	for _, err := range failures {
		answers = append(answers, Answer{Error: failureOf(err)})
	}
	return answers
}

// failureOf is a failure that is told as the error again when it is played.
func failureOf(err error) *Failure {
	var e *providers.Error
	if !errors.As(err, &e) {
		return &Failure{Status: 400, Message: err.Error()}
	}
	f := &Failure{Status: e.Status, RetryAfter: e.RetryAfter, Message: e.Message}
	if f.Message == "" && e.Err != nil {
		f.Message = e.Err.Error()
	}
	if played := f.err(""); played.Kind == e.Kind && (played.Retryable == e.Retryable || e.RetryAfter > 0) {
		return f
	}
	switch e.Kind {
	case providers.KindContextLength:
		f.Status, f.Message = 400, "context_length_exceeded: "+f.Message
	case providers.KindContentFilter:
		f.Status, f.Message = 400, "content_filter: "+f.Message
	default:
		f.Status = statusOf(e)
	}
	return f
}

// statusOf is the status that stands for an error in a script.
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
