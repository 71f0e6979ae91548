package report

import (
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/hashicorp/go-hclog"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// NewLog returns a function that logs events to w without secrets, each at its level; nil if the level is
// off, or "". The words of models and tools are always values in a line, which the logger quotes.
func NewLog(w io.Writer, level string, asJSON bool, mask *tools.Mask) func(runner.Event) {
	if level == "" || level == "off" {
		return nil
	}
	log := hclog.New(&hclog.LoggerOptions{
		Name: "flow", Level: hclog.LevelFromString(level), Output: w, JSONFormat: asJSON, Color: hclog.ColorOff,
	})
	return func(e runner.Event) { log.Log(levelOf(e), string(e.Type), eventValues(e, mask)...) }
}

// levelOf is the level of an event.
func levelOf(e runner.Event) hclog.Level {
	switch e.Type {
	case runner.RunStarted, runner.StepStarted, runner.RunFinished, runner.StepFinished:
		switch {
		case e.Tolerated:
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

// eventValues are the fields of an event, as they are in its JSON.
func eventValues(e runner.Event, mask *tools.Mask) (values []any) {
	var fields map[string]any
	line, err := json.Marshal(e)
	if err == nil {
		err = jsonline.Decode(mask.JSON(line), &fields)
	}
	if err != nil {
		return []any{"error", term.Visible(err.Error())}
	}
	for _, name := range []string{"seq", "time", "type"} { // the logger has its own
		delete(fields, name)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		switch value.(type) {
		case string, map[string]any, []any:
			value = term.Visible(runner.Text(value))
		}
		values = append(values, name, value)
	}
	return values
}
