package workflows

import "github.com/a-seed-11b9befa/flow/workflows/internal/expression"

// Env, a map[string]any, has the values of the names that an expression may use. Values are plain
// data: nil, bool, int, float64, json.Number, string, []any and map[string]any;
// a value with Go methods would make them callable. It is only read.
//
// Which names an expression has, and what they hold:
//
//	everywhere         inputs, env: maps by name; a variable that is not set is nil
//	                   run: {id, dir}   workflow: {name, dir}
//	                   file(path, default), glob(pattern): func(string, ...string) (string, error)
//	                   and func(string) ([]string, error), each under the three
//	                   names that [Words.Called] gives it
//	in steps, outputs  steps: by id, each with status, text, output, error, turns,
//	                   usage, stop_reason, and for run exit_code, for foreach results;
//	                   of a foreach output is the list of its elements' outputs;
//	                   all of them in a map, or a [StepReader]
//	in a group         also round, from 1, when it has until, and previous: its steps, by id,
//	                   as steps has them, in the round before
//	in a foreach step  item (or the name in as), index; not in if and foreach itself
//	if                 also success(), failure(), always(): func() bool
//	checks             also output, text: the step's result so far
//	stop.when          turn, text, finished, usage, cost_usd, and
//	                   calls(name): func(...string) []any, of maps with name,
//	                   status, turn, arguments
//	custom tools       args: the call's arguments
//
// What the file gives as defaults for its steps (system, instructions,
// stop.when) sees only what is everywhere, and stop.when its own names. Every
// expression also has toJSON, fromJSON, hash and format.
type Env = expression.Env

// A StepReader, a func(id, field string) (any, error), returns what an expression sees of a step: a map by field, or nil where
// there is no such step. field is the one that the expression uses, "" for all; others may
// be left out. As the value of steps in an [Env] it is called for the steps that the
// expression names, and for no others.
type StepReader = expression.StepReader

// A FailedExpression is the error of an expression that could not be evaluated; its message begins
// with its place.
type FailedExpression = expression.Failed

// Words, an int, says who has a say in the value of an expression, such as the path of a file
// to read. A greater value is further from the author of the workflow.
type Words = expression.Words

// The values of Words.
const (
	OwnWords   = expression.Own     // what stands in the file, and what is known of the run and its environment
	GivenWords = expression.Given   // the inputs of the run, too
	Foreign    = expression.Foreign // anyone: models, what commands print, files, the names of files
)
