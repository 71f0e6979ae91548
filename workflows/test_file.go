package workflows

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// TestFileSuffix is the end of the names of test files.
const TestFileSuffix = ".test.yaml"

// A TestFile has test cases for one workflow. Its paths are joined to its folder. It is
// read-only and safe for concurrent use.
type TestFile struct {
	File     string
	Workflow string // the path of the workflow's file
	Cases    []*TestCase
	Named    []string // the paths of all files and folders that it names

	workflow word
}

// A TestCase is a run of the workflow, and what is expected of it.
type TestCase struct {
	Name   string
	Pos    Position
	Script string         // the path of a scripted model's file; "": none
	Model  *ScriptedModel // the model in the case itself; nil: none

	Inputs   map[string]any
	Env      map[string]string // environment variables that override flow's own
	Folder   string            // the folder that is copied to the workspace; "": none
	Contents map[string]string // of files in the workspace, by path
	Setup    string            // a script that prepares the workspace; "": none
	SetupPos Position
	Answers  []TestAnswer // to questions and to calls that need approval, in the file's order
	OnAsk    string       // the answer to other calls that need approval: allow or deny; "": deny

	Expect Expectations

	node, inputs, script, folder *tree.Node // nil: none given
	setup                        word
}

// A TestAnswer is what a person answers in a case: the question of a step, or a request to
// approve its calls.
type TestAnswer struct {
	Unit  string // the path of a step, or one of its elements and rounds: pages[3], loop/good#2
	Value any    // plain data; for calls "allow" or "deny", or a map from tools to these
	Pos   Position

	unit, value *tree.Node
}

// Expectations are for the end of a run. A nil or empty field is not checked, except for
// the status: the run must succeed, unless [Expectations.OtherEnd].
type Expectations struct {
	Status     *Expected
	StopReason *Expected // of the step that ended the run, or of the last one
	Exit       *Expected
	Denied     *Expected // how many calls were denied
	Cost       *ExpectedCost
	Outputs    []ExpectedOutput
	Condition  *Condition // over outputs, steps, calls, files, and find(…) as in scripted models
	Calls      []*ExpectedCalls
	Files      []*ExpectedFile
	Text       *ExpectedText
}

// OtherEnd reports whether an exit code or a stop reason implies that the run need not
// succeed.
func (e *Expectations) OtherEnd() bool {
	return e.Exit != nil || e.StopReason != nil && e.StopReason.Value != "completed"
}

// An Expected is a value that something must have.
type Expected struct {
	Value any // plain data
	Pos   Position
}

// An ExpectedCost bounds what a run costs, in USD.
type ExpectedCost struct {
	Least, Most *float64 // nil: no bound
	Pos         Position
}

// An ExpectedOutput is the value of one of the workflow's outputs.
type ExpectedOutput struct {
	Name string
	Expected

	name *tree.Node
}

// ExpectedCalls are calls of tools. An empty field matches any call.
type ExpectedCalls struct {
	Step, Tool, Status string
	Arguments          map[string]any // a call may have others, too
	Count              *Expected      // nil: one or more
	Pos                Position

	step, tool *tree.Node
}

// An ExpectedFile is what a file of the workspace must be at the end.
type ExpectedFile struct {
	Path   string
	Absent bool // there is no such file
	ExpectedText
}

// An ExpectedText is what a text must be. A nil field is not checked.
type ExpectedText struct {
	Equals     *Expected
	EqualsFile *Golden
	Contains   []Expected
	Lacks      []Expected
	Matches    *regexp.Regexp
	Pos        Position
}

// A Golden is a file with the expected text.
type Golden struct {
	Path string
	Pos  Position
}

// ParseTests parses a test file, and checks what can be checked without the workflow; see
// [TestFile.Check]. With errors among the diagnostics the file is nil.
func ParseTests(file string, src []byte) (*TestFile, Diagnostics) {
	r := &tree.Report{}
	return valid(readTests(file, src, r), r)
}

