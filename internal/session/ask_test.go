package session

import (
	"encoding/json"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

func TestStandingAnswers(t *testing.T) {
	asked := tools.Decision{Verdict: tools.Ask, Reason: "a person decides."}
	tests := []struct {
		answer  string
		verdict tools.Verdict
		reason  string
		fails   bool
	}{
		{Deny, tools.Deny, "a person decides, and because", false},
		{Allow, tools.Allow, "a person decides.", false},
		{Fail, tools.Deny, "a person decides.", true},
	}
	for _, tt := range tests {
		d, err := always(tt.answer, "because", "")(t.Context(), "bash", json.RawMessage(`{}`), asked)
		if d.Verdict != tt.verdict || d.Reason != tt.reason || (err != nil) != tt.fails {
			t.Errorf("%s: %+v, %v", tt.answer, d, err)
		}
		if err != nil && steps.KindOf(err) != steps.KindDenied {
			t.Errorf("%s: kind %s", tt.answer, steps.KindOf(err))
		}
	}
}
