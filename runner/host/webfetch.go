package host

import (
	"context"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/web"
)

// webfetch returns the tool that fetches pages, under the rules of a step.
func (b *toolboxes) webfetch(ruled policies) tools.Tool {
	return web.Fetch(web.Options{
		Refused: b.warn,
		Judge: func(ctx context.Context, address string, first bool) (string, tools.Decision) {
			if b.options.Refuse != nil {
				b.options.Refuse("the page " + address)
				return "", tools.Decision{Verdict: tools.Deny, Reason: "no other machine may be contacted here"}
			}
			return b.judgeAddress(ctx, ruled, address, first)
		},
	})
}

// judgeAddress decides about an address like about a call. If the rule is ask, the first address
// of a call was asked about before; a redirect is asked about here.
func (b *toolboxes) judgeAddress(ctx context.Context, ruled policies, address string, first bool) (string, tools.Decision) {
	input, err := mainInput(toolWebfetch, address)
	if err != nil {
		return "", tools.Decision{Verdict: tools.Deny, Reason: err.Error()}
	}
	found := ruled.decide(permission.Call{Tool: toolWebfetch, Input: input})
	d := toolsDecision(found)
	if d.Verdict != tools.Ask || first || b.options.Ask == nil {
		return found.Path, d
	}
	d, err = b.options.Ask(ctx, toolWebfetch, input, d)
	if err != nil {
		d = tools.Decision{Verdict: tools.Deny, Rule: d.Rule, Reason: err.Error()}
	}
	return found.Path, d
}
