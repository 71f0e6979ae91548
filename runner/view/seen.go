package view

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Verdict is the result of a condition over two runs.
type Verdict struct {
	Expression string `json:"expression"`
	Holds      bool   `json:"holds"`

	Why []workflows.Part `json:"-"` // the values of its parts
}

// Judge evaluates a condition over before and after: each like run.json, with the counts of the
// whole run added. The result is Check.
func (c *Comparison) Judge(condition *workflows.Gate) (err error) {
	seen := workflows.Env{}
	if seen["before"], err = c.Before.seen(); err == nil {
		seen["after"], err = c.After.seen()
	}
	if err != nil {
		return err
	}
	c.Check = &Verdict{Expression: condition.String(), Why: condition.Why(seen)}
	c.Check.Holds, err = condition.Holds(seen)
	return err
}

func (m *Measured) seen() (map[string]any, error) {
	r, err := runner.ReadResult(m.dir)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	value, err := jsonline.DecodeExact(data)
	if err != nil {
		return nil, err
	}
	seen, _ := value.(map[string]any)
	seen["cached_turns"], seen["turns"], seen["tool_calls"], seen["denied_calls"], seen["tokens"] = m.Cached, m.Turns, m.Calls, m.Denied, int(m.Tokens)
	seen["failures"] = m.Failures
	if m.Status != "" {
		seen["status"] = m.Status
	}
	return seen, nil
}
