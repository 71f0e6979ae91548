package providers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryWaitsAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model, asked := sequence("a/b", rateLimited(7*time.Second), rateLimited(2*time.Minute), overloaded())
		var told events
		start := time.Now()
		got, err := Retry(model).Stream(t.Context(), Request{}, told.add)
		if err != nil || got.Text() != "a/b" || *asked != 4 {
			t.Fatalf("got %q, %v after %d requests", got.Text(), err, *asked)
		}
		if len(told) != 3 || told[0].Wait != 7*time.Second || told[1].Wait != 2*time.Minute || told[2].Wait > 8*time.Second {
			t.Fatalf("got events %+v", told)
		}
		for i, e := range told {
			if e.Type != Retried || e.Attempt != i+1 || e.Err == nil {
				t.Errorf("event %d is %+v", i, e)
			}
		}
		if took, want := time.Since(start), 7*time.Second+2*time.Minute+told[2].Wait; took != want {
			t.Errorf("took %v, want %v", took, want)
		}
	})
}

func TestRetryBackoff(t *testing.T) {
	for attempt, bound := range map[int]time.Duration{
		1: 2 * time.Second, 2: 4 * time.Second, 3: 8 * time.Second,
	} {
		longest := time.Duration(0)
		for range 2000 {
			wait := backoff(attempt, &Error{})
			if wait < 0 || wait > bound {
				t.Fatalf("attempt %d: waits %v, want at most %v", attempt, wait, bound)
			}
			longest = max(longest, wait)
		}
		if longest < bound*9/10 {
			t.Errorf("attempt %d: the longest of 2000 waits is %v; full jitter comes near %v", attempt, longest, bound)
		}
	}
}

func TestRetryGivesUp(t *testing.T) {
	plain := errors.New("no idea")
	tests := []struct {
		name   string
		err    error
		kind   Kind
		asked  int
		retry  bool // what the error says of another try, by whoever comes next
		phrase string
	}{
		{"429 stays rate_limited", rateLimited(0), KindRateLimited, 4, true, "slow down (HTTP 429), after 4 attempts"},
		{"overloaded stays overloaded", overloaded(), KindOverloaded, 4, true, "after 4 attempts"},
		{"network", &Error{Kind: KindNetwork, Message: "reset", Retryable: true}, KindNetwork, 4, true, "after 4 attempts"},
		{"auth", &Error{Kind: KindAuth, Status: 401}, KindAuth, 1, false, "401"},
		{"quota", &Error{Kind: KindRateLimited, Status: 429, Code: "insufficient_quota"}, KindRateLimited, 1, false, "429"},
		{"too long a wait", rateLimited(2*time.Minute + time.Second), KindRateLimited, 1, false, "slow down; the service asks to wait 2m1s, longer than the limit of 2m0s"},
		{"too long a wait of an overloaded service", &Error{Kind: KindOverloaded, Retryable: true, RetryAfter: time.Hour}, KindRateLimited, 1, false, "the service asks to wait 1h0m0s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model, asked := sequence("a/b", tt.err, tt.err, tt.err, tt.err, tt.err)
				_, err := Retry(model).Stream(t.Context(), Request{}, ignore)
				if e := wantKind(t, err, tt.kind); e.Retryable != tt.retry {
					t.Errorf("retryable is %v", e.Retryable)
				}
				if *asked != tt.asked || !strings.Contains(err.Error(), tt.phrase) {
					t.Errorf("got %v after %d requests; want %q after %d", err, *asked, tt.phrase, tt.asked)
				}
				if !errors.Is(err, tt.err) {
					t.Error("the cause is lost")
				}
			})
		})
	}
	model, asked := sequence("a/b", plain)
	if _, err := Retry(model).Stream(t.Context(), Request{}, ignore); err != plain || *asked != 1 {
		t.Errorf("got %v after %d requests; an error that says nothing of itself is not retried", err, *asked)
	}
}

func TestRetryWatchesTheContext(t *testing.T) {
	stop := errors.New("step timeout 5s")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, stop)
		defer cancel()
		model, asked := sequence("a/b", rateLimited(time.Minute))
		start := time.Now()
		_, err := Retry(model).Stream(ctx, Request{}, ignore)
		wantKind(t, err, KindCancelled)
		if !errors.Is(err, stop) || time.Since(start) != 5*time.Second || *asked != 1 {
			t.Errorf("got %v after %v and %d requests", err, time.Since(start), *asked)
		}
	})
	t.Run("a request that ends with the context is not retried", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		asked := 0
		model := fake{"a/b", func(context.Context, Request, func(Event)) (Message, error) {
			asked++
			cancel(stop)
			return Message{}, &Error{Kind: KindNetwork, Retryable: true, Message: "connection closed"}
		}}
		_, err := Retry(model).Stream(ctx, Request{}, ignore)
		wantKind(t, err, KindCancelled)
		if !errors.Is(err, stop) || asked != 1 {
			t.Errorf("got %v after %d requests", err, asked)
		}
	})
}
