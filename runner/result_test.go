package runner

import (
	"errors"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// TestErr: whatever did not succeed has an error that says where and why.
func TestErr(t *testing.T) {
	late := steps.Error{Kind: steps.KindTimeout, Message: "it took too long", Hint: "raise timeout"}
	for _, tt := range []struct {
		result Result
		wants  string
	}{
		{Result{Status: steps.Stopped, Error: &Failure{Error: late}}, "it took too long"},
		{Result{Status: steps.Failed, Error: &Failure{Step: "a/b", Error: late}}, `step "a/b": it took too long`},
	} {
		var own *steps.Error
		if err := tt.result.Err(); !errors.As(err, &own) || err.Error() != tt.wants || own.Kind != late.Kind || own.Hint != late.Hint {
			t.Errorf("%v (%+v), want %s", err, own, tt.wants)
		}
	}
	for status, wants := range map[steps.Status]error{steps.Succeeded: nil, steps.Waiting: ErrWaiting} {
		if err := (&Result{Status: status}).Err(); err != wants {
			t.Errorf("%s: %v", status, err)
		}
	}
	if late.Message != "it took too long" {
		t.Error("the failure itself was changed")
	}
}
