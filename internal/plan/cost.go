package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Cost is the most that something can cost, without resumes: MaxUSD, and what is Each on top of it.
type Cost struct {
	MaxUSD    *float64 `json:"max_usd,omitempty"`   // nil: it is not bounded
	Each      []Each   `json:"each,omitempty"`      // for the elements of lists that are not known
	Unbounded []string `json:"unbounded,omitempty"` // why it is not bounded
	Assumes   []string `json:"assumes,omitempty"`   // of what the figure is made
}

// An Each is the most for each element: of a foreach, in each element of the one around it, and so on.
type Each struct {
	Of  []string `json:"of"`
	USD float64  `json:"max_usd"`
}

// A tally is what work can cost, and what a budget around it has to know of that.
type tally struct {
	usd       float64  // infinite for what is done any number of times
	endless   []string // why it is infinite
	each      []Each
	unbounded []string // why neither the work nor a request of it is bounded
	assumes   []string

	asks     bool    // it asks models
	once     float64 // of the dearest request, however often it is sent
	free     float64 // of the dearest that asks a free model first, which a budget of nothing allows
	token    float64 // the dearest one
	parallel int     // requests that may be in flight at the same time
	waits    int     // agents, for each of these, that wait for a workflow that they have called
}

// cost returns the tally for people and programs.
func (t tally) cost() Cost {
	switch {
	case len(t.unbounded) > 0:
		return Cost{Unbounded: t.unbounded}
	case math.IsInf(t.usd, 1):
		return Cost{Unbounded: t.endless}
	}
	return Cost{MaxUSD: &t.usd, Each: t.each, Assumes: t.assumes}
}

// times applies that the work is done so many times, one after the other.
func (t *tally) times(n int, noun string) {
	if t.usd *= float64(n); n == 0 {
		t.usd = 0
	}
	for i := range t.each {
		t.each[i].USD *= float64(n)
	}
	if n != 1 {
		t.assumes = append(t.assumes, quantity.Count(n, noun))
	}
}

// foreach applies that the work is done for each element of a step.
func (t *tally) foreach(step *Step) {
	side := step.MaxParallel
	if step.Elements != nil {
		side = min(side, *step.Elements)
		t.times(*step.Elements, "element")
	} else {
		for i := range t.each {
			t.each[i].Of = append([]string{step.Step}, t.each[i].Of...)
		}
		switch {
		case math.IsInf(t.usd, 1):
		case t.usd > 0:
			t.each = append(t.each, Each{[]string{step.Step}, t.usd})
			t.usd = 0
		}
	}
	t.parallel *= side
}

// calls adds what a workflow costs that an agent may call as a tool, at most so often; 0 is any number.
func (t *tally) calls(called tally, name string, n, maxParallel int) {
	if !called.asks {
		return
	}
	limited := n > 0
	if !limited {
		n = maxParallel
		called.endless = append(called.endless, "nothing limits how often the model calls "+name+": set max_calls")
	}
	called.times(n, "call")
	if !limited && (called.usd > 0 || len(called.each) > 0) {
		called.usd, called.each = math.Inf(1), nil
	}
	called.waits++
	t.plus(called)
	t.parallel = min(max(t.parallel, called.parallel*n), maxParallel)
	if limited && called.usd > 0 {
		t.assumes = append(t.assumes, fmt.Sprintf("%s of %s, of up to %s each", quantity.Count(n, "call"), name, Dollars(called.usd/float64(n))))
	}
}

// together is the tally of a list of steps.
func together(list []*workflows.Step, each []tally) (sum tally) {
	type chain struct{ last, widest int }
	var chains []chain // steps of which each needs the one before: they don't work at the same time
	for i, t := range each {
		at := slices.IndexFunc(chains, func(c chain) bool { return slices.Contains(list[i].Needs, c.last) })
		if at < 0 {
			at, chains = len(chains), append(chains, chain{})
		}
		chains[at] = chain{i, max(chains[at].widest, t.parallel)}
		sum.plus(t)
	}
	for _, c := range chains {
		sum.parallel += c.widest
	}
	return sum
}

