package serve

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
)

// deniedByClient is the reason of a denial by the client's user.
const deniedByClient = "denied by the user of the MCP client"

// allowForm is the form for the answer about a call.
var allowForm = json.RawMessage(`{"type":"object","properties":{"allow":{"type":"boolean","title":"Allow it this once","default":false},"reason":{"type":"string","title":"If not: the reason, for the model"}},"required":["allow"]}`)

// elicit shows the client's user a form, one at a time, until ctx ends.
func (c *call) elicit(ctx context.Context, message string, form json.RawMessage) (*sdk.ElicitResult, error) {
	if c.asking.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer c.asking.Release(1)
	answer, err := c.session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: form})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// ask asks about a call. The call is denied if the client can't ask, or gives no valid answer.
func (c *call) ask(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	if !canAsk(c.session) {
		return d.Deny("the MCP client asks nobody", view.Unasked), nil
	}
	question := view.Question(ctx, c.workflow, tool, arguments, d.Rule)
	if question == "" {
		return d.Deny(view.Unseen, ""), nil
	}
	answer, err := c.elicit(ctx, question+"Allow it this once?", allowForm)
	switch {
	case ctx.Err() != nil:
		return d, err
	case err != nil:
		return d.Deny("the MCP client could not ask: "+err.Error(), view.Unasked), nil
	case answer.Action == "accept" && answer.Content["allow"] == true:
		d.Verdict = tools.Allow
		return d, nil
	}
	reason, _ := answer.Content["reason"].(string)
	return d.Deny(view.WhyDenied("the user of the MCP client", strings.TrimSpace(reason)), deniedByClient), nil
}

// canAsk reports whether the client has a form for its user.
func canAsk(session *sdk.ServerSession) bool {
	client := session.InitializeParams()
	if client == nil || client.Capabilities == nil || client.Capabilities.Elicitation == nil {
		return false
	}
	can := client.Capabilities.Elicitation
	return can.Form != nil || can.URL == nil
}

// maxTries is how many invalid answers to a step there may be.
const maxTries = 3

// question asks the question of a step.
func (c *call) question(ctx context.Context, q *runner.Question) (any, error) {
	if !canAsk(c.session) {
		return nil, runner.ErrUnanswered
	}
	problem := ""
	for range maxTries {
		answer, err := c.elicit(ctx, problem+view.StepQuestion(q), answerForm(q))
		if err != nil {
			return nil, err
		}
		if answer.Action != "accept" {
			return nil, runner.ErrUnanswered
		}
		value := answer.Content["answer"]
		if text, isText := value.(string); isText {
			value, err = q.Parse(text)
		} else {
			err = q.Check(value)
		}
		if err == nil {
			comment, _ := answer.Content["comment"].(string)
			q.SetComment(comment)
			return value, nil
		}
		problem = err.Error() + "\n"
	}
	return nil, runner.ErrUnanswered
}

// answerForm is the form for the answer to a question. Forms have plain fields only, so the user
// writes a list or an object as JSON, in a text.
func answerForm(q *runner.Question) json.RawMessage {
	var wanted struct{ Type any }
	_ = json.Unmarshal(q.Schema, &wanted) // true and false have no type
	field := map[string]any{"type": "string"}
	if slices.Contains([]any{"integer", "number", "boolean"}, wanted.Type) {
		field["type"] = wanted.Type
	}
	if len(q.Choices) > 0 {
		field["enum"] = q.Choices
	}
	fields := map[string]any{"answer": field}
	if q.Comment {
		fields["comment"] = map[string]any{"type": "string"}
	}
	form, err := json.Marshal(map[string]any{"type": "object", "properties": fields, "required": []string{"answer"}})
	if err != nil {
		panic(err) // it is plain data
	}
	return form
}
