package view

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Seen returns what an expression of a comparison sees: before and after, each like run.json,
// with the counts of the whole run added. The runs are in these folders.
func (c *Comparison) Seen(before, after string) (seen workflows.Env, err error) {
	seen = workflows.Env{}
	if seen["before"], err = c.Before.seen(before); err == nil {
		seen["after"], err = c.After.seen(after)
	}
	return seen, err
}

func (m *Measured) seen(dir string) (map[string]any, error) {
	r, err := runner.ReadResult(dir)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	seen := map[string]any{}
	if err := decoder.Decode(&seen); err != nil {
		return nil, err
	}
	tools.ExactNumbers(seen)
	seen["cached_turns"], seen["turns"], seen["tool_calls"], seen["denied_calls"], seen["tokens"] = m.Cached, m.Turns, m.Calls, m.Denied, int(m.Tokens)
	seen["failures"] = m.Failures
	if m.Status != "" {
		seen["status"] = m.Status
	}
	return seen, nil
}
