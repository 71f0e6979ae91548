package runner

import (
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Keeper is a model whose answers can be kept; those of a script can't.
type Keeper interface {
	// Keep returns the model with the kept answers of work, to which it adds.
	Keep(work *cache.Conversation) providers.Model
}

// A Cache says where the answers of models are kept. The zero value keeps none.
type Cache struct {
	// Open returns the store, which is the same one each time. Nil: none are kept.
	Open func() (*cache.Store, error)

	// Off says that none are cached because somebody wants that, which a resumed run repeats.
	Off bool

	// Only makes every request that is not answered from the store an error.
	Only bool
}

// keepAnswers sets up that the answers of the unit's model are kept, in all of its attempts, if
// the step wants that. A store that can't be opened is a warning or, with Only, an error.
func (t *site) keepAnswers() error {
	if t.kept != nil || t.step.Agent == nil || !t.step.Agent.Cache.On || t.exec.Cache.Open == nil {
		return nil
	}
	store, err := t.exec.Cache.Open()
	switch {
	case err == nil:
		t.kept = store.WithMaxAge(t.step.Agent.Cache.MaxAge).Begin()
	case t.exec.Cache.Only:
		return &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf("cached answers: %v", err), Err: err}
	default:
		t.warnUnkept(fmt.Errorf("answers are not cached: %w", err))
	}
	return nil
}

// warnUnkept warns that answers are not kept, once in a run, since the cause is the same for
// each element of a foreach.
func (t *site) warnUnkept(err error) {
	if t.exec.unkept.CompareAndSwap(false, true) {
		t.warn(err.Error())
	}
}

func (t *site) warn(message string) { t.observe(warning(message)) }

// blamed has the kinds of failures that can be the fault of a model's answers.
var blamed = []steps.Kind{
	steps.KindInvalidOutput, steps.KindCheckFailed, steps.KindTool, steps.KindDenied, steps.KindLimit, steps.KindContentFilter,
}

// keepOrDiscard keeps the answers of an attempt that has succeeded. If the attempt failed because of
// its answers, they are not given again; if it ended for another reason, those that were kept
// before stay.
func (t *site) keepOrDiscard(r *StepResult) {
	switch {
	case t.kept == nil:
	case r.Status == steps.Succeeded:
		if err := t.kept.Commit(); err != nil {
			t.warnUnkept(err)
		}
	case r.Error != nil && slices.Contains(blamed, r.Error.Kind):
		t.kept.Discard()
	}
}

// keeping returns the model with the kept answers of work. With Only, a step that keeps none
// may not ask its model at all.
func (e *exec) keeping(model providers.Model, work *cache.Conversation) (providers.Model, error) {
	keeper, can := model.(Keeper)
	switch {
	case !can:
		return model, nil
	case work != nil:
		return keeper.Keep(work), nil
	case e.Cache.Only:
		return nil, &steps.Error{
			Kind: steps.KindConfiguration, Message: model.Info().Ref + ": no cached answer for this step, and a cache-only run sends no requests",
			Hint: "cache: true in the workflow caches them",
		}
	}
	return model, nil
}
