package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options say what to run, and with what.
type Options struct {
	Workflow *workflows.Workflow
	Inputs   map[string]any // as [workflows.Workflow.CheckInputs] returns them

	ID        string // of the run
	Dir       string // the run's folder; made by Run, with its parents
	Workspace string // the folder to work in, whatever the workflow says; empty: as it says, or the current folder

	// Elsewhere says that the workflow is not the caller's own: it stays in Workspace,
	// or the current folder, and reads files of that and of its own folder only.
	Elsewhere bool
	Recipe    string // the reference that it was named by; "": by a path

	Model       string        // the reference of the model for every step; empty: as the workflow says
	MaxParallel int           // steps and elements that run at once; 64 when 0
	Grace       time.Duration // how long steps whose condition asks always() go on, or begin, after Run's context was ended from outside; 0: not at all

	BudgetUSD *float64 // in place of the workflow's; nil: as the workflow says; 0: nothing may be spent

	// Models returns the model of a reference, with its retries and limits
	// around it. The same reference gives the same model. Nil: there is none.
	Models func(ref string, w *workflows.Workflow) (providers.Model, error)

	// Tools returns the tools that one step may be offered, and what guards
	// them. ctx is that of the step, an element or an attempt of it, that asks
	// first: all of them share what it gets, an error too, unless ctx has ended
	// by then. What lasts longer than the call must not hang on ctx. Nil: there
	// are none.
	Tools func(ctx context.Context, scope ToolScope) (Toolbox, error)

	// Hold returns what holds a command of a workflow's author, who wishes that or
	// not: a workflow that is used is held by those around it all the same. Nil, the
	// function or what it returns, is nothing.
	Hold func(scope ToolScope, wish Wish) (*steps.Sandbox, error)

	// Reading returns what opens files that expressions read by a path in which a model
	// may have a say: under the rules of a step, or of a workflow alone. Nil: there
	// are none to be opened.
	Reading func(scope ToolScope) (Reading, error)

	// Refused says why expressions of a workflow read no such file, however it is named,
	// or nil. The path is whole. Nil: they read all.
	Refused func(w *workflows.Workflow, path string) error

	// InputsForeign says that the inputs may be a model's: then no path that is made of
	// them is the author's own.
	InputsForeign bool

	// Ask answers for calls whose verdict is ask; nil denies them. [CallerOf] its context
	// names the unit that makes the call. With Later nobody
	// is asked: they wait for a person, as the questions of steps do.
	Ask   tools.Asker
	Later bool

	// Question asks a person what a step asks, and returns the answer, which is plain
	// data, within ctx. With an error, or where it is nil, the step waits: the run
	// does what else there is to do, and ends waiting. It is safe for concurrent use.
	Question func(ctx context.Context, q *Question) (any, error)

	// AskAgain answers for calls that an earlier process has left waiting; with an
	// error, or where it is nil, they wait on.
	AskAgain tools.Asker

	Answers Answers // that are kept, of steps that have a cache

	// Record wraps what a conversation asks, its fallbacks included; nil leaves
	// it as it is.
	Record func(providers.Model) providers.Model

	// Price returns what a model's use costs, where that is known.
	Price func(model string, u providers.Usage) (usd float64, known bool)

	// Environment returns the environment of commands: what every command
	// gets, and the named variables that are set, where those that are given go
	// before others of their names. Nil: it has only what is given.
	Environment func(names []string, given map[string]string) []string

	// LookupEnv is how expressions read the variables that a workflow names.
	// Nil: none is set.
	LookupEnv func(name string) (string, bool)

	// EnvNames returns the names of all variables that LookupEnv knows: what a
	// workflow names by a pattern is among them. Nil: a pattern stands for none.
	EnvNames func() []string

	// Observe is told each event, one at a time, in order; it is not yet
	// numbered. What Mask hides is hidden in it.
	Observe func(Event)
	Deltas  bool        // it is also told what a model says while it says it, piece by piece
	Mask    *tools.Mask // hides secrets in all that is written; values of variables that are secret are added to it

	// Secrets are the values of variables that Mask hides, by name: where one stands in
	// the run's folder its name stands there, and a process that goes on with the run
	// puts it back.
	Secrets map[string]string

	// Files are the files that the workflow is made of, by what they are called, with
	// the SHA-256 of each in hex: so a later process sees whether they are the same.
	Files map[string]string

	// Resume goes on with the run in Dir; nil runs anew. The workflow, the inputs and
	// the workspace must be those of the run.
	Resume *Resumption

	// Commit returns at which commit a folder stands, where it is in a repository.
	// A run that is gone on with at another commit than before warns of that. Nil:
	// nobody knows.
	Commit func(folder string) string

	passWork func(*Work) (*Work, error) // what a test does to each Work before it is bound
	passFact func(*record.Record) error // and to each record before it is written

	// Attach is called once, when events can be told, with what tells a warning
	// of something that works beside the steps, such as a tool server. It is
	// safe for concurrent use, and reports false, and tells nothing, once the
	// run is over. Nil: there is nothing such.
	Attach func(warn func(message string) bool)
}

