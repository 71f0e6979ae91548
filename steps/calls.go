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

// maxTurnCalls is how many calls of one answer are run. The others are answered as failed.
const maxTurnCalls = 128

// call is a call that the model makes, and its answer.
type call struct {
	block    providers.Block
	input    json.RawMessage // the arguments, always valid JSON
	prepared *tools.Call     // nil for a call that is answered without being run
	place    int             // the index among the calls of the turn
	submits  bool            // it submits the result, and is not a call of a tool
	refused  bool            // it is beyond MaxToolCalls
	cut      bool            // the end of its arguments is missing: it is never run

	run     func(context.Context) (tools.Answer, error) // set with prepared
	answer  tools.Answer
	err     error    // ends the step
	known   bool     // it had ended before the conversation was cut off
	pending *Pending // it waits for a person
	open    bool     // it has not come to an end, and goes on with the conversation
	unknown bool     // it was running when the conversation was cut off, and may have changed something
}

// answerCalls answers every call of an answer, in order. An error is one that the model
// can't mend; the conversation is complete even then.
func (d *dialogue) answerCalls(ctx context.Context, answer providers.Message) (turn, error) {
	t := turn{answer: answer, bound: d.bound}
	if len(answer.Calls()) == 0 || rejected(answer) {
		return t, nil
	}
	d.c.Idle = 0
	calls := d.prepare(answer)
	b := batch{observer: &d.observer, turn: d.c.Turns, failOnDenied: d.agent.FailOnDenied, note: d.note}
	if d.replay.live || d.recall(calls) {
		d.goLive()
		b.run(withRest(ctx, d.rest()), calls)
	}
	if t.pending, t.waits = b.pending(ctx, calls); t.waits { // the turn is not over
		return t, nil
	}
	var err error
	d.c.CutTurns++
	for _, c := range calls {
		if !c.cut {
			d.c.CutTurns = 0
		}
		d.count(c, &t)
		if c.err != nil && err == nil {
			err = withKind(fmt.Errorf("call %d: %w", len(d.c.Calls), c.err), KindTool)
		}
	}
	d.submit(&t, calls)
	m := providers.Message{Role: providers.RoleTool}
	for _, c := range calls {
		m.Blocks = append(m.Blocks, answered(c.block, c.answer))
		d.c.Paths = append(d.c.Paths, c.answer.Path)
	}
	d.say(m)
	if ended := d.endedHere(); ended != nil {
		return t, ended
	}
	if err == nil {
		err = ctx.Err()
	}
	return t, err
}

// rejected reports whether the service itself rejects the answer, whose calls are then not
// run.
func rejected(answer providers.Message) bool {
	return answer.Finish == providers.FinishContentFilter || answer.Finish == providers.FinishError
}

// pending returns the calls about which a person has to be asked, and whether the turn waits for a person,
// because of them or inside of a call. If the step ends now it does not, and they are answered.
func (b *batch) pending(ctx context.Context, calls []*call) (all []Pending, waits bool) {
	over := ctx.Err() != nil
	for _, c := range calls {
		over = over || c.err != nil || b.failOnDenied && c.answer.Status == tools.Denied
		if c.pending != nil {
			all = append(all, *c.pending)
		}
		waits = waits || c.pending != nil || c.open
	}
	if !over {
		return all, waits
	}
	for _, c := range calls {
		if c.pending != nil {
			c.answer = refusal("Not run: it waited for a person when the task ended.")
			c.answer.Status = tools.Cancelled
			b.end(c)
		}
	}
	return nil, false
}

// prepare returns the calls of an answer, and answers those that can't be run.
func (d *dialogue) prepare(answer providers.Message) []*call {
	var calls []*call
	made := d.c.counted().Calls
	for _, block := range answer.Calls() {
		c := &call{block: block, input: input(block.Arguments), place: len(calls)}
		calls = append(calls, c)
		if c.submits = d.form.submits(block); c.submits {
			continue
		}
		made++
		c.cut = answer.Finish == providers.FinishLength && !json.Valid(block.Arguments)
		most := d.agent.Stop.MaxToolCalls
		switch {
		case most > 0 && made > most:
			c.refused = true
			c.answer = refusal(fmt.Sprintf("Refused: max_tool_calls lets %s through.", quantity.Count(most, "call")))
		case d.c.Done != "":
			c.answer = refusal("Not run: the task is done but for its result.")
		case len(calls) > maxTurnCalls:
			c.answer = refusal(fmt.Sprintf("Not run: too many calls in one turn, of which at most %d are run.", maxTurnCalls))
		case c.cut:
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

// input returns arguments in the form to show: those that are not JSON as a string.
func input(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	if json.Valid(arguments) {
		return arguments
	}
	quoted, _ := jsonline.Encode(string(arguments)) // a string always can be
	return quoted
}

// count adds an answered call to the conversation's counters.
func (d *dialogue) count(c *call, t *turn) {
	t.refused = t.refused || c.refused
	if c.refused || c.submits {
		return
	}
	called := Called{Tool: c.block.Name, Arguments: c.input, Status: c.answer.Status, Turn: d.c.Turns}
	d.c.Calls = append(d.c.Calls, called)
	t.calls = append(t.calls, called)
	d.c.Streak = d.c.Streak.after(called, c.answer)
	d.c.count(c.answer.Truncated, c.answer.Lost)
	d.c.Inside.Tokens += c.answer.Spent.Tokens
	d.c.Inside.CostUSD += c.answer.Spent.CostUSD
	if c.answer.Status == tools.Denied {
		d.c.Denied = append(d.c.Denied, Denial{Tool: c.block.Name, Input: c.input, Rule: ruleOf(c.answer.Decision)})
		t.denied = cmp.Or(t.denied, c)
	}
	c.answer.Content += d.c.Streak.warning(d.agent.Stop.RepeatedCalls)
}

// ruleOf returns the rule that denied a call, or else the reason.
func ruleOf(d tools.Decision) string {
	if d.Rule != "" {
		return d.Rule
	}
	return d.Reason
}

func answered(block providers.Block, a tools.Answer) providers.Block {
	return providers.Block{
		Type: providers.BlockToolResult, Name: block.Name, CallID: block.ID,
		Content: a.Content, Error: a.Status != tools.Succeeded,
	}
}
