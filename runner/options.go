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
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options say what to run, and with what. Only Workflow and Dir are required.
type Options struct {
	Workflow *workflows.Workflow
	Inputs   map[string]any // as [workflows.Workflow.CheckInputs] returns them

	ID        string // of the run, see [CheckID]
	Dir       string // the run's folder; made by Run, with its parents; a relative path starts at the current folder
	Workspace string // the folder to work in, in place of the workflow's; empty: the workflow's, or the current folder

	// Elsewhere says that the workflow is not the caller's own: it works inside Workspace,
	// or the current folder, and reads only files of that and of its own folder.
	Elsewhere bool
	Recipe    string // the reference that names the workflow; "": it is named by a path
	Sandbox   string // the least that commands are held to, whatever the files say; a resume keeps it

	// Foreign reports whether a workflow, this one or a used one, is not the caller's own:
	// the prices in it count only for models whose prices are known without it, and only
	// if they are dearer. Nil: none is.
	Foreign func(*workflows.Workflow) bool

	Model       string        // the reference of the model for every step; empty: as the workflow says
	MaxParallel int           // how many steps and elements run at the same time; 64 if 0
	Grace       time.Duration // how long steps with always() may continue, or begin, after Run's context has ended; 0: not at all

	BudgetUSD *float64 // in place of the workflow's; nil: as the workflow says; 0: nothing may be spent

	// Models returns the model of a reference, with its retries and limits. The same
	// reference gives the same model. Nil: there are no models.
	Models func(ref string, w *workflows.Workflow) (providers.Model, error)

	// Tools returns the tools that may be offered to a step, and their guard. It is
	// called once for all elements and attempts of the step, with the context of the
	// first one; the others get the same toolbox or error, unless that context has ended.
	// So nothing that outlives the call may depend on ctx. Nil: there are no tools, and a
	// step that lists one fails.
	Tools func(ctx context.Context, scope ToolScope) (Toolbox, error)

	// Hold returns the sandbox of a command that a workflow's author wrote. It depends on
	// the author's wish and, for a used workflow, on the workflows around it. Nil, as the
	// function or as its result: there is no sandbox.
	Hold func(scope ToolScope, wish Wish) (*steps.Sandbox, error)

	// Reading returns what opens files for expressions. If the path is not the author's own, but a
	// model may have influenced it, that is under the rules of a step, or of the workflow alone. Its
	// result is nil if nothing limits the author. Nil: only the author's own paths can be read.
	Reading func(scope ToolScope, own bool) (Reading, error)

	// InputsForeign says that the inputs may come from a model: then no path that is made
	// from them counts as the author's own.
	InputsForeign bool

	// Ask decides calls whose verdict is ask; nil denies them. [CallerOf] its context
	// returns the unit that makes the call. With Later nobody is asked: such calls wait
	// for a person, as the questions of steps do.
	Ask   tools.Asker
	Later bool

	// Question asks a person the question of a step, and returns the answer within ctx:
	// plain data that [Question.Check] accepts, such as what [Question.Parse] makes of text
	// that a person types. [Question.SetComment] gives a comment with it. If it is nil or returns an error, or the answer does not fit, the
	// step waits: the run does everything else, and ends waiting. A warning has the reason,
	// unless that is [ErrUnanswered]. It has to be safe for concurrent use.
	Question func(ctx context.Context, q *Question) (any, error)

	// AskAgain decides calls that an earlier process has left waiting; if it is nil or
	// returns an error, they keep waiting. The reason of a denial is the person's, for the model.
	AskAgain tools.Asker

	Cache Cache // the store for the answers of steps with cache

	// Record wraps the model of a conversation, its fallbacks included; nil leaves it as
	// it is.
	Record func(providers.Model) providers.Model

	// Price returns what a model's use costs, if that is known. Nil: no price is known.
	Price func(model string, u providers.Usage) (usd float64, known bool)

	// Environment returns the environment of a command, each NAME=value: what every
	// command gets, those of the named variables that are set, and the given values,
	// which override variables of the same name. Nil: only the given values.
	Environment func(names []string, given map[string]string) []string

	// TraceParent is the W3C trace context in which the run is; "": none. Commands get it as
	// TRACEPARENT or, if Traced says that somebody sends the run's spans, the context of their own.
	TraceParent string
	Traced      bool

	// LookupEnv returns the variables that expressions may read because a workflow names
	// them. Nil: none is set.
	LookupEnv func(name string) (string, bool)

	// EnvNames returns the names of all variables that LookupEnv knows, for the patterns
	// of names in a workflow. Nil: a pattern matches none.
	EnvNames func() []string

	// Execute does the job of one unit, in place of [Job.Run], which does it in this process. It returns
	// when the job has ended or waits for a person, and when ctx has ended. An error is one because of
	// which the job could not begin. It has to be safe for concurrent use.
	Execute func(ctx context.Context, job Job) (steps.Result, error)

	// Observe gets each event, one at a time, in order. Events are not numbered yet, and
	// Mask is applied to them.
	Observe func(Event)
	Deltas  bool        // Observe also gets the answers of models piece by piece
	Mask    *tools.Mask // hides secrets in everything that is written; the run adds values of secret variables to it

	// Secrets are the values of variables that Mask hides, by name. In the run's folder
	// the name takes the place of the value, and a process that resumes the run puts the
	// value back.
	Secrets map[string]string

	// Files are the names of the files of the workflow, each with its SHA-256 in hex, by
	// which a later process sees whether they have changed.
	Files map[string]string

	// Resume resumes the run in Dir; nil begins a new one. The workflow, the inputs and
	// the workspace must be those of the run.
	Resume *Resumption

	// Commit returns the commit of the repository that a folder is in, or "". A run that
	// is resumed at another commit than before warns of that. Nil: no commit is known.
	Commit func(folder string) string

	passWork func(*Work) (*Work, error)  // for tests: changes each Work before it is bound
	passFact func(*journal.Record) error // for tests: sees each record before it is written
	passSync func(*os.File) error        // for tests: in place of (*os.File).Sync

	// Attach is called once, before the first unit begins, with a function that emits a
	// warning about something that works beside the steps, such as a tool server. The
	// function is safe for concurrent use, also while Observe is called; once the run is over it does nothing and
	// returns false. Nil: there is nothing of the kind.
	Attach func(warn func(message string) bool)
}

