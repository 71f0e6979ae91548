package workflows

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A ScriptedModel is a stand-in for a model: what it answers is written in a
// file. It is read-only and safe for concurrent use.
type ScriptedModel struct {
	File  string
	Steps map[string][]*ScriptedTurn // turns by the end of an address: pages[3]/review#2; "*" for any step

	steps []format.Named[[]*ScriptedTurn] // in the file's order
}

// A ScriptedTurn is one answer, with expressions in it.
type ScriptedTurn struct {
	Pos Position

	text, thinking *Template
	calls          []scriptedCall
	output         *Value
	finish         string
	usage          *Usage
	delay          time.Duration
	failure        *AnswerError
}

type scriptedCall struct {
	name      string
	pos       Position
	arguments *Value
}

// An Answer is what a scripted model answers.
type Answer struct {
	Text, Thinking string
	Calls          []AnswerCall
	Output         any // with HasOutput
	HasOutput      bool
	Finish         string // stop, tool_calls, length, content_filter; "": what the rest implies
	Usage          *Usage // nil: none given
	Delay          time.Duration
	Error          *AnswerError // nil: the request succeeds
}

// An AnswerCall is one call of a tool. Arguments are plain data of any kind: a
// script may also play a model that makes mistakes.
type AnswerCall struct {
	Name      string
	Arguments any
}

// An AnswerError makes a request fail as a service would.
type AnswerError struct {
	Status     int
	RetryAfter time.Duration
	Message    string
}

// Usage counts tokens.
type Usage struct {
	InputTokens, OutputTokens          int64
	CachedInputTokens, ReasoningTokens int64
}

// Play evaluates the turn's answer. Its expressions see
//
//	prompt, system  the step's prompt and system prompt, as sent
//	turn            from 1
//	results         the answers to the last calls: [{name, content, error}]
//	messages        the conversation: [{role, content}]
//	tools           what is offered: [{name, description, parameters}]
//
// and find(text, regexp, group), the text of a group of the first match, or ""
// where nothing matches.
func (t *ScriptedTurn) Play(env Env) (Answer, error) {
	env = maps.Clone(env)
	if env == nil {
		env = Env{}
	}
	env["find"] = find
	answer := Answer{Finish: t.finish, Usage: t.usage, Delay: t.delay, Error: t.failure, HasOutput: t.output != nil}
	var err error
	if answer.Text, err = t.text.Text(env); err != nil {
		return Answer{}, err
	}
	if answer.Thinking, err = t.thinking.Text(env); err != nil {
		return Answer{}, err
	}
	for _, call := range t.calls {
		var arguments any = map[string]any{}
		if call.arguments != nil {
			if arguments, err = call.arguments.Eval(env); err != nil {
				return Answer{}, err
			}
		}
		answer.Calls = append(answer.Calls, AnswerCall{Name: call.name, Arguments: arguments})
	}
	if t.output != nil {
		if answer.Output, err = t.output.Eval(env); err != nil {
			return Answer{}, err
		}
	}
	return answer, nil
}

// ParseScript parses and checks the file of a scripted model. With errors among the
// diagnostics the model is nil.
func ParseScript(file string, src []byte) (*ScriptedModel, Diagnostics) {
	r := &tree.Report{}
	return valid(readScript(file, src, r), r)
}

// readScript reads a scripted model, and reports its mistakes.
func readScript(file string, text []byte, r *tree.Report) *ScriptedModel {
	root := tree.Read(tree.NewSource(file, string(text)), text, tree.ScriptLimits(), r)
	if root == nil {
		return nil
	}
	m, _ := ScriptShape().Read(&format.Reader{Report: r}, root)
	return m
}

