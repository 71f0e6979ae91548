package steps

import "encoding/json"

// Status says how a step ended.
type Status string

// The statuses of a step. A step that has not ended has none.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Skipped   Status = "skipped"
	Stopped   Status = "stopped" // a limit ended it; the result has what there was
	Cancelled Status = "cancelled"
	Waiting   Status = "waiting" // for a person: calls of the last turn are pending
)

// Reason says why a step ended.
type Reason string

// The reasons. Results, events and messages use the same words.
const (
	ReasonCompleted     Reason = "completed"
	ReasonCondition     Reason = "condition"
	ReasonTool          Reason = "tool"
	ReasonMaxTurns      Reason = "max_turns"
	ReasonMaxRounds     Reason = "max_rounds"
	ReasonMaxToolCalls  Reason = "max_tool_calls"
	ReasonMaxTokens     Reason = "max_tokens"
	ReasonMaxCost       Reason = "max_cost"
	ReasonTimeout       Reason = "timeout"
	ReasonRepeatedCalls Reason = "repeated_calls"
	ReasonOutputLimit   Reason = "output_limit"
	ReasonContentFilter Reason = "content_filter"
	ReasonInvalidOutput Reason = "invalid_output"
	ReasonCheckFailed   Reason = "check_failed"
	ReasonDenied        Reason = "denied"
	ReasonBudget        Reason = "budget"
	ReasonRateLimited   Reason = "rate_limited"
	ReasonCancelled     Reason = "cancelled"
	ReasonError         Reason = "error"
)

// Result is the result of one step, or of one element of it. Fields that do not apply are
// zero.
type Result struct {
	Status     Status `json:"status,omitempty"`
	StopReason Reason `json:"stop_reason,omitempty"`

	// Text is the last text of the model, or the output of a command or a tool, whatever
	// the status. Output is the value of the result: for text the text, for lines a list
	// of strings, for JSON the value, with whole numbers as ints. It is nil if there was
	// no valid one. Both are whole. Cut is the text within the step's limits, of a command
	// or a tool, and nil if that is the whole text.
	Text    string `json:"text,omitempty"`
	Output  any    `json:"output,omitempty"`
	Cut     *Cut   `json:"-"`
	Partial bool   `json:"partial,omitempty"` // Text is incomplete: a limit or a failure cut it off

	Used

	// Of commands:
	ExitCode *int   `json:"exit_code,omitempty"`
	Stdout   string `json:"stdout,omitempty"`
	Stderr   string `json:"stderr,omitempty"`

	Comment *string `json:"comment,omitempty"` // of a question that asks for one; nil: it has no answer

	Pending []Pending `json:"-"` // with Waiting: the calls about which a person has to be asked

	Error *Error `json:"error,omitempty"`
}

// Pending is a call that waits for a person.
type Pending struct {
	Turn      int             `json:"turn"`
	Place     int             `json:"place"` // the index among the calls of the turn
	ID        string          `json:"call_id,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Rule      string          `json:"rule,omitempty"` // the rule that asks
}

// Cut is a text that was longer than the step's limits.
type Cut struct {
	Shown string // with a note in the place of what was left out
	Path  string // of the file with the whole text, masked, or ""
}

// Denial is a call that the policy denied.
type Denial struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Rule  string          `json:"rule"`
}
