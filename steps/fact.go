package steps

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Fact is something in a conversation that may be different another time: a model's answer,
// the result of a call, the outcome of a check. From all facts of a conversation, in order,
// [Agent.From] can continue it: everything else follows from them. A Fact can be stored as
// JSON. Only one of its fields is set.
type Fact struct {
	Model       *FirstModel  `json:"asked,omitempty"`
	Answer      *Answer      `json:"said,omitempty"`
	CallStarted *CallStarted `json:"call,omitempty"`
	CallEnded   *CallEnded   `json:"answer,omitempty"`
	Approval    *Approval    `json:"told,omitempty"`
	When        *bool        `json:"when,omitempty"`    // whether the stop condition held
	Check       *Verdict     `json:"check,omitempty"`   // of all checks of a result
	Kept        *string      `json:"kept,omitempty"`    // the file with a result that was taken out of the conversation, or ""
	TimeUp      bool         `json:"time_up,omitempty"` // the step's own timeout was over

	Budget *Error `json:"budget,omitempty"` // a budget that [Error.Continues] was used up

	// Ended says that the step ended here, at a limit, at a budget or because it was cancelled, and
	// continues: every limit counts from here. It is not stored: whoever keeps the facts knows.
	Ended bool `json:"-"`
}

// FirstModel is what the conversation depends on of its first model. It is the first fact.
type FirstModel struct {
	Model           string `json:"model"`
	Context         int64  `json:"context,omitempty"`
	Structured      bool   `json:"structured,omitempty"`
	StructuredAlone bool   `json:"structured_alone,omitempty"`
}

// Answer is the end of a request: an answer, whole or broken off.
type Answer struct {
	Turn    int               `json:"turn"` // from 1; the closing turn is one more than the last
	Message providers.Message `json:"message"`
	Used    []Spent           `json:"used,omitempty"`  // by the request, with answers that broke off before
	Bound   Reason            `json:"bound,omitempty"` // budget, if one limited the length of the answer
	Saved   *providers.Usage  `json:"saved,omitempty"` // what a cached answer would have used
	Retries int               `json:"retries,omitempty"`
	Error   *Failure          `json:"error,omitempty"` // set if the request failed
	Cut     bool              `json:"cut,omitempty"`   // it was interrupted: its usage counts, and the request is made again
	Last    bool              `json:"last,omitempty"`  // it was asked for at a limit, and is no part of a conversation that continues
}

// Failure is why a request failed.
type Failure struct {
	Kind    providers.Kind `json:"kind"`
	Message string         `json:"message"`
}

// CallStarted is a call that is about to run.
type CallStarted struct {
	Turn      int             `json:"turn"`
	Place     int             `json:"place"` // the index among the calls of the turn
	ID        string          `json:"call_id,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Writes    bool            `json:"writes,omitempty"` // it may change something
	Rule      string          `json:"rule,omitempty"`   // the rule that allowed it
}

// CallEnded is the end of a call, and its answer.
type CallEnded struct {
	Turn      int          `json:"turn"`
	Place     int          `json:"place"`
	ID        string       `json:"call_id,omitempty"`
	Status    tools.Status `json:"status"`
	Content   string       `json:"content"`
	Whole     string       `json:"whole,omitempty"` // the file with a truncated output
	Truncated bool         `json:"truncated,omitempty"`
	Lost      bool         `json:"lost,omitempty"`
	Rule      string       `json:"rule,omitempty"`   // the rule that denied it
	Reason    string       `json:"reason,omitempty"` // why it was denied

	// Tool and Arguments are those of a call that was denied: no [CallStarted] has them.
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`

	Error string       `json:"error,omitempty"` // the error that ended the step
	Spent tools.Amount `json:"spent,omitzero"`  // by models that the call has asked
}

// Approval is a person's answer about a call that was [Pending].
type Approval struct {
	Turn    int    `json:"turn"`
	Place   int    `json:"place"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // why it is denied, for the model; "": the person gave none
}

// Ask is a [tools.Asker] that returns the person's answer.
func (a Approval) Ask(_ context.Context, _ string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
	if a.Allowed {
		d.Verdict = tools.Allow
		return d, nil
	}
	reason := "a person denied the call"
	if a.Reason != "" {
		reason += ": " + a.Reason
	}
	return d.Deny(reason, "denied by a person"), nil
}

// Verdict is the verdict of all checks. It is empty if every check passes.
type Verdict struct {
	Problem string `json:"problem,omitempty"`
	Failed  []int  `json:"failed,omitempty"` // the indexes of the failed checks
}

// Past is what is known of a conversation that was cut off. The zero value is for one that
// has not begun.
type Past struct {
	Facts  []Fact
	Worked time.Duration // how much of Stop.Timeout is over
}