// ScriptShape is a scripted model as a part of a file.
func ScriptShape() format.Shape[*ScriptedModel] {
	table := scriptTable()
	return format.Shape[*ScriptedModel]{
		Read: func(r *format.Reader, n *tree.Node) (*ScriptedModel, bool) {
			p := newParser(r.Report, scriptGrammar())
			m := &ScriptedModel{File: n.Src.File, Steps: map[string][]*ScriptedTurn{}}
			ok := table.Read(p.Reader, n, m)
			s := scriptScope(p.reader.Grammar)
			for _, step := range m.steps {
				if key := step.Name.Text; key != "*" && !stepKey().MatchString(key) {
					p.Errorf(step.Name, diagnostic.CodeValue, "%q is not the address of a step", tree.Clip(key, 60)).Hint = `such as review, pages[3], group/review#2 for its round, pages[3]~2 for its attempt, or "*"`
				}
				m.Steps[step.Name.Text] = step.Value
				for _, turn := range step.Value {
					p.compileTurn(turn, s)
				}
			}
			p.reader.CheckCompiled()
			return m, ok
		},
		Schema: func(s *format.Schema) any { return format.Define(s, table) },
	}
}

// stepKey matches the end of an address.
var stepKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w-]+(#[1-9]\d*)?(\[\d+\])?(~[1-9]\d*)?(/[\w-]+(#[1-9]\d*)?(\[\d+\])?(~[1-9]\d*)?)*$`)
})

// unitMarks matches what the address of a unit has in addition to the path of its step.
var unitMarks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[1-9][0-9]*|\[[0-9]+\]|~[0-9]+`) })

// StepOf returns the path of the step of a unit with an address, such as pages[3]/review#2.
func StepOf(address string) string { return unitMarks().ReplaceAllString(address, "") }

// Calls reports whether the model calls a tool of that name, which may not exist. m may be
// nil.
func (m *ScriptedModel) Calls(tool string) bool {
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

// Check reports turns for steps that the workflow does not have.
func (m *ScriptedModel) Check(w *Workflow) Diagnostics {
	r := &tree.Report{}
	names := slices.Sorted(maps.Keys(maps.Collect(w.Paths())))
	for _, step := range m.steps {
		key := step.Name
		named := StepOf(key.Text)
		isEnd := func(name string) bool { return strings.HasSuffix("/"+name, "/"+named) }
		if key.Text != "*" && !slices.ContainsFunc(names, isEnd) {
			r.Errorf(key, diagnostic.CodeReference, "the workflow has no step %q", named).Hint = tree.DidYouMean(named, names)
		}
	}
	return r.Diagnostics()
}

// scriptScope is what the expressions of a scripted model see.
func scriptScope(g *expression.Grammar) *expression.Scope {
	return expression.NewScope(g, map[string]types.Type{
		"prompt": types.String, "system": types.String, "turn": types.Int,
		"results":  types.Array(types.Map{"name": types.String, "content": types.String, "error": types.Any}),
		"messages": types.Array(types.Map{"role": types.String, "content": types.String}),
		"tools":    types.Array(types.Map{"name": types.String, "description": types.String, "parameters": types.Any}),
	})
}

func (p *parser) compileTurn(t *ScriptedTurn, s *expression.Scope) {
	p.compileTemplate(t.text, s)
	p.compileTemplate(t.thinking, s)
	p.compileValue(t.output, s)
	for _, call := range t.calls {
		p.compileValue(call.arguments, s)
	}
}

// find returns the text of a group of the first match, "" for no match.
func find(text, pattern string, group int) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", fmt.Errorf("find: %w", err)
	}
	if group < 0 || group > re.NumSubexp() {
		return "", fmt.Errorf("find: the pattern %q has no group %d", pattern, group)
	}
	match := re.FindStringSubmatch(text)
	if match == nil {
		return "", nil
	}
	return match[group], nil
}

// isScriptedModel reports whether a file that should be a workflow is a scripted model.
func isScriptedModel(root *tree.Node) bool {
	if root.Kind != tree.KindMap || len(root.Entries) != 1 {
		return false
	}
	steps := root.Get("steps")
	return steps != nil && steps.Kind == tree.KindMap && len(steps.Entries) > 0 &&
		!slices.ContainsFunc(steps.Entries, func(e tree.Entry) bool { return e.Value.Kind != tree.KindList })
}

// scriptGrammar returns the language of scripts, in which find searches texts.
func scriptGrammar() *expression.Grammar {
	g := newGrammar(map[string]any{"find": find})
	usual := g.Example
	g.Example = func(function string) string {
		if function == "find" {
			return "such as find(prompt, `Read (.*)`, 1)"
		}
		return usual(function)
	}
	return g
}