// readTests reads a test file, and reports its mistakes.
func readTests(file string, text []byte, r *tree.Report) *TestFile {
	grammar := testGrammar()
	p := &parser{Report: r, src: tree.NewSource(file, string(text)), dir: filepath.Dir(file), reader: expression.NewReader(r, grammar)}
	p.root = tree.Read(p.src, text, tree.ScriptLimits(), r)
	if p.root == nil {
		return nil
	}
	t := &TestFile{File: file}
	if p.root.Get("steps") != nil && p.root.Get("cases") == nil {
		p.Errorf(p.root, diagnostic.CodeKey, "this is no file of tests, but a workflow").Hint = "its tests stand in a file of their own: " + strings.TrimSuffix(filepath.Base(file), ".yaml") + ".test.yaml"
		return nil
	}
	table := testsTable()
	if table.read(p, p.root, t) == nil {
		return nil
	}
	if t.workflow.text != "" {
		t.Workflow = p.path(t.workflow.text)
	}
	seen := testScope(grammar)
	names := map[string]Position{}
	for _, c := range t.Cases {
		p.checkCase(c, names)
		p.compileCondition(c.Expect.Condition, seen)
		if c.Model == nil {
			continue
		}
		for _, turns := range c.Model.Steps {
			for _, turn := range turns {
				p.compileTurn(turn, scriptScope(grammar))
			}
		}
	}
	p.reader.CheckCompiled()
	t.Named = p.named
	return t
}

// testScope has the names in the expression of an expectation.
func testScope(g *expression.Grammar) *expression.Scope {
	open := types.TypeOf(map[string]any{})
	s := expression.NewScope(g, map[string]types.Type{"outputs": open, "steps": open, "files": open, "calls": types.Array(types.Any)})
	s.Why = map[string]string{
		"inputs": "the case itself gives them", "env": "the case itself gives it", "status": "it is expected beside outputs, as status: failed",
		"text": "it is expected beside outputs, as text: …", "denied": "it is expected beside outputs, as denied: 0", "output": "it is outputs.<name>",
		"true": "it is written true", "null": "it is written nil", "None": "it is written nil",
	}
	return s
}

// checkCase checks a case as a whole. names are those of the cases before it.
func (p *parser) checkCase(c *TestCase, names map[string]Position) {
	at := c.node
	if c.setup.node != nil {
		c.Setup, c.SetupPos = c.setup.text, c.setup.node.Position()
	}
	if c.inputs != nil {
		c.Inputs, _ = c.inputs.Data().(map[string]any)
	}
	if first, twice := names[c.Name]; twice && c.Name != "" {
		p.Errorf(at.Get("name"), diagnostic.CodeValue, "a case of the name %q is in line %d", c.Name, first.Line)
	}
	names[c.Name] = c.Pos
	if e := at.Get("expect"); e != nil && e.Kind == tree.KindMap && len(e.Entries) == 0 {
		p.Errorf(e, diagnostic.CodeValue, "the case expects nothing").Hint = "such as expect: {status: succeeded}"
	}
}

// checkInputs reports each input that is wrong where it is given, or where it could be.
func (c *TestCase) checkInputs(w *Workflow, r *tree.Report) {
	_, err := w.CheckInputs(c.Inputs)
	wrong, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, problem := range wrong.Unwrap() {
		at := cmp.Or(c.inputs, c.node)
		var input *InputError
		if c.inputs != nil && errors.As(problem, &input) {
			at = c.inputs.Key(input.Name)
		}
		r.Errorf(at, diagnostic.CodeValue, "%v", problem)
	}
}

