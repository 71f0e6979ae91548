package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Recorder keeps what models answer, and writes it as a script that plays
// the same run again. It is safe for concurrent use.
type Recorder struct {
	mu            sync.Mutex
	conversations []*conversation // in the order of their first answers
	known         map[talk]*conversation
	models        []string // who answered
}

// A talk identifies a conversation.
type talk struct{ step, place string }

// A conversation is what was answered in it, in order.
type conversation struct {
	talk
	turns []Answer
}

// NewRecorder returns a recorder that has heard nothing yet.
func NewRecorder() *Recorder { return &Recorder{known: map[talk]*conversation{}} }

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
		m.recorder.add(req, answer.Model, answersOf(req, answer)...)
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
	key := talk{req.Step, req.Conversation}
	c := r.known[key]
	if c == nil {
		c = &conversation{talk: key}
		r.known[key] = c
		r.conversations = append(r.conversations, c)
	}
	c.turns = append(c.turns, turns...)
}

// WriteTo writes the script of all that has been recorded, as YAML. A step
// whose conversations all went the same way has its turns once; any other has
// them by conversation (pages/3). Thinking that its provider hides, the order of
// texts among the calls of one answer, and what was said beside a result, are
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
	var steps []string
	places := map[string][]part{}
	for _, c := range r.conversations {
		if places[c.step] == nil {
			steps = append(steps, c.step)
		}
		places[c.step] = append(places[c.step], part{key: cmp.Or(c.place, c.step), turns: turnsOf(c.turns)})
	}
	var parts []part
	for _, step := range steps {
		parts = append(parts, merged(step, places[step])...)
	}
	return parts
}

// merged is one part for a step whose conversations all went the same way, and
// else one for each of them, in the order of their indexes.
func merged(step string, all []part) []part {
	differs := func(p part) bool { return !reflect.DeepEqual(p.turns, all[0].turns) }
	if !slices.ContainsFunc(all, differs) {
		return []part{{key: step, turns: all[0].turns}}
	}
	slices.SortStableFunc(all, func(a, b part) int { return comparePlaces(a.key, b.key) })
	return all
}

// comparePlaces sorts pages/2 before pages/10.
func comparePlaces(a, b string) int {
	one, other := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(one), len(other)) {
		m, isIndex := indexOf(one[i])
		n, isToo := indexOf(other[i])
		if isIndex && isToo && m != n {
			return cmp.Compare(m, n)
		}
	}
	return 0
}

// indexOf reads an element of a path that is an index, with or without a round.
func indexOf(element string) (int, bool) {
	number, _, _ := strings.Cut(element, "@")
	n, err := strconv.Atoi(number)
	return n, err == nil
}

// answersOf is an answer as a script says it. A result that a tool took is the
// output of a turn, as a script gives it: of one more where there were other
// calls beside it.
func answersOf(req providers.Request, m providers.Message) []Answer {
	a := Answer{Thinking: thinking(m), Text: m.Text()}
	if m.Usage != (providers.Usage{}) {
		a.Usage = &m.Usage
	}
	switch m.Finish {
	case providers.FinishLength, providers.FinishContentFilter:
		a.Finish = string(m.Finish)
	}
	var result json.RawMessage
	for _, call := range m.Calls() {
		if req.Result != "" && call.Name == req.Result {
			result = call.Arguments
			continue
		}
		a.Calls = append(a.Calls, Call{Name: call.Name, Arguments: readable(call.Arguments)})
	}
	switch {
	case result != nil && len(a.Calls) > 0:
		return []Answer{a, Answer{}.giving(result)}
	case result != nil:
		a = a.giving(result)
	case req.Output != nil:
		a = a.giving([]byte(a.Text))
	}
	return []Answer{a}
}

// giving is the answer with a result for its text, which mostly is JSON.
func (a Answer) giving(result json.RawMessage) Answer {
	a.Text = string(result)
	if output := readable(result); output != any(a.Text) {
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
	if f.Message == "" && f.Status == 0 {
		f.Message = string(e.Kind)
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
