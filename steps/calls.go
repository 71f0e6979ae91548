package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// maxTurnCalls is how many calls of one answer are run at most. The others are
// answered as failed.
const maxTurnCalls = 128

// A call is one that the model makes, and its answer.
type call struct {
	block    providers.Block
	input    json.RawMessage // the arguments, always JSON
	prepared *tools.Call     // nil for a call that is answered without being run
	run      runner          // with prepared
	hands    bool            // it hands in the result, and is no call to anybody else
	refused  bool            // one more than the step may make
	answer   tools.Answer
	err      error    // what ends the step
	place    int      // among the calls of the turn
	known    bool     // it had ended before the conversation was cut off
	pending  *Pending // it waits for a person
	unknown  bool     // it was in flight then, and may have changed something
}

// A runner runs a call as its answer is to be: for a model, or for a program.
type runner func(ctx context.Context) (tools.Answer, error)

// answerCalls answers every call of an answer, in the order of the calls. The
// error is one that the model can't mend; the conversation is whole even then.
func (d *dialogue) answerCalls(ctx context.Context, answer providers.Message) (turn, error) {
	t := turn{answer: answer, bound: d.bound}
	calls := d.prepare(answer)
	if d.recall(calls, d.c.Turns) {
		d.goLive()
		d.runCalls(ctx, calls, place{turn: d.c.Turns, failOnDenied: d.agent.FailOnDenied, note: d.note})
	}
	if t.pending = d.pendingOf(ctx, calls); t.pending != nil { // the turn is not over
		return t, nil
	}
	var err error
	for _, c := range calls {
		d.count(c, &t)
		if c.err != nil && err == nil {
			err = withKind(fmt.Errorf("call %d: %w", len(d.c.Calls), c.err), KindTool)
		}
	}
	d.countCut(calls)
	d.handIn(&t, calls)
	m := providers.Message{Role: providers.RoleTool}
	for _, c := range calls {
		m.Blocks = append(m.Blocks, answered(c.block, c.answer))
		d.c.Paths = append(d.c.Paths, c.answer.Path)
	}
	d.say(m)
	return t, err
}

// pendingOf are the calls that wait for a person. Where the step ends now nothing
// waits: they are answered.
func (d *dialogue) pendingOf(ctx context.Context, calls []*call) (all []Pending) {
	over := ctx.Err() != nil
	for _, c := range calls {
		over = over || c.err != nil || d.agent.FailOnDenied && c.answer.Status == tools.Denied
		if c.pending != nil {
			all = append(all, *c.pending)
		}
	}
	if !over {
		return all
	}
	for _, c := range calls {
		if c.pending != nil {
			c.answer = refusal("Not run: it waited for a person when the task ended.")
			c.answer.Status = tools.Cancelled
			d.note(c.answerFact(d.c.Turns))
			d.observe(c.finished(d.c.Turns))
		}
	}
	return nil
}

// prepare looks at the calls, and decides which of them can be run at all.
func (d *dialogue) prepare(answer providers.Message) []*call {
	var calls []*call
	made := len(d.c.Calls)
	for _, block := range answer.Calls() {
		c := &call{block: block, input: input(block.Arguments), place: len(calls)}
		calls = append(calls, c)
		if c.hands = d.form.takes(block); c.hands {
			continue
		}
		made++
		most := d.agent.Stop.MaxToolCalls
		switch {
		case most > 0 && made > most:
			c.refused = true
			c.answer = refusal(fmt.Sprintf("Refused: max_tool_calls lets %s through.", quantity.Count(most, "call")))
		case len(calls) > maxTurnCalls:
			c.answer = refusal(fmt.Sprintf("Not run: too many calls in one turn, of which at most %d are run.", maxTurnCalls))
		case cut(answer, block):
			c.answer = refusal("Not run: the call was cut off where the answer became too long. Call again, with less in one call.")
		default:
			c.prepared = d.set.Prepare(block.Name, block.Arguments)
			c.prepared.Number = len(d.c.Paths) + len(calls)
			c.run, c.input = c.prepared.Run, input(c.prepared.Arguments)
		}
	}
	return calls
}

// refusal is the answer to a call that is not run.
func refusal(content string) tools.Answer {
	return tools.Answer{Status: tools.Failed, Content: content}
}

// cut reports whether a call's arguments have lost their end. Such a call is
// never run.
func cut(answer providers.Message, block providers.Block) bool {
	return answer.Finish == providers.FinishLength && !json.Valid(block.Arguments)
}

// input is the arguments as they can be shown: what is no JSON is a string.
func input(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	if json.Valid(arguments) {
		return arguments
	}
	quoted, err := jsonline.Encode(string(arguments))
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}

// count adds an answered call to the conversation's counters.
func (d *dialogue) count(c *call, t *turn) {
	t.refused = t.refused || c.refused
	if c.refused || c.hands {
		return
	}
	called := Called{Tool: c.block.Name, Arguments: c.input, Status: c.answer.Status, Turn: d.c.Turns}
	d.c.Calls = append(d.c.Calls, called)
	t.calls = append(t.calls, called)
	d.c.Streak = d.c.Streak.after(called, c.answer)
	if c.answer.Truncated {
		d.c.Truncated++
	}
	if c.answer.Lost {
		d.c.Lost++
	}
	if c.answer.Status == tools.Denied {
		denial := Denial{Tool: c.block.Name, Input: c.input, Rule: ruleOf(c.answer.Decision)}
		d.c.Denied = append(d.c.Denied, denial)
		t.denied = cmp.Or(t.denied, &denial)
	}
	c.answer.Content += d.c.Streak.warning(d.agent.Stop.RepeatedCalls)
}

// ruleOf names what denied a call: where no rule did, why it is denied.
func ruleOf(d tools.Decision) string {
	if d.Rule != "" {
		return d.Rule
	}
	return d.Reason
}

// countCut counts the turns running of which nothing but cut calls came.
func (d *dialogue) countCut(calls []*call) {
	for _, c := range calls {
		if c.prepared != nil || c.refused || c.hands {
			d.c.CutTurns = 0
			return
		}
	}
	d.c.CutTurns++
}

func answered(block providers.Block, a tools.Answer) providers.Block {
	return providers.Block{
		Type: providers.BlockToolResult, Name: block.Name, CallID: block.ID,
		Content: a.Content, Error: a.Status != tools.Succeeded,
	}
}
