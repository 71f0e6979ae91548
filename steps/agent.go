// Package steps runs one step of a workflow: an [Agent], which asks a model and answers its
// calls until it is done; a [Command], which runs a script; or a [ToolCall], which makes one
// call without a model. Each is a struct with all that it needs, and has a method Run that
// returns a [Result]:
//
//	agent := steps.Agent{
//		Model:  model, // any providers.Model
//		Prompt: "Which packages have no tests?",
//		Tools:  set,   // a *tools.Set
//		Stop:   steps.Stop{MaxTurns: 30},
//	}
//	result := agent.Run(ctx)
//	fmt.Println(result.Status, result.Text)
//
// The result says what went wrong, as a [Reason] and a [Kind], and has what the step had
// said and spent by then.
//
// The package knows no workflow files, expressions or vendors, and masks only what a model
// is told. Conditions and checks are functions. The caller does retries, budgets and the
// timeout of a whole step, through [Hooks] and the context's cause.
package steps

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Agent asks a model, with tools, until it is done. It has all that one attempt of one step
// needs, rendered. Run does not change it.
type Agent struct {
	Model  providers.Model
	System string
	Prompt string
	Params providers.Params
	Tools  *tools.Set // nil is no tools
	Stop   Stop
	Output Output

	// Closing ends the work of the agent when it is done: what runs is cancelled, and a last turn
	// follows. Its cause is an [Error] that Continues. Nil is never done.
	Closing context.Context

	Context Context // how the conversation stays within the model's window

	Checks       []Check
	MaxFixes     int  // how often a failed check goes back to the model
	FailOnDenied bool // a denied call ends the step, and no call starts after it

	Step, Conversation string // see [providers.Request]

	Hooks Hooks
}

// Hooks are functions that a step calls while it runs. Each may be nil.
type Hooks struct {
	Observe  func(Event) // called for each event, one at a time, in order
	NoDeltas bool        // Observe is not called for block_delta
	Price    func(model string, u providers.Usage) (usd float64, known bool)

	// Remember is called for each fact, concurrently, before anything starts that depends
	// on the fact. It is not called for the facts with which Agent.From started.
	Remember func(Fact)

	// Reserve is called before each request whose answer is not cached. If it returns an [Error] of the kind budget,
	// the step is stopped; if that error Continues, after a last turn.
	Reserve func(context.Context, Estimate) (Grant, error)
}

// Grant is the permission to make a request.
type Grant struct {
	OutputTokens int64              // limits the length of the answer; 0 is no limit
	BudgetOf     string             // whose budget sets that limit, for the error if the answer was cut off there
	Settle       func(used []Spent) // called when the request has ended in any way
}

// Spent is what a model used for an answer, whole or broken off.
type Spent struct {
	Model   string          `json:"model"` // its reference
	Usage   providers.Usage `json:"usage"`
	CostUSD *float64        `json:"cost_usd,omitempty"` // nil: not known, or not asked for
}

// Estimate is what a request is expected to cost at most.
type Estimate struct {
	Model        string // the reference of the model that is asked first
	InputTokens  int64  // estimated from what was counted so far, and the bytes since then
	Last         bool   // it is for the last turn at a limit
	OutputTokens int64  // the most that was asked for, or else a likely number
	LeastOutput  int64  // the length of the shortest useful answer
}

// Stop limits an agent. A zero field is no limit.
//
// At a limit the model gets one last turn, without tools, to give what it has. The turn
// does not count, but its usage does. OnTool and When are success, if the result is valid
// and the checks pass.
//
// After the Timeout, whatever is running is cancelled: an unfinished answer is dropped, and
// calls are answered as cancelled. The last turn comes after that, as long as Run's own
// context lives.
type Stop struct {
	Timeout       time.Duration             `json:"timeout_ns,omitempty"`
	MaxTurns      int                       `json:"max_turns,omitempty"`
	MaxToolCalls  int                       `json:"max_tool_calls,omitempty"` // counts denied calls too; the next call is refused
	MaxTokens     int64                     `json:"max_tokens,omitempty"`
	MaxCostUSD    float64                   `json:"max_cost_usd,omitempty"`
	RepeatedCalls int                       `json:"repeated_calls,omitempty"` // how often in a row the same call has the same result
	OnTool        []string                  `json:"on_tool,omitempty"`        // ends the step when a call of such a tool has succeeded
	When          func(State) (bool, error) `json:"-"`                        // called after each turn, even the last

	// AcceptLimit takes the result of the last turn at a limit for success, if it is valid and
	// passes the checks; also an answer that was cut off because it became too long, for which
	// there is no last turn. After a budget there is no success.
	AcceptLimit bool `json:"accept_limit,omitempty"`
}

// State is what a stop condition gets after a turn.
type State struct {
	Turn     int
	Text     string // of the turn
	Finished bool   // the model ended its turn without calls
	Usage    providers.Usage
	CostUSD  float64
	Calls    []Called // all calls so far, in order
}

// Called is a call that was answered.
type Called struct {
	Tool      string
	Arguments json.RawMessage
	Status    tools.Status
	Turn      int
}

// Output is the required form of a result.
type Output struct {
	Kind   OutputKind
	Schema *tools.Schema   // with OutputSchema: [tools.CompileSchema] of Source
	Source json.RawMessage // the schema as written
}

// OutputKind is the form of a result. The zero value is text.
type OutputKind string

// The forms of a result.
const (
	OutputText   OutputKind = "text"
	OutputLines  OutputKind = "lines"
	OutputJSON   OutputKind = "json"
	OutputSchema OutputKind = "schema"
)

// Check judges the result when the model says that it is done.
type Check struct {
	Name string // as in the workflow

	// Run judges a result. An error is for what the model can't mend.
	Run func(ctx context.Context, output any, text string) (Judgement, error)
}

// Judgement is the judgement of a check on a result. If the result is not good, the model
// and the user see it, masked like the answers of tools.
type Judgement struct {
	Good    bool
	Problem string // what is wrong
	Name    string // the check with its values; "" is Check.Name
}
