package workflows

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// Kind is what a step does, named by the key that it has in the file.
type Kind = format.Kind

// The kinds of steps.
const (
	KindPrompt Kind = "prompt"
	KindRun    Kind = "run"
	KindTool   Kind = "tool"
	KindAsk    Kind = "ask"
	KindUses   Kind = "uses"
	KindGroup  Kind = "steps"
	KindEnd    Kind = "end"
)

// A Step is one thing to do. Exactly one of Agent, Command, Call, Question,
// Use, Group and End is set, as Kind says.
type Step struct {
	ID   string // "" when the file gives none: nothing can refer to it
	Name string // ID, or step-<n> with the 1-based index in its list
	Path string // Name, behind the names of the groups around it: group/inner
	Kind Kind
	Pos  Position
	Sum  string // a checksum of its part of the file, without steps in it, its limits and the layout

	If    *Condition // nil: success()
	Needs []int      // indexes, in its list, of the steps that must have ended

	// Depends are the steps whose results it uses, rather than only waiting for them:
	// those that the file lists under needs, and those that it or a step in it refers to.
	Depends []int

	Foreach     *Value     // nil: the step runs once
	As          string     // the name of the element; default "item"
	Label       *Template  // the name of an element for people; nil: the runner chooses one
	When        *Condition // of each element: false skips it; nil: none is skipped
	MaxParallel int        // default 4

	Workspace *Template // the working directory, inside the one around it; nil: that one
	Env       Variables // in addition to those around it

	OnError     OnError
	MaxFailures *MaxFailures // nil: no bound; only with OnErrorContinue and OnErrorFinish
	Retry       Retry
	Once        bool          // it must not start a second time; then Retry has one attempt
	Budget      Budget        // of all that is inside it: of its elements, its group, or the workflow that it uses
	Timeout     time.Duration // for all attempts; the default depends on the kind: 0, none, for uses, groups and questions
	Output      OutputSpec
	Truncate    Truncate          // of what its tools or its command print
	With        map[string]*Value // the arguments of the tool, or the inputs of the workflow that it uses
	Permissions Permissions       // of calls in it; with an agent that it takes, over those of that one
	Examples    []Example         // of the step's own permissions, in the file's order

	Agent    *Agent
	Command  *Command
	Call     *Call
	Question *Question
	Use      *Use
	Group    *Group
	End      *End

	OfferedBy *Step // the agent whose model may call it as a tool; nil: it stands in a list of steps

	node     *tree.Node
	needs    []word
	returned types.Type // by the workflow that it uses, or by its outputs; nil: that is not known
}

// OnError says what a failed step means for the run. The zero value means [OnErrorFail].
type OnError string

// The values of OnError. Failures of the run itself, such as a refused key or a spent
// budget, always end it.
const (
	OnErrorFail     OnError = "fail"     // the step's list fails; no further element of it begins
	OnErrorContinue OnError = "continue" // the failure counts as success for what comes after
	OnErrorFinish   OnError = "finish"   // all elements run, then the step fails
)

// GoesOn reports whether further elements start after one has failed.
func (o OnError) GoesOn() bool { return o == OnErrorContinue || o == OnErrorFinish }

// MaxFailures is how many elements of a step may fail: a number, or a percentage of all.
// After one more no element starts, and the step fails.
type MaxFailures struct {
	Elements int
	Percent  int // of all elements, 0 to 100; only with Relative
	Relative bool
}

// Exceeded reports whether there are too many failures among the elements. A nil
// MaxFailures is never exceeded.
func (m *MaxFailures) Exceeded(failures, elements int) bool {
	switch {
	case m == nil:
		return false
	case m.Relative:
		return failures*100 > m.Percent*elements
	}
	return failures > m.Elements
}

// String is the bound as a file has it.
func (m *MaxFailures) String() string {
	if m.Relative {
		return strconv.Itoa(m.Percent) + "%"
	}
	return strconv.Itoa(m.Elements)
}

// Context says how a conversation stays within its model's window.
type Context struct {
	Fixed bool // nothing is removed from it: a conversation that is too long is an error
}

// OutputKind is the form that a step's result must have.
type OutputKind string

// The forms of a result. The zero value means [OutputText].
const (
	OutputText   OutputKind = "text"
	OutputLines  OutputKind = "lines"
	OutputJSON   OutputKind = "json"
	OutputSchema OutputKind = "schema"
)

// An OutputSpec is the form of a step's result.
type OutputSpec struct {
	Kind   OutputKind      `json:"kind"`
	Schema json.RawMessage `json:"schema,omitempty"` // with OutputSchema

	keywords any // Schema as data
}

// An Agent asks a model, with tools, until it is done. The file's defaults are merged in.
type Agent struct {
	Prompt       *Template
	System       *Template   // nil: none
	Instructions []*Template // paths of files that are added to the system prompt
	Model        *Value      // provider/model, a short name, or a list of them; nil: none
	Params       Params
	Tools        []ToolEntry
	Takes        string      // the agent that the step takes, by its name under "agents"; "": none
	Bounds       Permissions // of that agent, where the step has permissions too: both must allow a call
	Stop         Stop
	Checks       []Check
	MaxFixes     int // default 3
	Context      Context
	Cache        Cache
	FailOnDenied bool
}

// Stop bounds an agent. A zero field is no bound; MaxTurns and RepeatedCalls are never zero.
type Stop struct {
	MaxTurns      int // default 50
	MaxToolCalls  int
	MaxTokens     int64
	MaxCostUSD    float64
	Timeout       time.Duration
	When          *Condition
	OnTool        []string
	RepeatedCalls int // default 5
	AcceptLimit   bool
}

// A Check is judged when the model says that it is done. Exactly one of Script
// and Expr is set.
type Check struct {
	Script *Script
	Expr   *Condition
	Held   *bool  // whether the script is held to the workspace; nil: as the workflow's commands are
	Source string // as the file has it, for messages
	Pos    Position
}

// A Command is a script for the shell.
type Command struct {
	Script *Script
	Held   bool // to the workspace
}

// A Call is one call of a tool, without a model. Its arguments are those of the step.
type Call struct{ Tool string }

// A Use runs another workflow, with the inputs of the step.
type Use struct {
	Workflow *Workflow
	Grant    *Grant   // nil: the file has none
	Name     string   // of the workflow, as the file has it
	Pos      Position // of Name
}

// An End ends the list of steps in which it stands: the group, or the workflow.
type End struct {
	Fails   bool      // the list fails; else it succeeds
	Message *Template // nil: none
}

// A Group is a list of steps that run as one.
type Group struct {
	Steps     []*Step
	Until     *Condition // nil: once
	MaxRounds int        // default 10
	Outputs   []Output   // in the file's order; none: the output is that of the last step that ran
}
