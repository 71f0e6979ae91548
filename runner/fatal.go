package runner

import (
	"context"
	"errors"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// fatal reports whether an error is the run's own and not that of a step or an element: the
// next one would fail as well. on_error does not apply to it.
func fatal(err *steps.Error) bool {
	switch err.Kind {
	case steps.KindBudget:
		return !err.Continues
	case steps.KindAuth, steps.KindConfiguration:
		return true
	}
	return exhausted(err)
}

// exhausted reports whether a service takes no more requests for longer than a
// run waits: a quota is used up.
func exhausted(err error) bool {
	var refused *providers.Error
	return errors.As(err, &refused) && refused.Kind == providers.KindRateLimited && !refused.Retryable
}

// budgetOwner names the budget of a used workflow in errors: the unit that uses it; "" at the top.
func (in *instance) budgetOwner() string {
	if in.caller == nil {
		return ""
	}
	return in.user.String()
}

// owns reports whether an error is about the budget of this used workflow, or of a step in it. For the
// workflow that uses it, such an error is that of a step. The error may come from the journal.
func (in *instance) owns(err *steps.Error) bool {
	if err.Kind != steps.KindBudget || in.caller == nil {
		return false
	}
	of, parseErr := journal.ParseAddress(err.BudgetOf)
	user := in.user.WithAttempt(0)
	return parseErr == nil && user.Contains(of) && of != user // which has a budget of its own, around the workflow
}

type refusedModel struct{ workflow, ref string }

// A guardedModel is not asked again once it has refused for good.
type guardedModel struct {
	providers.Model
	key     refusedModel
	refused *sync.Map // the errors of models that are not asked again in this run, because their key was refused or the quota is used up
}

// Stream asks the model, unless it has refused for good.
func (g guardedModel) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	if err, refused := g.refused.Load(g.key); refused {
		return providers.Message{}, err.(error)
	}
	answer, err := g.Model.Stream(ctx, req, emit)
	if err != nil && (providers.KindOf(err) == providers.KindAuth || exhausted(err)) {
		g.refused.Store(g.key, err)
	}
	return answer, err
}

// Cached implements [providers.Cacher].
func (g guardedModel) Cached(req providers.Request) bool { return providers.Cached(g.Model, req) }
