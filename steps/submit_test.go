package steps

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// What the model is told of calls that hand in the result, in every company.
func TestHandedInIsAnswered(t *testing.T) {
	tests := []struct {
		name  string
		calls []string
		stop  Stop
		told  []string // in the answers
	}{
		{"alone", []string{`final_result {"score":4}`}, Stop{}, []string{"Taken."}},
		{"beside good work", []string{`final_result {"score":4}`, `echo {}`}, Stop{}, []string{"Taken.", "{}"}},
		{"beside bad work", []string{`fail {}`, `final_result {"score":4}`}, Stop{}, []string{"it failed", "another call of this turn did not succeed"}},
		{"beside denied work", []string{`final_result {"score":4}`, `secret {}`}, Stop{}, []string{"another call", "Denied"}},
		{"beside a call too many", []string{`echo {}`, `echo {"b":1}`, `final_result {"score":4}`}, Stop{MaxToolCalls: 1}, []string{"{}", "max_tool_calls", "another call"}},
		{"it is no call that counts", []string{`echo {}`, `final_result {"score":4}`}, Stop{MaxToolCalls: 1}, []string{"{}", "Taken."}},
		{"twice", []string{`final_result {"score":9}`, `final_result {"score":4}`}, Stop{}, []string{"a later call", "Taken."}},
		{"twice, the last is bad", []string{`final_result {"score":4}`, `final_result {"score":9}`}, Stop{}, []string{"a later call", "/score"}},
		{"no JSON", []string{`final_result {"sc`}, Stop{}, []string{"not JSON"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := playing()
			model.info.StructuredOutput = false
			var l log
			a := Agent{Model: model, Prompt: "rate", Tools: toolbox(t), Output: schema(t, scoreSchema), Stop: tt.stop, Hooks: l.hooks()}
			d := a.open(Past{})
			if _, err := d.answerCalls(t.Context(), providers.Message{Role: providers.RoleAssistant, Blocks: blocks(tt.calls...)}); err != nil {
				t.Fatal(err)
			}
			answers := d.c.Messages[len(d.c.Messages)-1].Blocks
			if len(answers) != len(tt.told) {
				t.Fatalf("%d answers, want %d", len(answers), len(tt.told))
			}
			for i, want := range tt.told {
				if !strings.Contains(answers[i].Content, want) {
					t.Errorf("answer %d is %q, want %q in it", i, answers[i].Content, want)
				}
			}
			for _, e := range l.events {
				if e.Tool == "final_result" {
					t.Errorf("%s tells of the tool that takes the result", e.Type)
				}
			}
		})
	}
}
