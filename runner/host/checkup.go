package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// checkTimeout bounds one request of a check.
const checkTimeout = 30 * time.Second

// A CheckupStatus is the result of a check.
type CheckupStatus string

// The results of a check.
const (
	Answered CheckupStatus = "answered"
	Failed   CheckupStatus = "failed"
	Skipped  CheckupStatus = "skipped"
)

// A Checkup is the result of one request to a provider.
type Checkup struct {
	Status     CheckupStatus `json:"status"`
	Model      string        `json:"model,omitempty"`
	DurationMS int64         `json:"duration_ms,omitempty"`
	Kind       steps.Kind    `json:"kind,omitempty"`
	Message    string        `json:"message,omitempty"`
	Hint       string        `json:"hint,omitempty"`
}

// CheckUp asks a model of each listed provider for a word, all at once: the named one, or else the
// cheapest known one. Without a named model, a provider without a key and a base URL is skipped. It
// adds the results to the list, without secrets.
func (env Environment) CheckUp(ctx context.Context, l *Listing) {
	models, mask := NewModels(env), tools.NewMask(slices.Collect(maps.Values(env.namedSecrets(nil))))
	var requests conc.WaitGroup
	for i, p := range l.Providers {
		requests.Go(func() {
			asked := models.checkUp(ctx, p, mask.String)
			l.Providers[i].Check = &asked
		})
	}
	requests.Wait()
}

// checkUp asks one model of a provider.
func (m *Models) checkUp(ctx context.Context, p Provider, mask func(string) string) Checkup {
	if !p.named && !p.KeySet && !p.URLSet && p.SignIn == "" {
		return Checkup{Status: Skipped, Message: "no key"}
	}
	name := cmp.Or(p.model, p.cheapest())
	if name == "" {
		return Checkup{Status: Skipped, Message: "none of its models is known", Hint: fmt.Sprintf("name one: flow models --check %s/<model>", p.Name)}
	}
	c := Checkup{Status: Answered, Model: p.Name + "/" + name}
	ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, &providers.Error{
		Kind: providers.KindNetwork, Message: fmt.Sprintf("no answer within %v", checkTimeout),
	})
	defer cancel()
	e, err := m.endpoint(p.Name, &workflows.Workflow{})
	if err == nil {
		start := time.Now()
		_, err = e.hinted(m.connect(e, c.Model, p.Name, name), name).Stream(ctx, smallest(), func(providers.Event) {})
		c.DurationMS = time.Since(start).Milliseconds()
	}
	if err == nil {
		return c
	}
	err = cmp.Or(context.Cause(ctx), err)
	c.Status, c.Kind, c.Message, c.Hint = Failed, steps.KindOf(err), mask(err.Error()), steps.HintOf(err)
	return c
}

// smallest is the smallest request that every service takes.
func smallest() providers.Request {
	const least = 16 // tokens of an answer that OpenAI lets be asked for
	return providers.Request{
		Messages: []providers.Message{providers.UserText("Say: ok")},
		Params:   providers.Params{MaxOutputTokens: least},
	}
}

// cheapest is the cheapest known model of a provider; "" if none is known.
func (p Provider) cheapest() string {
	priced := slices.DeleteFunc(p.models(), func(m KnownModel) bool { return m.Price == nil })
	if len(priced) == 0 {
		return ""
	}
	least := slices.MinFunc(priced, func(a, b KnownModel) int {
		return cmp.Compare(a.Price.Input+a.Price.Output, b.Price.Input+b.Price.Output)
	})
	_, name, _ := strings.Cut(least.Model, "/")
	return name
}
