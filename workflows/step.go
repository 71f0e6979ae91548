package workflows

import (
	"encoding/json"
	"strconv"
	"time"
)

// Kind is what a step does, named by the key that it has in the file.
type Kind string

// The kinds of steps.
const (
	KindPrompt Kind = "prompt"
	KindRun    Kind = "run"
	KindTool   Kind = "tool"
	KindAsk    Kind = "ask"
	KindUses   Kind = "uses"
	KindGroup  Kind = "steps"
)

// A Step is one thing to do. Exactly one of Agent, Command, Call, Question,
// Use and Group is set, as Kind says.
type Step struct {
	ID   string // "" when the file gives none: nothing can refer to it
	Name string // ID, or step-<n> with the 1-based place in its list
	Path string // Name, behind the names of the groups around it: group/inner
	Kind Kind
	Pos  Position
	Sum  string // of what the file says of it, steps inside of it and all layout aside

	If    *Condition // nil: success()
	Needs []int      // places, in its list, of the steps that must have ended

	// Depends are those on which what it does depends, and does not merely come
	// after: the ones that the file's needs name, and the ones that the step refers
	// to, itself or in a step inside of it.
	Depends []int

	Foreach     *Value     // nil: the step runs once
	As          string     // the name of the element; "item" where the file names none
	Label       *Template  // what people are told that an element is called; nil: whoever runs it says that
	When        *Condition // of each element: false leaves it out; nil: none is left out
	MaxParallel int        // 4 where the file names none

	Workspace *Template // the folder to work in, inside of the one around it; nil: that one
	Env       Variables // beside those around it

	OnError     OnError
	MaxFailures *MaxFailures // nil: none; only beside OnError that goes on
	Retry       Retry
	Once        bool          // it may not be begun again once it has begun; then Retry is one attempt
	Timeout     time.Duration // with all retries; the default of the kind where the file names none, 0 for uses, groups and questions
	Output      OutputSpec
	Examples    []Example // of the step's own permissions, in the file's order

	Agent    *Agent
	Command  *Command
	Call     *Call
	Question *Question
	Use      *Use
	Group    *Group
}

// OnError is what becomes of the run when a step fails. The zero value stands
// for [OnErrorFail].
type OnError string

// What becomes of the run. It always ends for what is the run's own, such as a
// refused key or a budget that is used up.
const (
	OnErrorFail     OnError = "fail"     // the step's list fails; no further element of it begins
	OnErrorContinue OnError = "continue" // the failure counts as success for what comes after
	OnErrorFinish   OnError = "finish"   // all elements run, then the step fails
)

// GoesOn reports whether further elements begin after one that failed.
func (o OnError) GoesOn() bool { return o == OnErrorContinue || o == OnErrorFinish }

// MaxFailures is how many elements of a step may fail: a number of them, or a
// part of all. After one more no element begins, and the step fails.
type MaxFailures struct {
	Elements int
	Percent  int // of all elements, 0 to 100; only with Relative
	Relative bool
}

// Exceeded reports whether failures of so many elements are too many.
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

// Context is what becomes of a conversation that comes close to its model's
// window.
type Context struct {
	Fixed bool // nothing is taken out of it: one that is too long is an error
}

// OutputKind is the form that a step's result must have.
type OutputKind string

// The forms of a result. The zero value stands for [OutputText].
const (
	OutputText   OutputKind = "text"
	OutputLines  OutputKind = "lines"
	OutputJSON   OutputKind = "json"
	OutputSchema OutputKind = "schema"
)

// An OutputSpec is what a step's result must be.
type OutputSpec struct {
	Kind   OutputKind
	Schema json.RawMessage // with OutputSchema

	keywords any // Schema as data
}

// An Agent asks a model, with tools, until it is done. The defaults of the
// file are merged in.
type Agent struct {
	Prompt       *Template
	System       *Template   // nil: none
	Instructions []*Template // paths of files that are added to the system prompt
	Model        *Value      // a reference, a short name, or a list of them; nil: none named anywhere
	Params       Params
	Tools        []ToolEntry
	Permissions  Permissions // of the step alone; what it does not say itself is that of the agent that it takes
	Takes        string      // the name of the settings that it takes, under "agents"; "": none
	Bounds       Permissions // those of the settings, where the step has some of its own: both have to allow a call
	Stop         Stop
	Truncate     Truncate
	Checks       []Check
	MaxFixes     int // 3 where the file names none
	Context      Context
	Cache        Cache
	FailOnDenied bool
}

// Stop bounds an agent. Zero fields are no bound, but for those that the file
// always has: MaxTurns and RepeatedCalls.
type Stop struct {
	MaxTurns      int // 50 where the file names none
	MaxToolCalls  int
	MaxTokens     int64
	MaxCostUSD    float64
	Timeout       time.Duration
	When          *Condition
	OnTool        []string
	RepeatedCalls int // 5 where the file names none
	AcceptLimit   bool
}

// A Check is judged when the model says that it is done. Exactly one of Script
// and Expr is set.
type Check struct {
	Script *Script
	Expr   *Condition
	Held   *bool  // whether the script is held to the workspace; nil: where the workflow's commands are
	Source string // as the file has it, for messages
	Pos    Position
}

// A Command is a script for the shell.
type Command struct {
	Script *Script
	Held   bool // to the workspace
	Limits Truncate
}

// A Call is one call of a tool, without a model.
type Call struct {
	Tool        string
	With        map[string]*Value
	Permissions Permissions // of the step alone
	Limits      Truncate
}

// A Use runs another workflow.
type Use struct {
	Workflow    *Workflow
	With        map[string]*Value
	Permissions Permissions // of the step alone: a layer above the used workflow's
	Grant       *Grant      // nil: the file says nothing of it
	Name        string      // of the workflow, as the file has it
	Pos         Position    // of that
}

// A Group is a list of steps that run as one.
type Group struct {
	Steps     []*Step
	Until     *Condition // nil: once
	MaxRounds int        // 10 where the file names none
}
