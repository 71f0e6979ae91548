package steps

import (
	"context"

	"github.com/a-seed-11b9befa/flow/providers"
)

// likelyOutput is the length of an answer, in tokens, that is expected at most
// where nothing bounds it.
const likelyOutput = 4096

// reserve asks for what the request may cost, before it is made.
func (d *dialogue) reserve(ctx context.Context, req providers.Request) (settle func(string, providers.Usage), err error) {
	if d.agent.Hooks.Reserve == nil {
		return func(string, providers.Usage) {}, nil
	}
	e := Estimate{Model: d.agent.Model.Info().Ref, InputTokens: inputTokens(req), OutputTokens: likelyOutput}
	if most := req.Params.MaxOutputTokens; most > 0 {
		e.OutputTokens = int64(most)
	}
	return d.agent.Hooks.Reserve(ctx, e)
}

// pay counts what an answer used, a broken one too, and gives back what was
// reserved beyond it. The cost is nil where the price is not known.
func (d *dialogue) pay(answer *providers.Message, settle func(string, providers.Usage), whole bool) *float64 {
	if answer.Model == "" {
		answer.Model = d.agent.Model.Info().Ref
	}
	settle(answer.Model, answer.Usage)
	if !whole && answer.Usage == (providers.Usage{}) {
		return nil
	}
	if d.agent.Hooks.Price == nil {
		d.c.spend(answer.Model, answer.Usage, 0, true)
		return nil
	}
	usd, known := d.agent.Hooks.Price(answer.Model, answer.Usage)
	d.c.spend(answer.Model, answer.Usage, usd, known)
	if !known {
		return nil
	}
	return &usd
}

// inputTokens guesses the size of a request. What the last answer has counted
// is taken for what came before it; of the rest three bytes are a token, which
// is more than text and code come to.
func inputTokens(req providers.Request) int64 {
	const bytesPerToken = 3
	var counted int64
	bytes := 0
	for _, m := range req.Messages {
		if m.Role == providers.RoleAssistant && m.Usage.Total() > 0 {
			counted, bytes = m.Usage.Total(), 0
			continue
		}
		bytes += size(m)
	}
	if counted == 0 {
		bytes += len(req.System)
		for _, t := range req.Tools {
			bytes += len(t.Name) + len(t.Description) + len(t.Parameters)
		}
	}
	return counted + int64(bytes+bytesPerToken-1)/bytesPerToken
}

// size is what a message has in bytes, whatever it is sent as.
func size(m providers.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b.Text) + len(b.Name) + len(b.Arguments) + len(b.Content) + len(b.Raw)
	}
	return n
}
