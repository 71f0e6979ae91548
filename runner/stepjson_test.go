package runner

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// fullResult is a result with everything that a kind of step can have.
func fullResult(kind workflows.Kind) StepResult {
	began, took, code := time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC), int64(7), 4
	r := StepResult{Kind: kind, Attempts: 2, Rounds: 3, Started: &began, Duration: &took}
	r.Status, r.StopReason, r.Text, r.Output, r.Partial = steps.Stopped, steps.ReasonTimeout, "so far", []any{"a", 1}, true
	r.Error = &steps.Error{Kind: steps.KindTimeout, Message: "timeout", Hint: "raise it"}
	r.Truncated, r.Lost = 5, 1
	if kind == workflows.KindRun {
		r.ExitCode, r.Stdout, r.Stderr = &code, "out", "err"
		return r
	}
	if kind == workflows.KindAsk {
		r.Comment = new("")
		return r
	}
	r.Cached, r.SavedUSD = 2, 0.25
	r.Turns, r.ToolCalls, r.Usage = 6, 7, &providers.Usage{InputTokens: 8}
	r.Denied = []steps.Denial{{Tool: "bash", Input: json.RawMessage(`{}`), Rule: "no"}}
	return r
}

func TestStepResultIsReadAsItWasWritten(t *testing.T) {
	cost := 0.5
	priced, unpriced := fullResult(workflows.KindPrompt), fullResult(workflows.KindPrompt)
	priced.CostUSD, unpriced.Unpriced = &cost, []string{"a/one", "b/two"}
	priced.Unit, priced.Label = unitOf(t, "each[3]"), "three"
	priced.Counts = &ElementCounts{Total: 3, Succeeded: 1, NotBegun: 1, Reasons: map[steps.Kind]int{steps.KindTool: 1}}
	results := []StepResult{priced, unpriced, fullResult(workflows.KindRun), fullResult(workflows.KindAsk)}
	had := map[string]bool{}
	for _, want := range results {
		data, err := want.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got StepResult
		if err := jsonline.Decode(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(StepResult{})); diff != "" {
			t.Errorf("%s (-written +read):\n%s\n%s", want.Kind, diff, data)
		}
		for _, part := range []reflect.Value{reflect.ValueOf(want), reflect.ValueOf(want.Result), reflect.ValueOf(want.Used)} {
			for i := range part.NumField() {
				had[part.Type().Field(i).Name] = had[part.Type().Field(i).Name] || !part.Field(i).IsZero()
			}
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[StepResult](), reflect.TypeFor[steps.Result](), reflect.TypeFor[steps.Used]()} {
		for i := range of.NumField() {
			if field := of.Field(i); field.IsExported() && !had[field.Name] && field.Name != "Cut" && field.Name != "Pending" { // which a step that has ended has not
				t.Errorf("the test has no result with %s", field.Name)
			}
		}
	}
}
