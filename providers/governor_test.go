package providers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"
)

// telling is a model whose answers use tokens.
func telling(starts *[]time.Time, used int64) Model {
	return fake{"a/b", func(context.Context, Request, func(Event)) (Message, error) {
		*starts = append(*starts, time.Now())
		answer := reply("ok")
		answer.Usage.InputTokens = used
		return answer, nil
	}}
}

// text is a request of about so many tokens.
func text(tokens int) Request {
	return Request{Messages: []Message{UserText(strings.Repeat("abc", tokens))}}
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

// A pause that is too long is told to all that wait, and to each at once. Those
// whose context ends leave the queue, and hold nobody up.
func TestGovernorLetsNobodyWaitInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{MaxConcurrent: 1})
		if _, err := g.enter(t.Context(), 0, func(Event) {}); err != nil {
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
		g.learn(time.Now(), 0, rateLimited(time.Hour))
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
		if g.running != 0 || len(g.turn) != 0 {
			t.Errorf("%d run, %d wait", g.running, len(g.turn))
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
					if _, err := g.enter(t.Context(), 0, func(e Event) { told = append(told, e) }); err != nil {
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
