package providers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"
)

// telling is a model whose answers come with headers, and use tokens.
func telling(starts *[]time.Time, used int64, headers ...http.Header) Model {
	return fake{"a/b", func(ctx context.Context, _ Request, _ func(Event)) (Message, error) {
		if n := len(*starts); n < len(headers) {
			ReportHeaders(ctx, headers[n])
		}
		*starts = append(*starts, time.Now())
		answer := reply("ok")
		answer.Usage.InputTokens = used
		return answer, nil
	}}
}

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// text is a request of about so many tokens.
func text(tokens int) Request {
	return Request{Messages: []Message{UserText(strings.Repeat("abc", tokens))}}
}

func TestGovernorGoesByWhatHeadersTell(t *testing.T) {
	tests := []struct {
		name   string
		header http.Header
		tokens int           // of the second request
		wait   time.Duration // before it
	}{
		{"nothing", nil, 1000, 0},
		{"enough", headers("x-ratelimit-remaining-tokens", "1000", "x-ratelimit-reset-tokens", "40s"), 1000, 0},
		{"no tokens", headers("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "6s"), 10, 6 * time.Second},
		{"tokens that come evenly", headers("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "1m0s", "x-ratelimit-limit-tokens", "60000"), 10_000, 10 * time.Second},
		{"more tokens than there can be", headers("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "1m0s", "x-ratelimit-limit-tokens", "6000"), 10_000, time.Minute},
		{"no requests", headers("X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Requests", "120ms"), 10, 120 * time.Millisecond},
		{"few requests for the rest of a day", headers("x-ratelimit-remaining-requests", "3", "x-ratelimit-reset-requests", "11h2m59.56s", "x-ratelimit-limit-requests", "14400"), 10, 0},
		{"input of anthropic", headers("date", "Sat, 21 Nov 2026 03:00:00 GMT", "anthropic-ratelimit-input-tokens-limit", "3000",
			"anthropic-ratelimit-input-tokens-remaining", "0", "anthropic-ratelimit-input-tokens-reset", "2026-11-21T03:00:30Z"), 1500, 15 * time.Second},
		{"output of anthropic", headers("date", "Sat, 21 Nov 2026 03:00:00 GMT",
			"anthropic-ratelimit-output-tokens-remaining", "100", "anthropic-ratelimit-output-tokens-reset", "2026-11-21T03:00:30Z"), 1500, 0},
		{"one limit for all", headers("date", "Sat, 21 Nov 2026 03:00:00 GMT", "x-ratelimit-limit", "20", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "1795230019000"), 10, 950 * time.Millisecond},
		{"no remainder", headers("x-ratelimit-remaining-tokens", "-1", "x-ratelimit-reset-tokens", "30s"), 10, 0},
		{"no number", headers("x-ratelimit-remaining-tokens", "NaN", "x-ratelimit-reset-tokens", "30s"), 10, 0},
		{"no reset", headers("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "0s"), 10, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var starts []time.Time
				model := Limit(telling(&starts, 0, tt.header), NewGovernor(GovernorOptions{}))
				for _, req := range []Request{text(1), text(tt.tokens)} {
					if _, err := model.Stream(t.Context(), req, ignore); err != nil {
						t.Fatal(err)
					}
				}
				if wait := starts[1].Sub(starts[0]).Round(time.Microsecond); wait != tt.wait {
					t.Errorf("waited %v, want %v", wait, tt.wait)
				}
			})
		})
	}
}

// A header that would keep everybody waiting for hours is not believed before
// the service has refused a request.
func TestGovernorTriesWhatHeadersMakeTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts []time.Time
		spent := headers("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "11h0m0s")
		model := Limit(telling(&starts, 0, spent), NewGovernor(GovernorOptions{}))
		began := time.Now()
		for range 2 {
			if _, err := model.Stream(t.Context(), text(1), ignore); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) != 0 {
			t.Errorf("waited %v", time.Since(began))
		}
	})
}

// Limits are for each model; a pause is for all that the key is used for.
func TestGovernorKeepsModelsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts []time.Time
		g := NewGovernor(GovernorOptions{})
		spent := headers("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "30s")
		other, _ := sequence("a/other", rateLimited(10*time.Second))
		for _, model := range []Model{Limit(telling(&starts, 0, spent), g), Limit(other, g), Limit(telling(&starts, 0), g)} {
			_, _ = model.Stream(t.Context(), text(1), ignore)
		}
		began := starts[0]
		if _, err := Limit(other, g).Stream(t.Context(), text(1), ignore); err != nil {
			t.Fatal(err)
		}
		if waited := starts[1].Sub(began); waited != 30*time.Second {
			t.Errorf("the spent model waited %v, want 30s", waited)
		}
	})
}

