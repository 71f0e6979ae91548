package runner

import (
	"cmp"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// firstFailure returns the first result, in the file's order, that makes the whole fail. A
// failure that is the run's own comes before all others, and a cancelled step after them,
// since it ended because of one.
func firstFailure(results []*StepResult) *StepResult {
	var failed, cancelled *StepResult
	for _, r := range results {
		switch {
		case r.good():
		case r.fatal:
			return r
		case r.Status != steps.Cancelled:
			failed = cmp.Or(failed, r)
		default:
			cancelled = cmp.Or(cancelled, r)
		}
	}
	return cmp.Or(failed, cancelled)
}

// innermost returns the step in which a failure began: that of a group mostly began in a step
// inside it.
func innermost(r *StepResult) *StepResult {
	for {
		inner := firstFailure(r.inner)
		if inner == nil || inner.Error.Kind != r.Error.Kind || inner.Error.Message != r.Error.Message {
			return r
		}
		r = inner
	}
}

// gather completes a result from those of the steps inside: the output of the last
// one, and the first failure.
func (r *StepResult) gather(inner []*StepResult) {
	r.inner = inner
	r.Status, r.StopReason = steps.Succeeded, steps.ReasonCompleted
	if last := lastRun(inner); last != nil {
		if err := r.repeats(last); err != nil {
			r.Result = failed(err)
		}
	}
	if failed := firstFailure(inner); failed != nil {
		r.Status, r.StopReason, r.Error, r.fatal = failed.Status, failed.StopReason, failed.Error, failed.fatal
	}
}

// interrupt sets that the step was ended early, and why.
func (r *StepResult) interrupt(cause error) {
	end := steps.Interrupted(cause)
	r.Status, r.StopReason, r.Error = end.Status, end.StopReason, end.Error
}

// lastRun returns the last result of a step that ran. One that only ended the list has none.
func lastRun(results []*StepResult) *StepResult {
	for _, r := range slices.Backward(results) {
		if r.Status != steps.Skipped && (r.Kind != workflows.KindEnd || r.Text != "") {
			return r
		}
	}
	return nil
}

// flatten returns the results with those inside them, in the file's order.
func flatten(results []*StepResult) StepResults {
	flat := StepResults{}
	for _, r := range results {
		flat = append(flat, r)
		flat = append(flat, flatten(r.inner)...)
	}
	return flat
}

// account sets what the whole run has used.
func (r *Result) account(sum steps.Used) {
	if sum.Usage != nil {
		r.Usage = *sum.Usage
	}
	r.Cost = *costOf(sum)
	r.Unpriced = append([]string{}, sum.Unpriced...)
}

func costOf(u steps.Used) *Cost { return &Cost{USD: deref(u.CostUSD), Known: len(u.Unpriced) == 0} }

// Numbers returns what the step or the element has used, and how often things happened in it.
func (r *StepResult) Numbers() history.Counts { return history.CountsOf(r.Used) }

// said returns the step's text and output. For a foreach these are the outputs of its
// elements, and the same as JSON, if any element has an output.
func (r *StepResult) said() (text string, output any, err error) {
	if r.elements == nil {
		seen, err := r.seen()
		return seen.Text, seen.Output, err
	}
	outputs, given, err := r.elements.outputs()
	if given {
		text = Text(outputs)
	}
	return text, outputs, err
}

// listless returns a step as the expressions of later steps see it, except the results of
// elements. Every field is present, whatever the result.
func listless(r *steps.Result) map[string]any {
	record := recordOf(r)
	record["results"] = []any{}
	return record
}

func recordOf(r *steps.Result) map[string]any {
	record := map[string]any{
		"status": string(r.Status), "text": r.Text, "output": r.Output, "exit_code": nil, "comment": nil, "turns": r.Turns,
		"usage": usageRecord(providers.Usage{}), "stop_reason": string(r.StopReason), "error": nil,
	}
	if r.ExitCode != nil {
		record["exit_code"] = *r.ExitCode
	}
	if r.Comment != nil {
		record["comment"] = *r.Comment
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
