package suite

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// suffix is the end of the names of test files.
const suffix = ".test.yaml"

// A File has test cases for one workflow. Its paths are joined to its folder. It is
// read-only and safe for concurrent use.
type File struct {
	File     string
	Workflow string // the path of the workflow's file
	Cases    []*Case
	named    []string // the paths of all files and folders that it names
}

// A Case is a run of the workflow, and what is expected of it.
type Case struct {
	Name   string
	Pos    workflows.Position
	Script format.Word              // the path of a scripted model's file; "": none
	Model  *workflows.ScriptedModel // the model in the case itself; nil: none

	Inputs   map[string]any
	Env      map[string]string // environment variables that override flow's own
	Folder   format.Word       // the folder that is copied to the workspace; "": none
	Contents map[string]string // of files in the workspace, by path
	Setup    format.Word       // a script that prepares the workspace; "": none
	Answers  []givenAnswer     // to questions and to calls that need approval, in the file's order
	OnAsk    string            // the answer to other calls that need approval: allow or deny; "": deny

	Expect expectations

	node, inputs *tree.Node // nil: none given
}

// A givenAnswer is what a person answers in a case: the question of a step, or a request to
// approve its calls.
type givenAnswer struct {
	unit  *tree.Node // the path of a step, or one of its elements and rounds: pages[3], loop/good#2
	value *tree.Node // plain data; for calls "allow" or "deny", or a map from tools to these
}

// expectations are for the end of a run. A nil or empty field is not checked, except for
// the status: the run must succeed, unless otherEnd.
type expectations struct {
	Status     *expectedValue
	StopReason *expectedValue // of the step that ended the run, or of the last one
	Exit       *expectedValue
	Denied     *expectedValue // how many calls were denied
	Cost       *expectedCost
	Outputs    []format.Named[expectedValue]
	Condition  *workflows.Condition // over outputs, steps, calls, files, and find(…) as in scripted models
	Calls      []*expectedCalls
	Files      []expectedFile
	Text       *expectedText
}

// otherEnd reports whether an exit code or a stop reason implies that the run need not
// succeed.
func (e *expectations) otherEnd() bool {
	return e.Exit != nil || e.StopReason != nil && e.StopReason.Value != "completed"
}

// An expectedValue is a value that something must have.
type expectedValue struct {
	Value any // plain data
	Pos   workflows.Position
}

// An expectedCost bounds what a run costs, in USD.
type expectedCost struct {
	Least, Most *float64 // nil: no bound
	Pos         workflows.Position
}

// expectedCalls are calls of tools. An empty field matches any call.
type expectedCalls struct {
	Step, Tool, Status string
	Arguments          map[string]any // a call may have others, too
	Count              *expectedValue // nil: one or more
	Pos                workflows.Position

	step, tool *tree.Node
}

// An expectedFile is what a file of the workspace must be at the end.
type expectedFile struct {
	Path string
	*expectedText
}

// An expectedText is what a text must be. A nil field is not checked.
type expectedText struct {
	Absent     bool // there is no such file
	Equals     *expectedValue
	EqualsFile *format.Word // a file beside the test
	Contains   []*expectedValue
	Lacks      []*expectedValue
	Matches    *regexp.Regexp
	Pos        workflows.Position
}

// Schema returns the JSON Schema of test files; see [workflows.Schema].
func Schema() []byte {
	return format.SchemaOf("test", func(s *format.Schema) map[string]any { return format.Define(s, testsTable()) })
}

// pathOf returns the path of a file that a test file names.
func pathOf(r *format.Reader, name string) string {
	t := r.Owner.(*File)
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(t.File), filepath.FromSlash(name))
	}
	t.named = append(t.named, name)
	return name
}

// parse parses a test file, and checks what can be checked without the workflow; see [File.check]. With
// errors among the diagnostics the file is nil.
func parse(file string, text []byte) (*File, workflows.Diagnostics) {
	report := &tree.Report{}
	root := tree.Read(tree.NewSource(file, string(text)), text, tree.ScriptLimits(), report)
	t := &File{File: file}
	if root != nil {
		t.read(root, &format.Reader{Report: report, Owner: t})
	}
	if found := report.Diagnostics(); found.HasErrors() {
		return nil, found
	}
	return t, report.Diagnostics()
}

// read reads the file from its tree.
func (t *File) read(root *tree.Node, r *format.Reader) {
	if root.Get("steps") != nil && root.Get("cases") == nil {
		r.Errorf(root, diagnostic.CodeKey, "this is no file of tests, but a workflow").Hint = "its tests stand in a file of their own: " + strings.TrimSuffix(filepath.Base(t.File), ".yaml") + suffix
		return
	}
	if !testsTable().Read(r, root, t) {
		return
	}
	names := map[string]int{}
	for _, c := range t.Cases {
		if c.inputs != nil {
			c.Inputs, _ = c.inputs.Data().(map[string]any)
		}
		if line, twice := names[c.Name]; twice && c.Name != "" {
			r.Errorf(c.node.Get("name"), diagnostic.CodeValue, "a case of the name %q is in line %d", c.Name, line)
		}
		names[c.Name] = c.Pos.Line
		if e := c.node.Get("expect"); e != nil && format.IsMap(e) && len(e.Entries) == 0 {
			r.Errorf(e, diagnostic.CodeValue, "the case expects nothing").Hint = "such as expect: {status: succeeded}"
		}
	}
}