// Reading opens files by rules. Paths are absolute.
type Reading interface {
	Open(path string) (*os.File, error)
	Readable(path string) bool
}

// A Wish is whether the author of a command wants it held to the workspace.
type Wish int

// The wishes.
const (
	HoldNot     Wish = iota // it is held only by workflows around its own
	HoldDefault             // where the commands of its workflow are
	HoldAsked               // in so many words
)

// What the Option of a [steps.Error] can be: the field of [Options] that would mend
// it, too. A program has its own word for each, such as a flag.
const (
	OptionDir       = "dir"
	OptionWorkspace = "workspace"
	OptionModel     = "model"
	OptionBudgetUSD = "budget_usd"
	OptionFrom      = "from"    // of [Resumption]
	OptionChanged   = "changed" // of that, too
	OptionAnswers   = "answers" // of [Resumption]
)

// A ToolScope is where the tools of a step work.
type ToolScope struct {
	Workflow  *workflows.Workflow
	Workspace string // absolute
	Run       string // the run's folder, in which nothing may be written
	Outputs   string // the folder of whole outputs in it, which may always be read
	Tools     []string
	Layers    []Layer       // outermost first; the last is the step's own
	Env       workflows.Env // what expressions of the workflow see that are no step's

	Environment []string // of commands, each NAME=value
}

// A Layer is one trust domain of rules: those of a workflow and of one of its
// steps, put together.
type Layer struct {
	Workflow  *workflows.Workflow
	Step      workflows.Permissions
	Workspace string // absolute: where the relative patterns of these rules start
}

// A Toolbox is the tools of one step.
type Toolbox struct {
	// Find returns the tools that a name or a pattern of a workflow stands
	// for; none when there is no such tool.
	Find  func(name string) []tools.Tool
	Guard tools.Guard
}

// defaultParallel is how many steps, elements included, run at once in a whole
// run where nothing else is said.
const defaultParallel = 64

// withDefaults fills in what the options leave out.
func (o Options) withDefaults() Options {
	if o.MaxParallel <= 0 {
		o.MaxParallel = defaultParallel
	}
	if o.Models == nil {
		o.Models = noModels
	}
	if o.Tools == nil {
		o.Tools = noTools
	}
	if o.Price == nil {
		o.Price = func(string, providers.Usage) (float64, bool) { return 0, false }
	}
	if o.Reading == nil {
		o.Reading = noReading
	}
	if o.Environment == nil {
		o.Environment = onlyGiven
	}
	if o.LookupEnv == nil {
		o.LookupEnv = func(string) (string, bool) { return "", false }
	}
	return o
}

func onlyGiven(_ []string, given map[string]string) (env []string) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		env = append(env, name+"="+given[name])
	}
	return env
}

func noModels(ref string, _ *workflows.Workflow) (providers.Model, error) {
	return nil, &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf("model %s: there are no models here", ref)}
}

func noReading(ToolScope) (Reading, error) { return nil, errors.New("there are no rules for reading") }

func noTools(context.Context, ToolScope) (Toolbox, error) {
	return Toolbox{Find: func(string) []tools.Tool { return nil }}, nil
}
