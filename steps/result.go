package steps

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Status is how a step ended.
type Status string

// The statuses of a step. A step that has not ended has none.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Skipped   Status = "skipped"
	Stopped   Status = "stopped" // a limit ended it; what there was is kept
	Cancelled Status = "cancelled"
	Waiting   Status = "waiting" // for a person: calls of its last turn are kept pending
)

// Reason is why a step came to its end.
type Reason string

// The reasons, the same words in results, events and messages.
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

// A Result is what one step, or one element of it, came to. Fields that do not
// apply are zero.
type Result struct {
	Status     Status
	StopReason Reason

	// Text is what was said or printed last, whatever the status. Output is the
	// result in its form: for text that text, for lines a list of strings, for
	// JSON the value, its whole numbers as ints. It is nil where none was given
	// that fits. Both are whole; Cut is what the step's limits leave of a text that
	// a command or a tool printed, and nil where that is all of it.
	Text    string
	Output  any
	Cut     *Cut
	Partial bool // Text is a part of what was to come: a limit or a failure cut it off

	// Of agents:
	Turns     int
	ToolCalls int
	Denied    []Denial
	Truncated int // outputs that are not shown whole
	Lost      int // those of them that are kept nowhere: no file, or a full disk
	Usage     *providers.Usage
	CostUSD   *float64
	Unpriced  []string // models whose price is not known: CostUSD is nil then
	Cached    int      // turns whose answer was kept from before
	SavedUSD  float64  // what these would have cost, as far as prices are known

	// Of commands:
	ExitCode *int
	Stdout   string
	Stderr   string

	Pending []Pending // with Waiting: what a person has to be asked

	Error *Error
}

// A Pending call waits for a person.
type Pending struct {
	Turn      int             `json:"turn"`
	Place     int             `json:"place"` // among the calls of the turn, from 0
	ID        string          `json:"call_id,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Rule      string          `json:"rule,omitempty"` // that asks
}

// A Cut is what is shown of a text that is longer than the step's limits.
type Cut struct {
	Shown string // with a mark where something was left out
	Path  string // of the file that was made for the whole, masked; "" where there is none
}

// A Denial is a call that the policy refused.
type Denial struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Rule  string          `json:"rule"`
}
