package serve

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
)

// deniedByClient is the reason of a denial by the client's user.
const deniedByClient = "denied by the user of the MCP client"

// allowSchema is the form for the answer to a question.
var allowSchema = json.RawMessage(`{"type":"object","properties":{"allow":{"type":"boolean","title":"Allow it this once","default":false}},"required":["allow"]}`)

// ask asks the client's user about a call, one question at a time, until ctx ends. The call is
// denied if the client can't ask, or gives no valid answer.
func (c *call) ask(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	if !canAsk(c.session) {
		return d.Deny(view.Unasked, view.Unasked), nil
	}
	question := view.Question(ctx, c.workflow, tool, arguments, d.Rule)
	if question == "" {
		return d.Deny(view.Unseen, ""), nil
	}
	if c.asking.Acquire(ctx, 1) != nil {
		return d, context.Cause(ctx)
	}
	defer c.asking.Release(1)
	answer, err := c.session.Elicit(ctx, &sdk.ElicitParams{Message: question + "Allow it this once?", RequestedSchema: allowSchema})
	switch {
	case ctx.Err() != nil:
		return d, context.Cause(ctx)
	case err != nil:
		return d.Deny("the MCP client could not ask: "+err.Error(), view.Unasked), nil
	case answer.Action == "accept" && answer.Content["allow"] == true:
		d.Verdict = tools.Allow
		return d, nil
	}
	return d.Deny(deniedByClient, deniedByClient), nil
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