// check reports what in the cases does not match the workflow and its tools, its own and
// built-in ones.
func (t *File) check(w *workflows.Workflow, builtIn []workflows.ToolInfo) workflows.Diagnostics {
	r := &tree.Report{}
	known := maps.Collect(w.Paths())
	var models workflows.Diagnostics
	for _, c := range t.Cases {
		if c.Expect.Exit == nil {
			c.checkInputs(w, r)
		}
		for _, a := range c.Answers {
			a.check(known, r)
		}
		for _, o := range c.Expect.Outputs {
			checkOutput(w, o.Name, r)
		}
		for _, calls := range c.Expect.Calls {
			if calls.step != nil && known[calls.Step] == nil {
				r.Errorf(calls.step, diagnostic.CodeReference, "the workflow has no step %q", calls.Step).Hint = tree.DidYouMean(calls.Step, slices.Sorted(maps.Keys(known)))
			}
			if has, hint := w.HasTool(calls.Tool, builtIn); calls.tool != nil && !has && !c.Model.Calls(calls.Tool) {
				r.Errorf(calls.tool, diagnostic.CodeTool, "there is no tool %q", calls.Tool).Hint = hint
			}
		}
		if c.Model != nil {
			models = append(models, c.Model.Check(w)...)
		}
	}
	return append(r.Diagnostics(), models...)
}

// checkInputs reports each input that is wrong where it is given, or where it could be.
func (c *Case) checkInputs(w *workflows.Workflow, r *tree.Report) {
	_, err := w.CheckInputs(c.Inputs)
	wrong, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, problem := range wrong.Unwrap() {
		at := cmp.Or(c.inputs, c.node)
		var input *workflows.InputError
		if c.inputs != nil && errors.As(problem, &input) {
			at = c.inputs.Key(input.Name)
		}
		r.Errorf(at, diagnostic.CodeValue, "%v", problem)
	}
}

// commented returns the answer and the comment in it. To a question that asks for a comment a case may
// give both: {answer: no, comment: too long}.
func (a *givenAnswer) commented(asked bool) (value any, comment string) {
	given := a.value.Data()
	both, _ := given.(map[string]any)
	value, answered := both["answer"]
	if comment, isText := both["comment"].(string); asked && answered && isText && len(both) == 2 {
		return value, comment
	}
	return given, ""
}

// check reports an answer to a step that asks nothing, and an invalid answer.
func (a *givenAnswer) check(known map[string]*workflows.Step, r *tree.Report) {
	path := workflows.StepOf(a.unit.Text)
	step := known[path]
	if step == nil || step.Question == nil && step.Agent == nil && step.Call == nil {
		var asking []string
		for path, step := range known {
			if step.Question != nil {
				asking = append(asking, path)
			}
		}
		slices.Sort(asking)
		r.Errorf(a.unit, diagnostic.CodeReference, "the workflow has no step %q that asks", path).Hint = tree.DidYouMean(path, asking)
		return
	}
	if step.Question != nil {
		value, _ := a.commented(step.Question.Comment)
		if err := step.Question.Check(value); err != nil {
			r.Errorf(a.value, diagnostic.CodeValue, "no answer to %q: %v", path, err)
		}
		return
	}
	words, _ := a.value.Data().(map[string]any)
	if words == nil {
		words = map[string]any{"": a.value.Data()}
	}
	for _, word := range words {
		text, _ := word.(string)
		if reason, reasoned := strings.CutPrefix(text, "deny: "); word != "allow" && word != "deny" && (!reasoned || strings.TrimSpace(reason) == "") {
			r.Errorf(a.value, diagnostic.CodeValue, "the answer to calls of %q is allow, deny, or deny: and the reason, or that by tool", path).Hint = `such as {bash: "deny: not on Fridays"}`
			return
		}
	}
}

// checkOutput reports an output that the workflow does not have.
func checkOutput(w *workflows.Workflow, named *tree.Node, r *tree.Report) {
	var names []string
	for _, out := range w.Outputs {
		names = append(names, out.Name)
	}
	if !slices.Contains(names, named.Text) {
		r.Errorf(named, diagnostic.CodeReference, "the workflow has no output %q", named.Text).Hint = tree.DidYouMean(named.Text, names)
	}
}

// fileMistake is a mistake of a file or a folder that a case names.
func fileMistake(at format.Word, message string) workflows.Diagnostic {
	d := (&tree.Report{}).Errorf(at.Node, diagnostic.CodeFile, "%s", message)
	d.Hint = "its path starts at the folder of the test file"
	return *d
}
