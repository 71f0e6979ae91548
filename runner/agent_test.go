package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// TestStopWhen stops an agent that calls one tool after the other, by what the
// condition sees of the conversation.
func TestStopWhen(t *testing.T) {
	for when, turns := range map[string]int{
		"turn >= 2":                                2,
		"len(calls()) >= 3":                        3,
		`len(calls("look")) >= 2`:                  2,
		`len(calls("idle")) >= 1`:                  5,
		`any(calls("look"), .arguments.n == 4)`:    4,
		`any(calls(), .status == "failed")`:        5,
		`len(filter(calls(), .turn == 3)) > 0`:     3,
		"usage.output_tokens >= 30":                3,
		`text contains "round 4" and not finished`: 4,
	} {
		t.Run(when, func(t *testing.T) {
			tr := newTrial(t)
			asked := 0
			tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
				if asked++; asked == 5 {
					return says("done"), nil
				}
				answer := calls("look")
				answer.Blocks[0].Arguments = json.RawMessage(fmt.Sprintf(`{"n": %d}`, asked))
				answer.Blocks = append([]providers.Block{{Type: providers.BlockText, Text: fmt.Sprintf("round %d", asked)}}, answer.Blocks...)
				answer.Usage.OutputTokens = 10
				return answer, nil
			}
			r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - prompt: Look.\n    tools: [look, idle]\n    stop: {when: '" + when + "', on_limit: accept}\n")
			if r.Status != steps.Succeeded || asked != turns {
				t.Errorf("%s after %d turns, want %d: %+v", r.Status, asked, turns, r.Error)
			}
		})
	}
}

// TestChecks has a model that is right at its second go.
func TestChecks(t *testing.T) {
	tests := []struct{ name, check, told string }{
		{"an expression", `{expr: 'text == "go 2"'}`, `it is false`},
		{"an expression that fails", `{expr: 'text == "go 2" or int(text) > 0'}`, "can't evaluate it:"},
		{"a command", `{run: 'test ${{ text }} = "go 2" || { echo not yet; echo no >&2; exit 4; }'}`, "exit status 4\nnot yet\n\nno"},
		{"a command of what it said", `{run: "test -e ${{ text == 'go 2' ? '/' : '/nowhere' }}"}`, "exit status 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			asked, told := 0, ""
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				asked++
				if last := req.Messages[len(req.Messages)-1]; asked == 2 {
					told = last.Blocks[0].Text
				}
				return says(fmt.Sprintf("go %d", asked)), nil
			}
			r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - prompt: Go.\n    checks:\n      - " + test.check + "\n")
			if r.Status != steps.Succeeded || asked != 2 || !strings.Contains(told, test.told) {
				t.Errorf("%s after %d turns, told %q, want %q: %+v", r.Status, asked, told, test.told, r.Error)
			}
		})
	}
}

func TestSystemPrompt(t *testing.T) {
	tr := newTrial(t)
	rules := filepath.Join(tr.dir, "rules.md")
	write(t, tr.dir, "rules.md", "Rules.")
	system := ""
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		system = req.System
		return says("ok"), nil
	}
	tr.inputs = map[string]any{"word": "brief"}
	tr.run("name: t\ninputs: {word: {type: string}}\nmodel: openai/m\ninstructions: [" + rules + "]\nsteps:\n  - prompt: Go.\n    system: Be ${{ inputs.word }}.\n")
	if !strings.HasPrefix(system, "Be brief.\n\nRules.") {
		t.Errorf("got %q", system)
	}
	r := newTrial(t).run("name: t\nmodel: openai/m\ninstructions: [/nowhere/rules.md]\nsteps:\n  - prompt: Go.\n")
	if r.Status != steps.Failed || !strings.Contains(r.Error.Message, "instructions: ") {
		t.Errorf("a file that is missing: %s, %+v", r.Status, r.Error)
	}
}

// TestToolStep calls a tool without a model. Expressions are values of its
// arguments, whatever their type.
func TestToolStep(t *testing.T) {
	tests := []struct{ name, step, want, err string }{
		{"no arguments", "{id: say, tool: say}", "echo {}", ""},
		{"values", "{id: say, tool: say, with: {n: \"${{ 1 + 1 }}\", list: \"${{ [inputs.word] }}\", text: \"a ${{ inputs.word }}\"}}", `echo {"list":["b"],"n":2,"text":"a b"}`, ""},
		{"an expression that fails", "{id: say, tool: say, with: {n: \"${{ int(inputs.word) }}\"}}", "", "with.n: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.inputs = map[string]any{"word": "b"}
			r := tr.run("name: t\ninputs: {word: {type: string}}\nsteps:\n  - " + test.step + "\noutputs: {said: \"${{ steps.say.output }}\"}\n")
			if test.err != "" {
				if r.Status != steps.Failed || !strings.Contains(r.Error.Message, test.err) {
					t.Errorf("%s: %+v, want %q", r.Status, r.Error, test.err)
				}
				return
			}
			if r.Status != steps.Succeeded || r.Outputs[0].Value != test.want {
				t.Errorf("%s, %v, want %s: %+v", r.Status, r.Outputs, test.want, r.Error)
			}
		})
	}
}

// TestPinnedArguments pins an argument by what only one element sees.
func TestPinnedArguments(t *testing.T) {
	tr := newTrial(t)
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		for _, m := range req.Messages {
			for _, b := range m.Blocks {
				if b.Type == providers.BlockToolResult {
					return says(b.Content), nil
				}
			}
		}
		return calls("look"), nil
	}
	r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - id: each\n    foreach: ${{ ['a', 'b'] }}\n    prompt: Look.\n    tools:\n      - {name: look, with: {who: \"${{ item }}\"}}\n")
	for i, want := range []string{"a", "b"} {
		element := elementsOf(t, r.Steps[0])[i]
		if !strings.Contains(element.Text, `"who":"`+want+`"`) {
			t.Errorf("element %d: %s %q", i, element.Status, element.Text)
		}
	}
}

func TestForeachOfWhatIsNoList(t *testing.T) {
	for printed, want := range map[string]string{
		"null":       "nothing",
		`"a text"`:   `the text "a text"`,
		"4":          "4",
		"[1, 2, 3]":  "",
		`{"a": "b"}`: "",
	} {
		tr := newTrial(t)
		write(t, tr.dir, "made", printed)
		r := tr.run("name: t\nsteps:\n  - {id: made, run: cat made, output: json}\n  - {foreach: '${{ steps.made.output }}', run: \"true\"}\n")
		switch {
		case want == "" && r.Status != steps.Succeeded:
			t.Errorf("%s: %+v", printed, r.Error)
		case want != "" && (r.Status != steps.Failed || !strings.Contains(r.Error.Message, want)):
			t.Errorf("%s: %s, %+v, want %q", printed, r.Status, r.Error, want)
		}
	}
}
