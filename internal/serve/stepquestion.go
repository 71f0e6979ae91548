package serve

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// mostTries is how many invalid answers there may be.
const mostTries = 3

// question asks the client's user the question of a step, one at a time, until ctx ends.
func (c *call) question(ctx context.Context, q *runner.Question) (any, error) {
	if !canAsk(c.session) {
		return nil, runner.ErrUnanswered
	}
	if c.asking.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer c.asking.Release(1)
	problem := ""
	for range mostTries {
		params := &sdk.ElicitParams{Message: problem + view.StepQuestion(q), RequestedSchema: answerSchema(q)}
		answer, err := c.session.Elicit(ctx, params)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, err
		case answer.Action != "accept":
			return nil, runner.ErrUnanswered
		}
		value := answer.Content["answer"]
		if text, isText := value.(string); isText {
			value, err = q.Parse(text)
		} else {
			err = q.Check(value)
		}
		if err == nil {
			return value, nil
		}
		problem = err.Error() + "\n"
	}
	return nil, runner.ErrUnanswered
}

// answerSchema is the form for the answer to a question. Forms have plain fields only, so the user
// writes a list or an object as JSON, in a text.
func answerSchema(q *runner.Question) json.RawMessage {
	field := map[string]any{"type": "string"}
	var wanted map[string]any
	if len(q.Schema) > 0 && json.Unmarshal(q.Schema, &wanted) == nil {
		switch wanted["type"] {
		case "integer", "number", "boolean":
			field["type"] = wanted["type"]
			for _, bound := range []string{"minimum", "maximum"} {
				if limit, has := wanted[bound]; has {
					field[bound] = limit
				}
			}
		}
	}
	if len(q.Choices) > 0 {
		field["enum"] = q.Choices
	}
	if len(q.Default) > 0 {
		field["default"] = q.Default
	}
	if _, isText := plainDefault(q).(string); field["type"] == "string" && !isText {
		delete(field, "default")
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"answer": field}, "required": []string{"answer"}})
	if err != nil {
		panic(err) // it is plain data
	}
	return schema
}

func plainDefault(q *runner.Question) any {
	var value any
	_ = json.Unmarshal(q.Default, &value) // none where it is none
	return value
}
