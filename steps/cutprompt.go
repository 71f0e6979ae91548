package steps

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
)

const (
	// leastCounted is the smallest count of a prompt's tokens that is doubted. No model's
	// context is smaller.
	leastCounted = 256

	// sparsest is how many times fewer tokens than estimated a prompt in any language can
	// have: ten bytes for each.
	sparsest = 10.0 / 3
)

// doubtPrompt warns if a service has counted so few tokens that it can't have read the whole
// prompt: some services cut a prompt to the model's context without an error.
func (d *dialogue) doubtPrompt(req providers.Request, answer providers.Message) {
	if answer.Provider == scripted { // its script says how many
		return
	}
	estimated, counted := req.EstimatedTokens(), answer.Usage.InputTokens
	if counted < leastCounted || float64(counted)*sparsest > float64(estimated) {
		return
	}
	d.warn(d.c.Turns, fmt.Sprintf("the service counted %d tokens in a prompt of about %d: it may have truncated the prompt to the model's context", counted, estimated))
}
