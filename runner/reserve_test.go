package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/sourcegraph/conc"
)

// nested returns the innermost of the budgets of workflows that use each other, the outermost
// first, which are named 0, 1, 2… by their place; warned has what they warn of.
func nested(budgets ...workflows.Budget) (a *budget, warned *[]string) {
	warned = &[]string{}
	a = newBudget(func(text string) { *warned = append(*warned, text) })
	for i, b := range budgets {
		a = a.open(b, fmt.Sprint(i), "")
	}
	return a, warned
}

func tokens(limit int64) workflows.Budget { return workflows.Budget{Tokens: limit} }

// asking returns a request for so many tokens, of which each costs a cent.
func asking(input, output, least int64) request {
	return request{steps.Estimate{InputTokens: input, OutputTokens: output, LeastOutput: least}, func(input, output int64) tools.Amount {
		return tools.Amount{Tokens: input + output, CostUSD: float64(input+output) / 100}
	}}
}

// A script does one thing after another to a budget: "ask 10+90" or "ask 10+90/20" for a
// request with that input, the longest answer and the shortest, "use N" for what the first one
// in flight has used, with which it ends, and "cancel" for the context of all that wait. Each
// prints what the requests come to.
func TestBudget(t *testing.T) {
	usd := func(limit float64) workflows.Budget { return workflows.Budget{CostUSD: limit} }
	tests := []struct {
		name    string
		budgets []workflows.Budget
		script  string
	}{
		{"without a budget nothing limits a request", nil, "ask 10+90: granted; ask 1000+1000: granted; use 5000:; ask 10+90: granted"},
		{"a budget of time alone has room for all", []workflows.Budget{{Time: 1}}, "ask 1000+1000: granted"},
		{"alone, an answer is limited to the rest", []workflows.Budget{tokens(100)}, "ask 10+500: granted 90 of 0; use 50:; ask 10+500: granted 40 of 0"},
		{"so is one that costs", []workflows.Budget{usd(1)}, "ask 10+500: granted 90 of 0; use 50:; ask 10+500: granted 40 of 0"},
		{"the shortest useful answer has to fit", []workflows.Budget{tokens(100)}, "ask 10+500/89: granted 90 of 0; use 0:; ask 10+500/90: refused by 0"},
		{"the longest answers of two fit", []workflows.Budget{tokens(100)}, "ask 10+30: granted 90 of 0; ask 10+30: granted 50 of 0"},
		{"one that fits alone waits for the others", []workflows.Budget{tokens(100)}, "ask 10+30: granted 90 of 0; ask 10+60: ; use 20: granted 70 of 0"},
		{"it waits until enough of them have ended", []workflows.Budget{tokens(100)}, "ask 10+30: granted 90 of 0; ask 10+30: granted 50 of 0; ask 10+80: ; use 10: ; use 10: granted 70 of 0"},
		{"of two that wait one goes on", []workflows.Budget{tokens(100)}, "ask 10+30: granted 90 of 0; ask 10+60: ; ask 10+60: ; use 20: granted 70 of 0; use 20: granted 50 of 0"},
		{"one that waits is refused if too much is spent", []workflows.Budget{tokens(100)}, "ask 10+30: granted 90 of 0; ask 10+80/20: ; use 75: refused by 0"},
		{"one whose context ends does not wait", []workflows.Budget{tokens(100)}, "ask 10+30: granted 90 of 0; ask 10+80: ; cancel: cancelled; use 20: ; ask 10+30: granted 70 of 0"},
		{"one that is shortened leaves nothing", []workflows.Budget{tokens(100)}, "ask 10+500: granted 90 of 0; ask 1+1: ; use 40: granted 59 of 0"},
		{"what is spent has the last word", []workflows.Budget{tokens(100)}, "ask 1+1: granted 99 of 0; use 98: ; ask 1+1/1: refused by 0"},
		{"the tightest of three limits the answer", []workflows.Budget{tokens(300), tokens(100), tokens(200)}, "ask 10+500: granted 90 of 1"},
		{"all of three count", []workflows.Budget{tokens(300), tokens(100), tokens(90)}, "ask 10+500: granted 80 of 2; use 85: ; ask 1+1: granted 4 of 2; use 4: ; ask 1+10/1: refused by 2"},
		{"the outermost of those that refuse is named", []workflows.Budget{tokens(300), tokens(50), tokens(40)}, "ask 60+10: refused by 1"},
		{"the innermost may be full", []workflows.Budget{tokens(300), {}, tokens(50)}, "ask 10+10: granted 40 of 2; ask 10+30: ; use 20: granted 20 of 2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, _ := nested(test.budgets...)
				ctx, cancel := context.WithCancelCause(t.Context())
				var group conc.WaitGroup
				var mu sync.Mutex // of what the goroutines write
				var inFlight []steps.Grant
				var came []string
				for step := range strings.SplitSeq(test.script, "; ") {
					do, want, _ := strings.Cut(step, ":")
					var input, output, least, used int64
					switch {
					case do == "cancel":
						cancel(errors.New("enough"))
					case strings.HasPrefix(do, "use "):
						fmt.Sscanf(do, "use %d", &used)
						a.count(asking(used, 0, 0).longest(), tools.Amount{})
						ended := inFlight[0]
						inFlight = slices.Delete(inFlight, 0, 1)
						ended.Settle(nil)
					default:
						fmt.Sscanf(do, "ask %d+%d/%d", &input, &output, &least)
						group.Go(func() {
							grant, err := a.reserve(ctx, asking(input, output, least))
							mu.Lock()
							defer mu.Unlock()
							var refused *steps.Error
							switch {
							case errors.As(err, &refused):
								came = append(came, "refused by "+refused.BudgetOf)
							case err != nil && err.Error() == "enough":
								came = append(came, "cancelled")
							case err != nil:
								t.Error(err)
							case grant.OutputTokens == 0:
								came = append(came, "granted")
								inFlight = append(inFlight, grant)
							default:
								came = append(came, fmt.Sprintf("granted %d of %s", grant.OutputTokens, grant.BudgetOf))
								inFlight = append(inFlight, grant)
							}
						})
					}
					synctest.Wait()
					if got := strings.Join(came, ", "); got != strings.TrimSpace(want) {
						t.Errorf("%s: %q, want %q", do, got, want)
					}
					came = nil
				}
				cancel(errors.New("enough"))
				for _, grant := range inFlight {
					grant.Settle(nil)
				}
				group.Wait()
				for at := a; at != nil; at = at.outer {
					if at.inFlight != 0 || at.reserved.Tokens != 0 {
						t.Errorf("%v of %d requests are reserved in the end", at.reserved, at.inFlight)
					}
				}
			})
		})
	}
}