// Check reports what in the cases does not match the workflow and its tools, its own and
// built-in ones.
func (t *TestFile) Check(w *Workflow, builtIn []ToolInfo) Diagnostics {
	r := &tree.Report{}
	known := maps.Collect(w.Paths())
	names, tools := slices.Sorted(maps.Keys(known)), w.toolNames(builtIn)
	for _, used := range w.Used()[1:] {
		tools = append(tools, used.ownTools()...)
	}
	slices.Sort(tools)
	var models Diagnostics
	for _, c := range t.Cases {
		if c.Expect.Exit == nil {
			c.checkInputs(w, r)
		}
		for _, a := range c.Answers {
			a.check(known, r)
		}
		for _, o := range c.Expect.Outputs {
			checkOutput(w, o, r)
		}
		for _, calls := range c.Expect.Calls {
			if calls.step != nil && known[calls.Step] == nil {
				r.Errorf(calls.step, diagnostic.CodeReference, "the workflow has no step %q", calls.Step).Hint = tree.DidYouMean(calls.Step, names)
			}
			if calls.tool != nil && !Covers(tools, calls.Tool) && !c.Model.calls(calls.Tool) {
				r.Errorf(calls.tool, diagnostic.CodeTool, "there is no tool %q", calls.Tool).Hint = toolHint(calls.Tool, tools)
			}
		}
		if c.Model != nil {
			models = append(models, c.Model.Check(w)...)
		}
	}
	return append(r.Diagnostics(), models...)
}

// calls reports whether the model calls a tool of that name, which may not exist. m may be
// nil.
func (m *ScriptedModel) calls(tool string) bool {
	if m == nil {
		return false
	}
	for _, turns := range m.Steps {
		for _, turn := range turns {
			if slices.ContainsFunc(turn.calls, func(c scriptedCall) bool { return c.name == tool }) {
				return true
			}
		}
	}
	return false
}

// unitMarks matches what the address of a unit has in addition to the path of its step.
var unitMarks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[1-9][0-9]*|\[[0-9]+\]|~[0-9]+`) })

// Commented returns the answer and the comment in it. To a question that asks for a comment a case may
// give both: {answer: no, comment: too long}.
func (a *TestAnswer) Commented(asked bool) (value any, comment string) {
	both, _ := a.Value.(map[string]any)
	value, answered := both["answer"]
	if comment, isText := both["comment"].(string); asked && answered && isText && len(both) == 2 {
		return value, comment
	}
	return a.Value, ""
}

// check reports an answer to a step that asks nothing, and an invalid answer.
func (a *TestAnswer) check(known map[string]*Step, r *tree.Report) {
	path := unitMarks().ReplaceAllString(a.Unit, "")
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
		value, _ := a.Commented(step.Question.Comment)
		if err := step.Question.Check(value); err != nil {
			r.Errorf(a.value, diagnostic.CodeValue, "no answer to %q: %v", path, err)
		}
		return
	}
	words, _ := a.Value.(map[string]any)
	if words == nil {
		words = map[string]any{"": a.Value}
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
func checkOutput(w *Workflow, o ExpectedOutput, r *tree.Report) {
	var names []string
	for _, out := range w.Outputs {
		if out.Name == o.Name {
			return
		}
		names = append(names, out.Name)
	}
	r.Errorf(o.name, diagnostic.CodeReference, "the workflow has no output %q", o.Name).Hint = tree.DidYouMean(o.Name, names)
}

// A Part is a part of an expression, its Source, with its Value.
type Part = expression.Part

// Why returns the parts of the condition that decide it, with their values in env.
func (c *Condition) Why(env Env) []Part { return c.expr.Parts(env) }

// testGrammar is the language of the expressions in test files.
func testGrammar() *expression.Grammar { return expression.NewGrammar(map[string]any{"find": find}) }

// ScriptMistake returns a diagnostic at the scripted model that the case names.
func (c *TestCase) ScriptMistake(message string) Diagnostic { return fileMistake(c.script, message) }

// FolderMistake returns a diagnostic at the folder that the case names.
func (c *TestCase) FolderMistake(message string) Diagnostic { return fileMistake(c.folder, message) }

func fileMistake(at *tree.Node, message string) Diagnostic {
	d := (&tree.Report{}).Errorf(at, diagnostic.CodeFile, "%s", message)
	d.Hint = "its path starts at the folder of the test file"
	return *d
}