// Reading opens files by rules. Paths are absolute.
type Reading interface {
	Open(path string) (*os.File, error) // of regular files only
	Readable(path string) bool
}

// A Wish says whether the author of a command wants it held to the workspace.
type Wish int

// The wishes.
const (
	HoldNot     Wish = iota // only if a workflow around its own holds it
	HoldDefault             // if the commands of its workflow are held
	HoldAsked               // held: true
)

// The values of Option in a [steps.Error]: the field of [Options] that would help. A
// program has its own word for each, such as a flag.
const (
	OptionDir       = "dir"
	OptionWorkspace = "workspace"
	OptionModel     = "model"
	OptionBudgetUSD = "budget_usd"
	OptionFrom      = "from"    // of [Resumption]
	OptionOnce      = "once"    // of a step that is begun only once: From of [Resumption]
	OptionChanged   = "changed" // of [Resumption]
	OptionAnswers   = "answers" // of [Resumption]
	OptionUnits     = "units"   // of [Resumption]: From, with a unit that the run has
)

// A ToolScope describes the step for which tools are made.
type ToolScope struct {
	Workflow  *workflows.Workflow
	Workspace string // absolute
	Run       string // the run's folder, absolute, in which no tool may write
	Outputs   string // the folder of whole outputs in it, which tools may always read
	Tools     []string
	Layers    []Layer       // outermost first; the last is the step's own
	Env       workflows.Env // for expressions of the workflow outside of steps

	Environment []string // of commands, each NAME=value
}

// A Layer is one trust domain of rules: those of a workflow together with those of one
// of its steps.
type Layer struct {
	Workflow  *workflows.Workflow
	Step      workflows.Permissions
	Workspace string        // absolute: where the relative patterns of these rules start
	Env       workflows.Env // for expressions in the patterns of these rules
}

// A Toolbox is the tools of one step.
type Toolbox struct {
	// Find returns the tools that a name or a pattern in a workflow matches; none if
	// there is no such tool. Nil: there are no tools, and a step that lists one fails.
	Find  func(name string) []tools.Tool
	Guard tools.Guard // nil denies every call
}

// defaultParallel is the default of [Options.MaxParallel].
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
	if o.passSync == nil {
		o.passSync = (*os.File).Sync
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

func noReading(_ ToolScope, own bool) (Reading, error) {
	if own {
		return nil, nil
	}
	return nil, errors.New("there are no rules for reading")
}

func noTools(context.Context, ToolScope) (Toolbox, error) { return Toolbox{}, nil }
