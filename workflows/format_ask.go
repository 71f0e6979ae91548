package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A Question is for a person. The answer is one of the choices, where there are some, else
// a text, or a value that matches the JSON Schema of the step's output.
type Question struct {
	Text    *Template
	Choices []string
	Default *Value // the answer when none comes within the step's timeout; nil: none
	Comment bool   // a line of text is asked for, too, which may be empty

	typeName string // of the schema; "" where it names no type, or there is no schema
	schema   *jsonschema.Schema
}

const maxChoices = 100 // of one question

func askFields() []format.Field[Step] {
	return []format.Field[Step]{
		format.Key("ask", templateText(), func(s *Step) **Template { return &s.Question.Text }, "A question to a person.").On(KindAsk),
		format.Key("choices", choices(), func(s *Step) *[]string { return &s.Question.Choices }, "The answers that a person can choose from.").On(KindAsk),
		format.Key("default", anything(), func(s *Step) **Value { return &s.Question.Default }, "The answer where none came within timeout; on a terminal also that of an empty line.").On(KindAsk),
		format.Key("comment", format.Boolean(), func(s *Step) *bool { return &s.Question.Comment }, "true: a line of text is asked for after the answer, which later steps see as steps.<id>.comment. Default false.").On(KindAsk),
	}
}

// choices are answers that differ in more than their case, each of one line.
func choices() format.Shape[[]string] {
	list := format.ListOf("choices", format.Words())
	return format.Shape[[]string]{
		Read: func(r *format.Reader, n *tree.Node) (choices []string, ok bool) {
			words, ok := list.Read(r, n)
			if ok && (len(words) < 2 || len(words) > maxChoices) && len(words) == len(n.Items) {
				r.Errorf(n, diagnostic.CodeValue, "there must be between 2 and %d choices, not %d", maxChoices, len(words))
			}
			for _, c := range words {
				alike := slices.IndexFunc(choices, func(other string) bool { return strings.EqualFold(other, c.Text) })
				switch {
				case strings.TrimSpace(c.Text) != c.Text || c.Text == "" || strings.Contains(c.Text, "\n"):
					r.Errorf(c.Node, diagnostic.CodeValue, "%q is no choice that somebody can type", tree.Clip(c.Text, 40))
				case alike >= 0:
					r.Errorf(c.Node, diagnostic.CodeValue, "the choices %q and %q are the same answer", choices[alike], c.Text)
				default:
					choices = append(choices, c.Text)
				}
			}
			return choices, ok
		},
		Schema: list.Schema,
	}
}

// completeQuestion completes the question of a step, and reports defaults and types that can't be answers.
func (p *parser) completeQuestion(s *Step) {
	q := s.Question
	if q.Text != nil && strings.TrimSpace(q.Text.Source()) == "" {
		p.Errorf(s.node.Get("ask"), diagnostic.CodeValue, "the question is empty")
	}
	output, choices := s.node.Get("output"), s.node.Get("choices")
	switch {
	case output != nil && s.Output.Kind != OutputText && s.Output.Kind != OutputSchema && output.Kind != tree.KindMap:
		p.Errorf(output, diagnostic.CodeValue, "an answer is a text, or fits a JSON Schema").Hint = "such as output: {type: integer, minimum: 1}"
	case s.Output.Kind == OutputSchema:
		keywords, _ := s.Output.keywords.(map[string]any)
		q.typeName = expression.SchemaTypeName(keywords)
		q.schema, _ = p.loader.schemas.compile(string(s.Output.Schema), s.Output.keywords)
	}
	if output != nil && choices != nil {
		p.Errorf(s.node.Key("choices"), diagnostic.CodeKey, "\"choices\" contradicts \"output\": an answer that is chosen is a text").Hint = "a JSON Schema has its own: {enum: [1, 2, 3]}"
	}
	if q.Default == nil {
		return
	}
	if value, static := q.Default.Static(); static {
		if err := q.Check(value); err != nil {
			p.Errorf(s.node.Get("default"), diagnostic.CodeValue, "the default is no answer: %v", err)
		}
	}
}

// Parse parses an answer as a person types it: a choice in any case, a text as it is, any
// other type as JSON. The error says what was expected.
func (q *Question) Parse(text string) (any, error) {
	if len(q.Choices) > 0 {
		word := strings.TrimSpace(text)
		if i := slices.IndexFunc(q.Choices, func(c string) bool { return strings.EqualFold(c, word) }); i >= 0 {
			return q.Choices[i], nil
		}
		return nil, q.noChoice(word)
	}
	value := any(text)
	if q.schema != nil && q.typeName != "string" {
		parsed, err := tree.ParseJSON(text)
		switch {
		case err == nil:
			value = parsed
		case q.typeName != "":
			return nil, fmt.Errorf("expected %s, got %q", q.typeName, tree.Clip(text, 60))
		}
	}
	return value, q.Check(value)
}

// Check returns an error for a value, which is plain data, that is no answer.
func (q *Question) Check(value any) error {
	text, isText := value.(string)
	switch {
	case len(q.Choices) > 0 && !slices.Contains(q.Choices, text):
		if !isText {
			text, _ = tree.TextOf(value)
		}
		return q.noChoice(text)
	case len(q.Choices) > 0:
		return nil
	case q.schema == nil && !isText:
		return fmt.Errorf("a text was expected, not %s", expression.NameOf(value))
	}
	problems := q.schema.Validate(value)
	switch {
	case len(problems) == 0:
		return nil
	case problems[0].Path == "":
		return errors.New(problems[0].Message)
	}
	return fmt.Errorf("at %s: %s", problems[0].Path, problems[0].Message)
}

func (q *Question) noChoice(text string) error {
	return fmt.Errorf("%q is not one of the choices: %s", tree.Clip(text, 60), strings.Join(q.Choices, ", "))
}
