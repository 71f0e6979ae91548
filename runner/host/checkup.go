package host

import (
	"cmp"
	"context"
	"errors"
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

	Unnamed bool `json:"-"` // none of its models is known: it was skipped because none was named
}

// CheckUp asks a model of each listed provider for a word, all at once: the named one, or else the
// cheapest known one. Without a named model, a provider without a key and a base URL is skipped. It
// adds the results to the list, without secrets.
func (env Environment) CheckUp(ctx context.Context, l *Listing) {
	models, mask := NewModels(env), tools.NewMask(slices.Collect(maps.Values(env.namedSecrets(nil))))
	var requests conc.WaitGroup
	for i, p := range l.Providers {
		ref := ""
		if len(l.named) > 0 {
			ref = l.named[i]
		}
		requests.Go(func() {
			came := models.checkUp(ctx, p, ref, mask.String)
			l.Providers[i].Check = &came
		})
	}
	requests.Wait()
}

// checkUp asks one model of a provider.
func (m *Models) checkUp(ctx context.Context, p Provider, ref string, mask func(string) string) Checkup {
	if ref == "" && !p.KeySet && !p.URLSet && p.SignIn == "" {
		return Checkup{Status: Skipped, Message: "no key"}
	}
	_, name, _ := strings.Cut(ref, "/")
	if name == "" {
		name = cheapest(p)
	}
	if name == "" {
		return Checkup{Status: Skipped, Message: "name one of its models", Unnamed: true}
	}
	c := Checkup{Model: p.Name + "/" + name}
	e, err := m.endpoint(p.Name, &workflows.Workflow{})
	if err == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, &providers.Error{
			Kind: providers.KindNetwork, Message: fmt.Sprintf("no answer within %v", checkTimeout),
		})
		defer cancel()
		start := time.Now()
		_, err = e.hinted(m.connect(e, c.Model, p.Name, name), name).Stream(ctx, smallest(), func(providers.Event) {})
		c.DurationMS = time.Since(start).Milliseconds()
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
	}
	return c.with(err, mask)
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
func cheapest(p Provider) string {
	priced := slices.DeleteFunc(KnownModels(p), func(m KnownModel) bool { return m.Price == nil })
	if len(priced) == 0 {
		return ""
	}
	least := slices.MinFunc(priced, func(a, b KnownModel) int {
		return cmp.Compare(a.Price.Input+a.Price.Output, b.Price.Input+b.Price.Output)
	})
	_, name, _ := strings.Cut(least.Model, "/")
	return name
}

// with is the checkup with its result.
func (c Checkup) with(err error, mask func(string) string) Checkup {
	c.Status = Answered
	if err == nil {
		return c
	}
	c.Status, c.Kind, c.Message = Failed, steps.KindOf(err), mask(err.Error())
	var failed *steps.Error
	if errors.As(err, &failed) {
		c.Hint = failed.Hint
	}
	return c
}
