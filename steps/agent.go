// Package steps runs one step of a workflow: an [Agent], which asks a model and
// answers its calls until it is done; a [Command], which runs a script; a
// [ToolCall], which makes one call without a model. Each of them is a struct
// with all that it needs, and has a Run that comes back with a [Result]:
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
// What goes wrong is told by the result, in the words of [Reason] and [Kind],
// and never lost: what a step had said and spent by then is there.
//
// The package knows no workflow file, no expressions and no vendor, and masks
// nothing but what a model is told. Conditions and checks are functions;
// retries, budgets and the time of a whole step are the caller's, by way of
// [Hooks] and the context's cause.
package steps

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// An Agent asks a model, with tools, until it is done. It holds what one
// attempt of one step needs, everything rendered; it is not changed by Run.
type Agent struct {
	Model  providers.Model
	System string
	Prompt string
	Params providers.Params
	Tools  *tools.Set // nil: none
	Stop   Stop
	Output Output

	Context Context // how the conversation stays within the model's window

	Checks       []Check
	MaxFixes     int  // how often a failed check goes back to the model
	FailOnDenied bool // a denied call ends the step; none begins after it

	Step, Conversation string // see [providers.Request]

	Hooks Hooks
}

// Hooks are what a step calls while it runs. Nil ones are left out.
type Hooks struct {
	Observe func(Event)             // each event, one at a time, in order
	Whole   bool                    // Observe wants no block_delta
	Record  func(providers.Message) // each message of the conversation, as it comes to be; the system prompt first, with the role "system"
	Price   func(model string, u providers.Usage) (usd float64, known bool)

	// Remember is given each fact, from several goroutines, before anything that
	// hangs on it begins. What Agent.From goes on from is not given again.
	Remember func(Fact)

	// Reserve is asked before each request; an [Error] of the kind budget stops
	// the step.
	Reserve func(context.Context, Estimate) (Grant, error)
}

// A Grant is leave to make a request.
type Grant struct {
	OutputTokens int64              // the answer may be no longer; 0 sets no bound
	Cause        error              // wrapped by the error of an answer that was cut off there
	Settle       func(used []Spent) // called once the request has ended, however it did
}

// Spent is what a model used for an answer, or for one that broke off.
type Spent struct {
	Model string          `json:"model"` // its reference
	Usage providers.Usage `json:"usage"`
}

// An Estimate is what a request is expected to cost at most, before it is
// made.
type Estimate struct {
	Model        string // the reference of the one that is asked first
	InputTokens  int64  // guessed from what was counted so far and the bytes since
	OutputTokens int64  // the most that was asked for, or what is likely
	LeastOutput  int64  // a shorter answer would be of no use
}

// Stop bounds an agent. Zero fields are no bound.
//
// At a limit the model has one last turn, without tools, to say what it has;
// the turn is not counted, but what it uses is. OnTool and When are success,
// once the result fits and the checks hold.
//
// When the Timeout is over, what runs is cancelled: an answer that is coming in
// is dropped, calls are answered as cancelled. The last turn comes after that,
// within the time of Run's own context.
type Stop struct {
	Timeout       time.Duration
	MaxTurns      int
	MaxToolCalls  int // let through, denied ones too; the next is refused
	MaxTokens     int64
	MaxCostUSD    float64
	RepeatedCalls int                       // the same call with the same result, so often running
	OnTool        []string                  // such a call, once it succeeded
	When          func(State) (bool, error) // asked after each turn, the last one too

	// AcceptLimit takes the result of a limit's last turn for success, if it is
	// whole, fits and passes the checks. A budget and an answer that was cut off
	// leave no last turn, and are never success.
	AcceptLimit bool
}

// State is what a stop condition sees after a turn.
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

// Output is the form that an agent's or a command's result must have.
type Output struct {
	Kind   OutputKind
	Schema *tools.Schema   // with OutputSchema
	Source json.RawMessage // the schema as it was written
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

// A Check is judged when the model says that it is done.
type Check struct {
	Name string // as the file has it

	// Run judges a result. An error is for what the model can't mend.
	Run func(ctx context.Context, output any, text string) (Judgement, error)
}

// A Judgement is what a check says of a result. The model and the user see it
// where the result is not good, masked as the tools' answers are.
type Judgement struct {
	Good    bool
	Problem string // what is wrong
	Name    string // the check with the values that it had; "": as the file has it
}