// What a request uses is known when it is there; the next ones wait for it.
func TestGovernorKeepsThePaceOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts []time.Time
		model := Limit(telling(&starts, 3000), NewGovernor(GovernorOptions{TokensPerMinute: 6000}))
		for range 5 {
			if _, err := model.Stream(t.Context(), text(1000), ignore); err != nil {
				t.Fatal(err)
			}
		}
		var waits []time.Duration
		for i := range starts[1:] {
			waits = append(waits, starts[i+1].Sub(starts[i]).Round(time.Second))
		}
		if want := []time.Duration{0, 10 * time.Second, 30 * time.Second, 30 * time.Second}; !slices.Equal(waits, want) {
			t.Errorf("waited %v, want %v", waits, want)
		}
	})
}

func TestGovernorGivesTokensOfARefusedRequestBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{TokensPerMinute: 6000})
		failing, _ := sequence("a/b", &Error{Kind: KindProvider, Status: 400})
		start := time.Now()
		for range 2 {
			_, _ = Limit(failing, g).Stream(t.Context(), text(6000), ignore)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestGovernorIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{MaxConcurrent: 2, TokensPerMinute: 1000})
		var (
			mu    sync.Mutex
			order []int
		)
		model := fake{"a/b", func(ctx context.Context, req Request, _ func(Event)) (Message, error) {
			Sleep(ctx, time.Second)
			return reply("ok"), nil
		}}
		var steps conc.WaitGroup
		for i := range 20 {
			steps.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				limited := Limit(fake{"a/b", func(ctx context.Context, req Request, emit func(Event)) (Message, error) {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					return model.Stream(ctx, req, emit)
				}}, g)
				// Large ones are not passed by small ones.
				if _, err := limited.Stream(t.Context(), text(1+i%2*900), ignore); err != nil {
					t.Error(err)
				}
			})
		}
		steps.Wait()
		if !slices.IsSorted(order) || len(order) != 20 {
			t.Errorf("requests began in the order %v", order)
		}
	})
}

// What waits for a limit of its model holds up nothing but that model.
func TestGovernorLetsOtherModelsPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spent, free []time.Time
		g := NewGovernor(GovernorOptions{})
		first := Limit(telling(&spent, 0, headers("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "30s")), g)
		second := Limit(renamed{telling(&free, 0), "a/other"}, g)
		if _, err := first.Stream(t.Context(), text(1), ignore); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var steps conc.WaitGroup
		for _, model := range []Model{first, second} {
			steps.Go(func() {
				if model == second {
					time.Sleep(time.Second) // it comes later
				}
				if _, err := model.Stream(t.Context(), text(1), ignore); err != nil {
					t.Error(err)
				}
			})
		}
		steps.Wait()
		if waited, passed := spent[1].Sub(began), free[0].Sub(began); waited != 30*time.Second || passed != time.Second {
			t.Errorf("the spent model waited %v, the other one %v; want 30s, 1s", waited, passed)
		}
	})
}

// renamed is a model by another name.
type renamed struct {
	Model
	ref string
}

func (r renamed) Info() Info { return Info{Ref: r.ref} }

// A pause that is too long is told to all that wait, and to each at once. Those
// whose context ends leave the queue, and hold nobody up.
func TestGovernorLetsNobodyWaitInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{MaxConcurrent: 1})
		if _, err := g.enter(t.Context(), "a/b", 0, func(Event) {}); err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var errs [6]error
		var steps conc.WaitGroup
		for i := range errs {
			steps.Go(func() {
				ctx := t.Context()
				if i < 3 {
					ctx = impatient
				}
				_, errs[i] = Limit(&service{}, g).Stream(ctx, Request{}, ignore)
			})
		}
		time.Sleep(2 * time.Second)
		g.learn(time.Now(), rateLimited(time.Hour))
		synctest.Wait()
		g.leave()
		steps.Wait()
		for i, err := range errs {
			want := KindRateLimited
			if i < 3 {
				want = KindCancelled
			}
			wantKind(t, err, want)
		}
		if g.running != 0 || len(g.queue) != 0 {
			t.Errorf("%d run, %d wait", g.running, len(g.queue))
		}
	})
}

// Nothing is known of a service with a high maximum: it is found out step by
// step, twice as many with each round, and without a refusal.
func TestGovernorStartsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{takes: time.Second}
		start := time.Now()
		sendAll(t, Limit(s, NewGovernor(GovernorOptions{MaxConcurrent: 64})), 16+32+64, 1)
		if took := time.Since(start); s.most != 64 || took != 3*time.Second {
			t.Errorf("%d at once after %v, want 64 after 3s", s.most, took)
		}
	})
}

func TestGovernorCountsWhatWasRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusing, _ := sequence("a/b", rateLimited(time.Second), overloaded(), rateLimited(time.Second))
		var told events
		answer, err := Retry(Limit(refusing, NewGovernor(GovernorOptions{}))).Stream(t.Context(), Request{}, told.add)
		if err != nil || answer.Text() != "a/b" || len(told) != 3 {
			t.Fatalf("got %q, %v, %d events", answer.Text(), err, len(told))
		}
		for i, want := range []string{
			"slow down (HTTP 429)", "busy (HTTP 503); rate limited: 2 of 2 requests so far",
			"slow down (HTTP 429); rate limited: 3 of 3 requests so far",
		} {
			if got := told[i].Err.Error(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	})
}

// wrapping is a model that says more of its errors.
type wrapping struct{ Model }

func (w wrapping) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	answer, err := w.Model.Stream(ctx, req, emit)
	return answer, fmt.Errorf("on the way: %w", err)
}

// TestGovernorCountsWhatWasWrapped has a refusal come inside of another error,
// which stays a cause.
func TestGovernorCountsWhatWasWrapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := overloaded()
		refusing, _ := sequence("a/b", busy, busy)
		model := Limit(wrapping{refusing}, NewGovernor(GovernorOptions{}))
		for n := 1; n <= 2; n++ {
			_, err := model.Stream(t.Context(), Request{}, nil)
			var told *Error
			if !errors.As(err, &told) || told.Refused != n || told.Asked != n || told.Kind != KindOverloaded {
				t.Errorf("request %d: error %+v", n, told)
			}
			if !errors.Is(err, busy) {
				t.Errorf("request %d: the refusal is lost in %v", n, err)
			}
		}
	})
}

func TestEstimatedTokens(t *testing.T) {
	answered := reply("much longer than it was counted")
	answered.Usage = Usage{InputTokens: 90, OutputTokens: 10}
	tests := []struct {
		name string
		req  Request
		want int64
	}{
		{"empty", Request{}, 0},
		{"all of it", Request{System: "abc", Messages: []Message{UserText("abcd")}, Tools: []ToolSpec{{Name: "ab", Parameters: []byte("{}")}}}, 4},
		{"what was counted", Request{System: "abc", Messages: []Message{UserText("abc"), answered, UserText("abcdef")}}, 102},
	}
	for _, tt := range tests {
		if got := tt.req.EstimatedTokens(); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
	}
}

func ExampleGovernor() {
	governor := NewGovernor(GovernorOptions{MaxConcurrent: 4, RequestsPerMinute: 600, TokensPerMinute: 200_000})
	model := Retry(Limit(fake{"a/b", func(context.Context, Request, func(Event)) (Message, error) { return reply("hello"), nil }}, governor))
	answer, err := model.Stream(context.Background(), Request{Messages: []Message{UserText("Hello?")}}, func(Event) {})
	fmt.Println(answer.Text(), err)
	// Output: hello <nil>
}

// A service that is overloaded, perhaps by others, is asked a quarter less, once for
// all that were under way together; one that limits us, half.
func TestOverloadLowersByAQuarter(t *testing.T) {
	began := time.Now()
	refused := began.Add(time.Second)
	for _, c := range []struct {
		running, relieved, tightened int
	}{{16, 12, 8}, {8, 6, 4}, {1, 1, 1}} {
		overloaded, limited := congestion{allowed: 16, ceiling: 16}, congestion{allowed: 16, ceiling: 16}
		for range 2 {
			overloaded.relieve(began, refused, c.running)
			limited.tighten(began, refused, c.running)
		}
		if overloaded.allowed != c.relieved || limited.allowed != c.tightened {
			t.Errorf("of %d at once %d and %d are allowed, want %d and %d", c.running, overloaded.allowed, limited.allowed, c.relieved, c.tightened)
		}
	}
}

// A request that waits says so after a second, and for how long if a limit holds it up.
func TestGovernorTellsOfWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		limits GovernorOptions
		until  time.Duration // since the wait began
	}{"pace": {GovernorOptions{RequestsPerMinute: 6}, 10 * time.Second}, "others": {GovernorOptions{MaxConcurrent: 1}, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, began := NewGovernor(tt.limits), time.Now()
				var told []Event
				enter := func() {
					if _, err := g.enter(t.Context(), "a/b", 0, func(e Event) { told = append(told, e) }); err != nil {
						t.Error(err)
					}
				}
				enter()
				time.AfterFunc(5*time.Second, g.leave)
				enter()
				if len(told) != 2 || told[0].Type != Held || told[1].Type != Admitted {
					t.Fatalf("told %+v", told)
				}
				if until := told[0].Until; tt.until > 0 && !until.Equal(began.Add(tt.until)) || tt.until == 0 && !until.IsZero() {
					t.Errorf("held until %v, began at %v", until, began)
				}
			})
		})
	}
}