// plus adds other work, whether it is done at the same time or not.
func (t *tally) plus(other tally) {
	t.asks, t.usd = t.asks || other.asks, t.usd+other.usd
	t.each, t.endless = append(t.each, other.each...), append(t.endless, other.endless...)
	t.once, t.free, t.token, t.waits = max(t.once, other.once), max(t.free, other.free), max(t.token, other.token), max(t.waits, other.waits)
	t.because(other.unbounded...)
}

func (t *tally) because(reasons ...string) {
	for _, reason := range reasons {
		if !slices.Contains(t.unbounded, reason) {
			t.unbounded = append(t.unbounded, reason)
		}
	}
}

// limit applies a budget. It ends the work once it is spent, except for the requests that are in flight
// then, and for a last turn of each agent that works if it goes on.
func (t *tally) limit(b workflows.Budget, inFlight int) {
	if !t.asks || len(t.unbounded) > 0 {
		return
	}
	requests, when := inFlight, "that may be in flight then"
	if b.GoesOn {
		requests, when = (2+t.waits)*inFlight, when+", or are last turns"
	}
	if usd, limited := money(b); limited {
		if usd == 0 {
			t.once = t.free
		}
		t.atMost(usd, requests, "the budget of "+quantity.Dollars(usd), when)
	}
	if b.Tokens > 0 && t.token > 0 {
		what := fmt.Sprintf("the budget of %s at up to %s a million", quantity.Count(b.Tokens, "token"), Dollars(t.token*1e6))
		t.atMost(float64(b.Tokens)*t.token, requests, what, when)
	}
}

// money returns what a budget limits the cost to; false if it does not.
func money(b workflows.Budget) (usd float64, limited bool) {
	if b.CostUSD == math.SmallestNonzeroFloat64 { // as the options write 0
		return 0, true
	}
	return b.CostUSD, b.CostUSD > 0
}

// atMost applies that the work ends when an amount is spent, but for a number of requests.
func (t *tally) atMost(usd float64, requests int, what, when string) {
	if usd += float64(requests) * t.once; len(t.each) == 0 && t.usd <= usd {
		return
	}
	t.usd, t.each = usd, nil
	t.assumes = []string{fmt.Sprintf("%s, and %s of up to %s %s", what, quantity.Count(requests, "request"), Dollars(t.once), when)}
}

// A conversation is what an agent can cost in one attempt.
type conversation struct {
	tally
	turns    int
	closings int     // requests for a result, beside the turns
	dearest  float64 // an answer of the dearest model
	others   float64 // an answer of each of the others
	sizes    []string

	freeFirst bool // the first model is free
}

// conversationOf returns how often the model of a step is asked: for its turns, at a limit, and for a
// result after a stop that is success.
func conversationOf(step *workflows.Step) conversation {
	c := conversation{turns: step.Agent.Stop.MaxTurns, closings: 1}
	structured := step.Output.Kind == workflows.OutputJSON || step.Output.Kind == workflows.OutputSchema
	if stop := step.Agent.Stop; structured && (stop.When != nil || len(stop.OnTool) > 0) {
		c.closings++
	}
	return c
}

// add adds a model that the agent asks.
func (c *conversation) add(at *runner.Linked, ref string, facts host.ModelFacts) {
	if _, known := at.Price(ref, providers.Usage{}); !known {
		c.because("the price of " + ref + " is not known")
		return
	}
	price := func(u providers.Usage) float64 {
		usd, _ := at.Price(ref, u)
		return usd
	}
	const plenty = 1e12 // tokens
	if answer, _ := dearest(price, plenty, plenty, facts); answer == 0 {
		c.freeFirst = c.freeFirst || len(c.sizes) == 0
		c.sizes = append(c.sizes, "nothing for "+ref)
		return
	}
	switch {
	case facts.Context == 0:
		c.because("the context window of " + ref + " is not known")
	case facts.Output == 0:
		c.because("the length of the answers of " + ref + " is not limited")
	}
	if len(c.unbounded) > 0 {
		return
	}
	answer, token := dearest(price, facts.Context, facts.Output, facts)
	c.others += min(answer, c.dearest)
	c.dearest, c.token = max(c.dearest, answer), max(c.token, token)
	c.sizes = append(c.sizes, fmt.Sprintf("%s in, %s out", quantity.Count(facts.Context, "token"), quantity.Thousands(facts.Output)))
	if strings.HasPrefix(ref, "openrouter/") {
		c.assumes = append(c.assumes, "the listed price: OpenRouter may charge another one")
	}
}