// Each of the budgets that one answer overspends is warned of, once.
func TestOverspentBudgets(t *testing.T) {
	a, warned := nested(tokens(300), tokens(100), tokens(90))
	for _, used := range []int64{95, 5, 200} {
		grant := a.grant(asking(1, 1, 1))
		a.count(tools.Amount{Tokens: used}, tools.Amount{})
		grant.Settle(nil)
	}
	for i, want := range []string{"95 of 90", "300 of 100"} {
		if len(*warned) != 2 || !strings.Contains((*warned)[i], want) {
			t.Errorf("warned %q, want %q", *warned, want)
		}
	}
}

// A model that costs more after a long prompt gets a shorter answer for it.
func TestABudgetPaysThePriceOfALongPrompt(t *testing.T) {
	price := providers.Price{Input: 1, Output: 1, Above: []providers.Tier{{Tokens: 1000, Price: providers.Price{Input: 1, Output: 100}}}}
	a, _ := nested(workflows.Budget{CostUSD: 0.012})
	for input, most := range map[int64]int64{1000: 11_000, 2000: 100} {
		r := asking(input, 50_000, 1)
		r.worth = func(input, output int64) tools.Amount {
			return tools.Amount{CostUSD: price.Cost(providers.Usage{InputTokens: input, OutputTokens: output})}
		}
		grant, err := a.reserve(t.Context(), r)
		if err != nil || grant.OutputTokens != most {
			t.Errorf("after %d tokens: at most %d of an answer, %v; want %d", input, grant.OutputTokens, err, most)
		}
		grant.Settle(nil)
	}
}

// A refused request is told what is left, and what was used: by answers, and perhaps by requests
// that were in flight when flow was killed.
func TestARefusalSaysWhatIsLeft(t *testing.T) {
	lost := journal.Record{Kind: journal.Decided, About: journal.Inner, Spent: tools.Amount{Tokens: 4204, CostUSD: 42.04}}
	tests := []struct {
		name  string
		limit workflows.Budget
		spent int64
		lost  bool
		want  string
	}{
		{"nothing is used", tokens(250), 0, false, "the run's budget is too small: the next request may need 300 tokens or more, and 250 of 250 are left"},
		{"some of it", tokens(1250), 1000, false, "the run's budget is too small: the next request may need 300 tokens or more, and 250 of 1,250 are left"},
		{"all of it", tokens(1250), 2000, false, "the run's budget is used up: 2,000 of 1,250 tokens used"},
		{"in flight", tokens(2500), 210, true, "the run's budget is used up: 210 of 2,500 tokens used, and up to 4,204 by requests that were in flight when flow was killed"},
		{"in flight, and some is left", tokens(4500), 210, true, "the run's budget is too small: the next request may need 300 tokens or more, and 86 of 4,500 are left (210 of 4,500 tokens used, and up to 4,204 by requests that were in flight when flow was killed)"},
		{"money", workflows.Budget{CostUSD: 2}, 0, false, "the run's budget is too small: the next request may cost 3.0000 USD or more, and 2.0000 of 2.0000 are left"},
		{"all money", workflows.Budget{CostUSD: 2}, 210, true, "the run's budget is used up: 2.1000 of 2.0000 USD used, and up to 42.0400 by requests that were in flight when flow was killed"},
	}
	for _, tt := range tests {
		a, _ := nested(tt.limit)
		a.count(asking(tt.spent, 0, 0).longest(), tools.Amount{})
		if tt.lost {
			a.take(&lost)
		}
		if _, err := a.reserve(t.Context(), asking(200, 1000, 100)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
