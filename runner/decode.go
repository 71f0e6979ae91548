package runner

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/steps"
)

// UnmarshalJSON reads a result, without the steps and elements inside it.
func (r *StepResult) UnmarshalJSON(data []byte) error {
	var line stepLine
	if err := jsonline.Decode(data, &line); err != nil {
		return err
	}
	r.setLine(line)
	return nil
}

// UnmarshalJSON reads an element's result, without the steps inside it.
func (r *ElementResult) UnmarshalJSON(data []byte) error {
	var line stepLine
	if err := jsonline.Decode(data, &line); err != nil {
		return err
	}
	r.setLine(line)
	r.Label = line.Label
	if line.Index != nil {
		r.Index = *line.Index
	}
	if line.Item != nil {
		r.Item = *line.Item
	}
	return nil
}

// setLine is the inverse of line.
func (r *StepResult) setLine(line stepLine) {
	*r = StepResult{
		Unit: line.Unit, Kind: line.Kind, Counts: line.Counts, Attempts: line.Attempts, Rounds: line.Rounds, Started: line.Started, Duration: line.Duration, path: r.path,
		Result: steps.Result{
			Status: line.Status, StopReason: line.StopReason, Output: line.Output, Partial: line.Partial,
			Text: deref(line.Text), Stdout: deref(line.Stdout), Stderr: deref(line.Stderr), ExitCode: line.ExitCode,
			Error: line.Error,
			Used: steps.Used{
				Turns: deref(line.Turns), ToolCalls: deref(line.ToolCalls), Truncated: deref(line.Truncated),
				Cached: line.Cached, SavedUSD: line.Saved, Denied: line.Denied, Lost: line.Lost, Usage: line.Usage, Unpriced: line.Unpriced,
			},
		},
	}
	if line.Cost != nil && line.Cost.Known {
		r.CostUSD = &line.Cost.USD
	}
}

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// UnmarshalJSON reads an amount, or null.
func (c *Cost) UnmarshalJSON(data []byte) error {
	c.Known = string(data) != "null"
	if !c.Known {
		return nil
	}
	return json.Unmarshal(data, &c.USD)
}

// UnmarshalJSON reads an object, and keeps the order of its keys.
func (v *Values) UnmarshalJSON(data []byte) error {
	if *v = nil; string(data) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return fmt.Errorf("expected an object, not %.40s", data)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("%v: %w", name, err)
		}
		*v = append(*v, NamedValue{fmt.Sprint(name), jsonline.ExactNumbers(value)})
	}
	return nil
}