// dearest returns what an answer can cost at most, and a token of it.
func dearest(price func(providers.Usage) float64, in, out int64, facts host.ModelFacts) (answer, token float64) {
	lengths := []int64{in}
	for _, tier := range facts.Tiers {
		if tier < in { // the price below the tier, and above it
			lengths = append(lengths, max(tier, 1), tier+1)
		}
	}
	for _, n := range lengths {
		kinds := []providers.Usage{{InputTokens: n}, {InputTokens: n, CachedInputTokens: n}, {InputTokens: n, CacheWriteTokens: n}}
		if facts.CachesForAnHour {
			kinds = append(kinds, providers.Usage{InputTokens: n, CacheWriteTokens: n, CacheWrite1h: n})
		}
		for _, u := range kinds {
			input := price(u)
			u.OutputTokens = out
			both := price(u)
			answer, token = max(answer, both), max(token, input/float64(n), (both-input)/float64(out))
		}
	}
	return answer, token
}

// most returns what one attempt can cost. A request is sent again when its answer breaks off, and what
// has come of that is paid for; then the next model is asked, which stays with the conversation.
func (c *conversation) most(stop workflows.Stop) tally {
	t := c.tally
	if t.asks, t.parallel = true, 1; len(t.unbounded) > 0 {
		return t
	}
	if t.once = providers.Attempts * (c.dearest + c.others); c.freeFirst {
		t.free = t.once
	}
	t.usd = providers.Attempts * (float64(c.turns+c.closings)*c.dearest + c.others)
	if t.usd > 0 {
		t.assumes = append(t.assumes, fmt.Sprintf("%s and %s, each sent up to %d times for %s: %s", quantity.Count(c.turns, "turn"), quantity.Count(c.closings, "closing request"), providers.Attempts, Dollars(c.dearest), strings.Join(c.sizes, ", or ")))
	}
	const beyond = "beyond it"
	if limit := stop.MaxCostUSD; limit > 0 {
		t.atMost(limit, 1+c.closings, "stop.max_cost_usd of "+quantity.Dollars(limit), beyond)
	}
	if limit := stop.MaxTokens; limit > 0 {
		t.atMost(float64(limit)*t.token, 1+c.closings, fmt.Sprintf("stop.max_tokens of %s at up to %s a million", quantity.Thousands(limit), Dollars(t.token*1e6)), beyond)
	}
	return t
}

// Dollars is an amount, rounded up.
func Dollars(usd float64) string {
	cents := 100.0
	for usd > 0 && usd*cents < 10 && cents < 1e12 {
		cents *= 10
	}
	return quantity.Dollars(max(math.Ceil(usd*cents-1e-6), 0) / cents)
}

// String is the figure in short.
func (c Cost) String() string {
	if c.MaxUSD == nil {
		return "unbounded"
	}
	var parts []string
	if *c.MaxUSD > 0 || len(c.Each) == 0 {
		parts = append(parts, Dollars(*c.MaxUSD))
	}
	for _, each := range c.Each {
		parts = append(parts, Dollars(each.USD)+" for each element of "+strings.Join(each.Of, ", and in each of "))
	}
	return "at most " + strings.Join(parts, ", and ")
}

// IsNothing reports whether it costs nothing.
func (c Cost) IsNothing() bool { return c.MaxUSD != nil && *c.MaxUSD == 0 && len(c.Each) == 0 }
