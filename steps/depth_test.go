package steps

import (
	"strings"
	"testing"
)

func TestTooDeep(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, raw string
		want      bool
	}{
		{"flat", `{"a": [1, 2]}`, false},
		{"as deep as may be", nested(200), false},
		{"one too many", nested(201), true},
		{"side by side", "[" + strings.Repeat("[],", 500) + "[]]", false},
		{"in a string", `{"a": "` + strings.Repeat("[", 500) + `\"` + strings.Repeat("{", 500) + `"}`, false},
		{"unclosed", strings.Repeat(`{"a":`, 300), true},
	}
	for _, test := range tests {
		if got := tooDeep([]byte(test.raw)); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestDeepAnswers(t *testing.T) {
	deep := strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999)
	var l log
	r := (&Agent{Model: playing(calls(`echo {"a":` + deep + `}`)), Prompt: "go", Tools: toolbox(t), Hooks: l.hooks()}).Run(t.Context())
	if r.Status != Failed || KindOf(r.Error) != KindProvider || !strings.Contains(r.Error.Message, "deeper than 200") {
		t.Errorf("a call: %s, %v", r.Status, r.Error)
	}
	for _, e := range l.events {
		if e.Value != nil && tooDeep(e.Value.Arguments) {
			t.Error("it is in an event")
		}
	}
	if _, err := (Output{Kind: OutputJSON}).Read(deep); err == nil || !strings.Contains(err.Error(), "deeper than 200") {
		t.Errorf("a result: %v", err)
	}
}
