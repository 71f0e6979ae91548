package steps

import (
	"context"
	"encoding/json"

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

	Checks       []Check
	MaxFixes     int // how often a failed check goes back to the model
	FailOnDenied bool

	Step         string // see [providers.Request]
	Place        string
	Conversation string

	Hooks Hooks
}

// Hooks are what a step tells and asks while it runs. Nil ones are left out.
type Hooks struct {
	Observe func(Event)             // each event, one at a time, in order
	Record  func(providers.Message) // each message of the conversation, as it comes to be; the system prompt first, with the role "system"
	Price   func(model string, u providers.Usage) (usd float64, known bool)
	Reserve func(ctx context.Context, estimate Estimate) (settle func(model string, u providers.Usage), err error)
}

// An Estimate is what a request is expected to cost at most, before it is
// made.
type Estimate struct {
	Model        string
	InputTokens  int64
	OutputTokens int64
}

// Stop bounds an agent. Zero fields are no bound.
type Stop struct {
	MaxTurns      int
	MaxToolCalls  int
	MaxTokens     int64
	MaxCostUSD    float64
	RepeatedCalls int
	OnTool        []string
	When          func(State) (bool, error)
	AcceptLimit   bool // a limit's result counts as success
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
	Name string // what the model and the user see of it

	// Run reports whether the result is good, and if not, what is wrong with
	// it. An error is for what the model can't mend.
	Run func(ctx context.Context, output any, text string) (good bool, problem string, err error)
}
