package steps

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A Fact is one thing that an agent came to and that would not come the same
// another time: what a model answered, what a call came to, how a check went. All
// facts of a conversation, in their order, are what [Agent.From] goes on from:
// everything else follows from them. A Fact is JSON; one of its fields is set.
type Fact struct {
	Asked  *Asked      `json:"asked,omitempty"`
	Said   *Said       `json:"said,omitempty"`
	Call   *Intent     `json:"call,omitempty"`
	Answer *CallAnswer `json:"answer,omitempty"`
	Told   *Approval   `json:"told,omitempty"`
	When   *bool       `json:"when,omitempty"`  // whether the stop condition held
	Check  *Verdict    `json:"check,omitempty"` // of all checks of a result
	Kept   *string     `json:"kept,omitempty"`  // the file that has a result that was taken out of the conversation; "": none
	TimeUp bool        `json:"time_up,omitempty"`
}

// Asked is what the first model of a conversation is, as far as the conversation
// depends on that. It is the first fact.
type Asked struct {
	Model           string `json:"model"`
	Context         int64  `json:"context,omitempty"`
	Structured      bool   `json:"structured,omitempty"`
	StructuredAlone bool   `json:"structured_alone,omitempty"`
}

// Said is what a request came to: an answer, or one that broke off.
type Said struct {
	Turn    int               `json:"turn"` // from 1; that of the closing turn is one more than the last
	Message providers.Message `json:"message"`
	Used    []Spent           `json:"used,omitempty"`  // by the request, with what broke off before the answer
	Bound   Reason            `json:"bound,omitempty"` // why the answer could be no longer than it is
	Saved   *providers.Usage  `json:"saved,omitempty"` // what it would have used, of an answer that was cached
	Retries int               `json:"retries,omitempty"`
	Error   *Failure          `json:"error,omitempty"` // the request failed
	Cut     bool              `json:"cut,omitempty"`   // it was interrupted: what was used counts, and the request is made again
}

// A Failure is why a request failed.
type Failure struct {
	Kind    providers.Kind `json:"kind"`
	Message string         `json:"message"`
}

// An Intent is a call that is about to run.
type Intent struct {
	Turn      int             `json:"turn"`
	Place     int             `json:"place"` // among the calls of the turn, from 0
	ID        string          `json:"call_id,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Writes    bool            `json:"writes,omitempty"` // it may change something
	Rule      string          `json:"rule,omitempty"`   // that allowed it
}

// A CallAnswer is what a call came to.
type CallAnswer struct {
	Turn      int          `json:"turn"`
	Place     int          `json:"place"`
	ID        string       `json:"call_id,omitempty"`
	Status    tools.Status `json:"status"`
	Content   string       `json:"content"`
	Whole     string       `json:"whole,omitempty"` // the file of a truncated output
	Truncated bool         `json:"truncated,omitempty"`
	Lost      bool         `json:"lost,omitempty"`
	Rule      string       `json:"rule,omitempty"`   // that denied it
	Reason    string       `json:"reason,omitempty"` // why it was denied
	Error     string       `json:"error,omitempty"`  // what ended the step
}

// An Approval is what a person has said of a call that was [Pending].
type Approval struct {
	Turn    int  `json:"turn"`
	Place   int  `json:"place"`
	Allowed bool `json:"allowed"`
}

// ask is the asker who has asked the person before.
func (a Approval) ask(_ context.Context, _ string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
	if a.Allowed {
		d.Verdict = tools.Allow
		return d, nil
	}
	return d.Deny("denied by a person", "denied by a person"), nil
}

// A Verdict is what is wrong with a result; empty where every check holds.
type Verdict struct {
	Problem string `json:"problem,omitempty"`
	Failed  []int  `json:"failed,omitempty"` // the checks that do not hold, by their places from 0
}

// A Past is what is known of a conversation that was cut off. The zero value is
// that of one that has not begun.
type Past struct {
	Facts  []Fact
	Worked time.Duration // what of Stop.Timeout has passed
}

func (c *call) intent(turn int, d tools.Decision) Fact {
	return Fact{Call: &Intent{
		Turn: turn, Place: c.place, ID: c.block.ID, Tool: c.block.Name, Arguments: c.input,
		Writes: c.prepared.Writes(), Rule: d.Rule,
	}}
}

// answered is the fact that the call has ended.
func (c *call) answerFact(turn int) Fact {
	a := &CallAnswer{
		Turn: turn, Place: c.place, ID: c.block.ID, Status: c.answer.Status, Content: c.answer.Content,
		Whole: c.answer.Path, Truncated: c.answer.Truncated, Lost: c.answer.Lost,
	}
	if c.answer.Status == tools.Denied {
		a.Rule, a.Reason = c.answer.Decision.Rule, c.answer.Decision.Reason
	}
	if c.err != nil {
		a.Error = c.err.Error()
	}
	return Fact{Answer: a}
}
