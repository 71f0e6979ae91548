package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"
)

// A service answers after a while, and refuses what is above its limit.
type service struct {
	limit int
	takes time.Duration
	after time.Duration // what it says with a refusal

	mu                     sync.Mutex
	running, most, refused int
	starts                 []time.Time
}

func (s *service) Info() Info { return Info{Ref: "a/b"} }

func (s *service) Stream(ctx context.Context, _ Request, _ func(Event)) (Message, error) {
	s.mu.Lock()
	s.starts = append(s.starts, time.Now())
	if s.limit > 0 && s.running >= s.limit {
		s.refused++
		s.mu.Unlock()
		Sleep(ctx, 50*time.Millisecond) // the way there and back
		return Message{}, rateLimited(s.after)
	}
	s.running++
	s.most = max(s.most, s.running)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if !Sleep(ctx, s.takes) {
		return Message{}, Cancelled(ctx, "a/b")
	}
	return reply("ok"), nil
}

func TestLimitBoundsConcurrency(t *testing.T) {
	for _, tt := range []struct{ max, want int }{{0, 16}, {3, 3}, {1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{takes: time.Second}
			model := Limit(s, NewGovernor(GovernorOptions{MaxConcurrent: tt.max}))
			sendAll(t, model, 64, 1)
			if s.most != tt.want {
				t.Errorf("%d requests were under way at once, want %d", s.most, tt.want)
			}
		})
	}
}

// askAll has n steps ask the model the given number of times each.
func sendAll(t *testing.T, model Model, n, times int) {
	t.Helper()
	var steps conc.WaitGroup
	for i := range n {
		steps.Go(func() {
			for range times {
				if _, err := model.Stream(t.Context(), Request{Step: fmt.Sprint(i)}, ignore); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	steps.Wait()
}

func TestLimitKeepsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{}
		model := Limit(s, NewGovernor(GovernorOptions{RequestsPerMinute: 30}))
		start := time.Now()
		sendAll(t, model, 31, 1)
		if took := time.Since(start); took < 59*time.Second || took > 61*time.Second {
			t.Errorf("31 requests took %v at 30 a minute", took)
		}
	})
}

func TestLimitHoldsEverybodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{})
		refusing, _ := sequence("a/b", rateLimited(40*time.Second))
		if _, err := Limit(refusing, g).Stream(t.Context(), Request{}, ignore); err == nil {
			t.Fatal("no error")
		}
		s, start := &service{takes: time.Millisecond}, time.Now()
		sendAll(t, Limit(s, g), 20, 1)
		for _, began := range s.starts {
			if began.Sub(start) < 40*time.Second {
				t.Fatalf("a request began %v after the refusal", began.Sub(start))
			}
		}
	})
}

func TestLimitFailsForALongPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{})
		refusing, _ := sequence("a/b", rateLimited(10*time.Minute))
		_, _ = Limit(refusing, g).Stream(t.Context(), Request{}, ignore)
		s, start := &service{}, time.Now()
		_, err := Retry(Limit(s, g)).Stream(t.Context(), Request{}, ignore)
		e := wantKind(t, err, KindRateLimited)
		if e.Model != "a/b" || !strings.Contains(err.Error(), "10m0s") || time.Since(start) != 0 || len(s.starts) != 0 {
			t.Errorf("got %v after %v and %d requests", err, time.Since(start), len(s.starts))
		}
		time.Sleep(10 * time.Minute)
		if _, err := Limit(s, g).Stream(t.Context(), Request{}, ignore); err != nil {
			t.Errorf("after the pause: %v", err)
		}
	})
}

func TestLimitWatchesTheContext(t *testing.T) {
	stop := errors.New("step limit")
	cases := map[string]func(t *testing.T) *Governor{
		"slot": func(t *testing.T) *Governor {
			g := NewGovernor(GovernorOptions{MaxConcurrent: 1})
			if _, err := g.enter(t.Context(), 0, func(Event) {}); err != nil {
				t.Fatal(err)
			}
			return g
		},
		"pace": func(t *testing.T) *Governor {
			g := NewGovernor(GovernorOptions{RequestsPerMinute: 1})
			g.requests.use(time.Now(), 1)
			return g
		},
		"pause": func(t *testing.T) *Governor {
			g := NewGovernor(GovernorOptions{})
			g.pause(rateLimited(time.Minute))
			return g
		},
	}
	for name, governor := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := governor(t)
				ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, stop)
				defer cancel()
				s, start := &service{}, time.Now()
				_, err := Limit(s, g).Stream(ctx, Request{}, ignore)
				wantKind(t, err, KindCancelled)
				if !errors.Is(err, stop) || time.Since(start) != 5*time.Second || len(s.starts) != 0 {
					t.Errorf("got %v after %v", err, time.Since(start))
				}
			})
		})
	}
}

func TestLimitHalvesOnceAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGovernor(GovernorOptions{MaxConcurrent: 8})
		var began []time.Time
		for range 8 {
			at, err := g.enter(t.Context(), 0, func(Event) {})
			if err != nil {
				t.Fatal(err)
			}
			began = append(began, at)
		}
		time.Sleep(time.Second)
		for _, at := range began {
			g.learn(at, 0, rateLimited(time.Second))
			g.leave()
		}
		if g.allowed != 4 {
			t.Fatalf("%d requests are allowed after eight refusals of one burst, want 4", g.allowed)
		}
		s := &service{takes: time.Second}
		sendAll(t, Limit(s, g), 4, 1)
		if g.allowed != 5 {
			t.Errorf("%d are allowed after one round, want 5", g.allowed)
		}
		sendAll(t, Limit(s, g), 5+6+7+8, 1)
		if g.allowed != 8 || s.most != 8 || g.running != 0 || len(g.turn) != 0 {
			t.Errorf("%d are allowed in the end, %d ran at once, %d run, %d wait; want 8, 8, 0, 0", g.allowed, s.most, g.running, len(g.turn))
		}
	})
}

// A storm: 200 steps against a service that bears 20 requests at once. All end
// right, and what is refused is little beside what is answered.
func TestLimitInAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{limit: 20, takes: 2 * time.Second, after: time.Second}
		g := NewGovernor(GovernorOptions{MaxConcurrent: 64})
		model := Retry(Limit(s, g))
		sendAll(t, model, 200, 10)
		if s.most > 20 {
			t.Errorf("%d at once", s.most)
		}
		t.Logf("%d answers, %d refusals, at most %d at once", 2000, s.refused, s.most)
		if s.refused > 60 {
			t.Errorf("%d refusals for 2000 answers", s.refused)
		}
		if g.running != 0 || g.allowed < 1 {
			t.Errorf("governor ends with %d running, %d allowed", g.running, g.allowed)
		}
	})
}
