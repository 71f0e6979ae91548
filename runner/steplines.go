package runner

import (
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A stepLine is the JSON of a step's result. A field that does not apply to the step's kind is
// absent; one that applies is there even if it is zero.
type stepLine struct {
	Index *int   `json:"index,omitempty"`
	Item  *any   `json:"item,omitempty"`
	Label string `json:"label,omitempty"`

	Unit       journal.Unit   `json:"unit,omitzero"`
	Kind       workflows.Kind `json:"kind,omitempty"`
	Status     steps.Status   `json:"status,omitempty"` // absent if the run was killed before the step's end
	StopReason steps.Reason   `json:"stop_reason,omitempty"`

	Text    *string `json:"text,omitempty"`
	Output  any     `json:"output,omitempty"`
	Partial bool    `json:"partial,omitempty"`

	Turns     *int           `json:"turns,omitempty"`
	ToolCalls *int           `json:"tool_calls,omitempty"`
	Denied    []steps.Denial `json:"denied_calls,omitempty"`
	Truncated *int           `json:"truncated_outputs,omitempty"`
	Lost      int            `json:"lost_outputs,omitempty"`

	ExitCode *int    `json:"exit_code,omitempty"`
	Stdout   *string `json:"stdout,omitempty"`
	Stderr   *string `json:"stderr,omitempty"`

	Counts   *ElementCounts `json:"elements,omitempty"`
	Attempts int            `json:"attempts,omitempty"`
	Rounds   int            `json:"rounds,omitempty"`

	Usage    *providers.Usage `json:"usage,omitempty"`
	Cost     *Cost            `json:"cost_usd,omitempty"`
	Unpriced []string         `json:"unpriced_models,omitempty"`
	Cached   int              `json:"cached_turns,omitempty"`
	Saved    float64          `json:"saved_usd,omitempty"`

	Started  *time.Time   `json:"started_at,omitempty"`
	Duration *int64       `json:"duration_ms,omitempty"`
	Error    *steps.Error `json:"error,omitempty"`

	// After these come results, of a foreach, and steps, inside an element.
}

// MarshalJSON returns the result as in run.json.
func (r *StepResult) MarshalJSON() ([]byte, error) { return marshal(r.write) }

// MarshalJSON returns the result with the element's index and item, and with the steps inside
// it.
func (r *ElementResult) MarshalJSON() ([]byte, error) { return marshal(r.write) }

func (r *StepResult) write(d *document, depth int) {
	line := r.line()
	if r.elements == nil || r.Started == nil {
		d.value(depth, line)
		return
	}
	d.extended(depth, line, "results", func(depth int) { d.elements(depth, r.elements) })
}

func (r *ElementResult) write(d *document, depth int) {
	line := r.line()
	line.Index, line.Item, line.Label = &r.Index, &r.Item, r.Label
	inner := flatten(r.inner)
	if len(inner) == 0 {
		d.value(depth, line)
		return
	}
	d.extended(depth, line, "steps", func(depth int) { d.steps(depth, inner) })
}

func (r *StepResult) line() stepLine {
	line := stepLine{
		Unit: r.Unit, Kind: r.Kind, Status: r.Status, StopReason: r.StopReason, Output: r.Output, Partial: r.Partial,
		ExitCode: r.ExitCode, Counts: r.Counts, Attempts: r.Attempts, Rounds: r.Rounds, Started: r.Started, Duration: r.Duration, Error: r.Error,
		Denied: r.Denied, Lost: r.Lost, Usage: r.Usage, Unpriced: r.Unpriced, Cached: r.Cached, Saved: r.SavedUSD,
	}
	if r.Usage != nil {
		line.Cost = costOf(r.Used)
		line.Turns, line.ToolCalls, line.Truncated = &r.Turns, &r.ToolCalls, &r.Truncated
	}
	switch {
	case r.Started == nil || r.Status == "": // it did not begin, or did not end
		return line
	case r.elements != nil:
		line.Truncated = &r.Truncated
		return line
	}
	line.Text = &r.Text
	switch r.Kind {
	case workflows.KindPrompt:
		line.Turns, line.ToolCalls, line.Truncated = &r.Turns, &r.ToolCalls, &r.Truncated
	case workflows.KindTool:
		line.ToolCalls, line.Truncated = &r.ToolCalls, &r.Truncated
	case workflows.KindRun:
		line.Stdout, line.Stderr, line.Truncated = &r.Stdout, &r.Stderr, &r.Truncated
	}
	return line
}
