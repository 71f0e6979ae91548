package steps

import (
	"context"
	"fmt"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A wild model answers whatever the bytes say, for ever.
type wild struct {
	info  providers.Info
	bytes []byte
	asked int
	bad   string // what was wrong with a request
}

func (w *wild) Info() providers.Info { return w.info }

func (w *wild) Stream(_ context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	w.look(req)
	w.asked++
	m := providers.Message{Model: "fake/wild", Finish: providers.FinishStop, Usage: providers.Usage{InputTokens: 1, OutputTokens: 1}}
	for range w.next() % 4 {
		m.Blocks = append(m.Blocks, w.block(len(m.Blocks)))
	}
	switch w.next() % 8 {
	case 0:
		m.Finish = providers.FinishLength
	case 1:
		m.Finish = []providers.Finish{providers.FinishContentFilter, providers.FinishError, ""}[w.next()%3]
	default:
		if len(m.Calls()) > 0 {
			m.Finish = providers.FinishToolCalls
		}
	}
	emit(providers.Event{Type: providers.EventType(w.next() % 6)})
	if w.next() == 255 {
		return m, &providers.Error{Kind: providers.KindNetwork}
	}
	return m, nil
}

func (w *wild) block(i int) providers.Block {
	texts := []string{"", "hm", `{"score":4}`, `{"score":9}`, "```json\n{\"score\":1}\n```"}
	arguments := []string{"", "{}", `{"a":1}`, `{"a`, `{"score":5}`, "[]", "\xff"}
	names := []string{"echo", "fail", "secret", "long", "final_result", "", "nothing"}
	switch w.next() % 4 {
	case 0:
		return providers.Block{Type: providers.BlockText, Text: texts[w.next()%len(texts)]}
	case 1:
		return providers.Block{Type: providers.BlockThinking, Text: "hm"}
	}
	return providers.Block{
		Type: providers.BlockToolCall, ID: fmt.Sprintf("c%d", i%3), Name: names[w.next()%len(names)],
		Arguments: []byte(arguments[w.next()%len(arguments)]),
	}
}

func (w *wild) next() int {
	if len(w.bytes) == 0 {
		return w.asked % 7
	}
	b := w.bytes[0]
	w.bytes = w.bytes[1:]
	return int(b)
}

// look checks what every request has to keep to: each call is answered at once,
// and no message is empty.
func (w *wild) look(req providers.Request) {
	for i, m := range req.Messages {
		switch n := len(m.Calls()); {
		case len(m.Blocks) == 0:
			w.bad = fmt.Sprintf("message %d is empty", i)
		case n > 0 && (i+1 == len(req.Messages) || len(req.Messages[i+1].Blocks) != n || req.Messages[i+1].Role != providers.RoleTool):
			w.bad = fmt.Sprintf("the calls of message %d are not answered", i)
		case m.Role == providers.RoleTool && len(req.Messages[i-1].Calls()) != len(m.Blocks):
			w.bad = fmt.Sprintf("message %d answers no calls", i)
		}
	}
	if req.NoTools && req.Force != "" {
		w.bad = "a tool is forced and forbidden at once"
	}
}

// Whatever a model does, the step ends in time, keeps to its limits, and says a
// status, a reason and an error that go together.
func FuzzAgent(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{1, 0, 2, 9, 9, 9}, uint8(1))
	f.Add([]byte{1, 2, 0, 1, 9, 9, 9, 1, 2, 4, 4, 9, 9, 9}, uint8(3))
	f.Add([]byte{3, 2, 0, 1, 2, 2, 1, 2, 4, 3, 0, 0, 0}, uint8(7))
	f.Add([]byte{0, 9, 9, 9, 0, 9, 9, 9, 0, 9, 9, 9}, uint8(11))
	f.Add([]byte{2, 2, 2, 1, 2, 0, 1, 9, 9, 9}, uint8(16+32))
	set := toolbox(f)
	f.Fuzz(func(t *testing.T, bytes []byte, flags uint8) {
		has := func(bit int) bool { return flags>>bit&1 == 1 }
		model := &wild{bytes: bytes, info: providers.Info{Ref: "fake/wild", StructuredOutput: has(0)}}
		a := Agent{
			Model: model, Prompt: "go", Tools: set, FailOnDenied: has(4), MaxFixes: 2,
			Stop: Stop{MaxTurns: 12, MaxToolCalls: 9, RepeatedCalls: 4, AcceptLimit: has(5)},
		}
		if has(1) {
			a.Output = schema(t, scoreSchema)
		}
		if has(2) {
			a.Stop.OnTool = []string{"echo"}
		}
		if has(3) {
			a.Checks = []Check{passes(3)}
		}
		r := a.Run(t.Context())
		checkSound(t, a, model, r)
	})
}

func checkSound(t *testing.T, a Agent, model *wild, r Result) {
	t.Helper()
	if model.bad != "" {
		t.Error(model.bad)
	}
	if most := a.Stop.MaxTurns + 2; model.asked > most { // once for a result, and once at a limit
		t.Errorf("asked %d times, at most %d", model.asked, most)
	}
	if r.Turns > a.Stop.MaxTurns+1 || r.ToolCalls > a.Stop.MaxToolCalls {
		t.Errorf("%d turns, %d calls", r.Turns, r.ToolCalls)
	}
	if r.Usage.Total() != int64(2*model.asked) {
		t.Errorf("%d tokens for %d requests", r.Usage.Total(), model.asked)
	}
	switch r.Status {
	case Succeeded:
		if _, misfit := a.Output.Read(r.Text); r.Error != nil || misfit != nil {
			t.Errorf("succeeded with %q: %v, %v", r.Text, r.Error, misfit)
		}
	case Failed, Stopped:
		if r.Error == nil || r.Error.Kind == "" || r.Error.Message == "" || r.StopReason == ReasonCompleted {
			t.Errorf("%s, %s without an error: %v", r.Status, r.StopReason, r.Error)
		}
	default:
		t.Errorf("status %q", r.Status)
	}
	for _, d := range r.Denied {
		if d.Tool != "secret" || d.Rule == "" {
			t.Errorf("denied %+v", d)
		}
	}
}
