package report

import (
	"io"

	"github.com/hashicorp/go-hclog"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// NewLog returns a function that logs events to w, each at its level; nil if the level is off, or
// "". The words of models and tools are always values in a line, which the logger quotes.
func NewLog(w io.Writer, level string, json bool) func(runner.Event) {
	if level == "" || level == "off" {
		return nil
	}
	log := hclog.New(&hclog.LoggerOptions{
		Name: "flow", Level: hclog.LevelFromString(level), Output: w, JSONFormat: json, Color: hclog.ColorOff,
	})
	return func(e runner.Event) { log.Log(levelOf(e), string(e.Type), eventValues(e)...) }
}

// levelOf is the level of an event.
func levelOf(e runner.Event) hclog.Level {
	switch e.Type {
	case runner.RunStarted, runner.StepStarted, runner.RunFinished, runner.StepFinished:
		switch {
		case e.Continued:
			return hclog.Warn
		case e.Failure != nil:
			return hclog.Error
		}
		return hclog.Info
	case steps.Warning, steps.Retry:
		return hclog.Warn
	case steps.BlockStarted, steps.BlockDelta, steps.BlockFinished:
		return hclog.Trace
	}
	return hclog.Debug
}

// eventValues are the parts of an event that are not empty.
func eventValues(e runner.Event) []any {
	values := []any{"run_id", e.RunID}
	add := func(name, value string) {
		if value != "" {
			values = append(values, name, term.Visible(value))
		}
	}
	add("place", view.Place(e))
	add("label", e.Label)
	add("workflow", e.Workflow)
	add("status", string(e.Status)+string(e.Event.Status))
	add("reason", string(e.Reason))
	add("model", e.Model)
	add("tool", e.Tool)
	add("input", string(e.Input))
	add("rule", e.Rule)
	add("delta", e.Delta)
	add("message", e.Message)
	if e.Continued {
		values = append(values, "continued", true)
	}
	if e.Failure != nil {
		add("kind", string(e.Failure.Kind))
		add("error", e.Failure.Message)
	}
	add("error", e.Event.Error)
	if e.Turn > 0 {
		values = append(values, "turn", e.Turn)
	}
	if took := max(e.Elapsed, e.Duration); took > 0 {
		values = append(values, "duration_ms", took.Milliseconds())
	}
	if e.Wait > 0 {
		values = append(values, "wait_ms", e.Wait.Milliseconds())
	}
	if e.Usage != nil {
		values = append(values, "tokens", e.Usage.Total())
	}
	return values
}
