package runner

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// firstFailure is the first result, in the file's order, that makes the whole
// fail. One that was cancelled only speaks where there is no other: it ended
// because of one.
func firstFailure(results []*StepResult) *StepResult {
	var cancelled *StepResult
	for _, r := range results {
		switch {
		case r.good():
		case r.Status != steps.Cancelled:
			return r
		case cancelled == nil:
			cancelled = r
		}
	}
	return cancelled
}

// innermost is the step that a failure comes from: that of a group is mostly
// that of a step in it.
func innermost(r *StepResult) *StepResult {
	for {
		inner := firstFailure(r.inner)
		if inner == nil || inner.Error != r.Error {
			return r
		}
		r = inner
	}
}

// lastRun is the last result of a step that ran.
func lastRun(results []*StepResult) *StepResult {
	for _, r := range slices.Backward(results) {
		if r.Status != steps.Skipped {
			return r
		}
	}
	return nil
}

// lastText is the text of the last step that ran.
func lastText(results []*StepResult) string {
	if last := lastRun(results); last != nil {
		return last.text()
	}
	return ""
}

// flatten lists the results with those inside of them, in the file's order.
func flatten(results []*StepResult) StepResults {
	flat := StepResults{}
	for _, r := range results {
		flat = append(flat, r)
		flat = append(flat, flatten(r.inner)...)
	}
	return flat
}

// account sums up what the steps used.
func (r *Result) account(results []*StepResult) {
	var sum spending
	for _, s := range results {
		sum = sum.and(&s.Result)
	}
	if sum.usage != nil {
		r.Usage = *sum.usage
	}
	r.Cost = *costOf(sum.costUSD, sum.unpriced)
	r.Unpriced = append([]string{}, sum.unpriced...)
}

// output is the step's output: of a foreach, those of its elements.
func (r *StepResult) output() any {
	if !r.fan {
		return r.Output
	}
	outputs := make([]any, len(r.Results))
	for i, element := range r.Results {
		outputs[i] = element.output()
	}
	return outputs
}

// text is what the step has to say: of a foreach, its output as JSON, if any of
// its elements has one.
func (r *StepResult) text() string {
	switch {
	case !r.fan:
		return r.Text
	case !slices.ContainsFunc(r.Results, func(e *ElementResult) bool { return e.output() != nil }):
		return ""
	}
	return Text(r.output())
}

// record is the step as the expressions of later steps see it. Every field is
// there, whatever the step came to.
func (r *StepResult) record() map[string]any {
	record := recordOf(&r.Result)
	record["output"], record["text"] = r.output(), r.text()
	results := make([]any, len(r.Results))
	for i, element := range r.Results {
		each := recordOf(&element.Result)
		each["index"], each["item"] = element.Index, element.Item
		results[i] = each
	}
	record["results"] = results
	return record
}

func recordOf(r *steps.Result) map[string]any {
	record := map[string]any{
		"status": string(r.Status), "text": r.Text, "output": r.Output, "exit_code": 0, "turns": r.Turns,
		"usage": usageRecord(providers.Usage{}), "stop_reason": string(r.StopReason), "error": nil,
	}
	if r.ExitCode != nil {
		record["exit_code"] = *r.ExitCode
	}
	if u := r.Usage; u != nil {
		record["usage"] = usageRecord(*u)
	}
	if r.Error != nil {
		record["error"] = map[string]any{"kind": string(r.Error.Kind), "message": r.Error.Message}
	}
	return record
}

func usageRecord(u providers.Usage) map[string]any {
	return map[string]any{
		"input_tokens": int(u.InputTokens), "output_tokens": int(u.OutputTokens),
		"cached_input_tokens": int(u.CachedInputTokens), "reasoning_tokens": int(u.ReasoningTokens),
	}
}
