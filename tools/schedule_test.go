package tools

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// span is when a call ran, in seconds.
type span struct{ from, to int }

// spans runs calls that take a second each.
func spans(ctx context.Context, effects []Effects, limit int) []span {
	start := time.Now()
	seconds := func() int { return int(time.Since(start) / time.Second) }
	all := make([]span, len(effects))
	RunAll(ctx, effects, limit, func(i int) {
		all[i].from = seconds()
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
		all[i].to = seconds()
	})
	return all
}

func TestRunAll(t *testing.T) {
	a, b := Effects{Reads: []string{"/a"}}, Effects{Reads: []string{"/b"}}
	writeA, writeB := Effects{Writes: []string{"/a"}}, Effects{Writes: []string{"/b"}}
	tests := []struct {
		name    string
		effects []Effects
		limit   int
		want    []span
	}{
		{name: "none"},
		{name: "all at once", effects: []Effects{a, b, a}, want: []span{{0, 1}, {0, 1}, {0, 1}}},
		{name: "in order", effects: []Effects{writeA, writeA, a}, want: []span{{0, 1}, {1, 2}, {2, 3}}},
		{name: "no wait for the later", effects: []Effects{a, writeA, b}, want: []span{{0, 1}, {1, 2}, {0, 1}}},
		{name: "everything is a wall", effects: []Effects{a, Everything(), b, {}}, want: []span{{0, 1}, {1, 2}, {2, 3}, {0, 1}}},
		{name: "only what conflicts", effects: []Effects{writeA, writeB, a, b, writeA}, want: []span{{0, 1}, {0, 1}, {1, 2}, {1, 2}, {2, 3}}},
		{name: "two at a time", effects: []Effects{a, a, a, a, a}, limit: 2, want: []span{{0, 1}, {0, 1}, {1, 2}, {1, 2}, {2, 3}}},
		{name: "the earliest first", effects: []Effects{a, writeA, b, b}, limit: 1, want: []span{{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
		{name: "eight at a time", effects: make([]Effects, 9), want: append(slices.Repeat([]span{{0, 1}}, 8), span{1, 2})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := spans(t.Context(), test.effects, test.limit)
				if !slices.Equal(got, test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
		})
	}
}

func TestRunAllCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		start := time.Now()
		got := spans(ctx, slices.Repeat([]Effects{Everything()}, 20), 2)
		if len(got) != 20 || time.Since(start) != 500*time.Millisecond {
			t.Errorf("%d calls in %v", len(got), time.Since(start))
		}
	})
}

func TestRunAllPanic(t *testing.T) {
	var ran atomic.Int32
	defer func() {
		if recover() == nil || ran.Load() != 3 {
			t.Errorf("the panic was lost, or calls: %d ran", ran.Load())
		}
	}()
	RunAll(t.Context(), make([]Effects, 3), 1, func(i int) {
		ran.Add(1)
		if i == 0 {
			panic("broken")
		}
	})
}

// TestRunAllRandom checks the two promises on many random turns: calls that
// conflict run in their order, and no more than the limit run at a time.
func TestRunAllRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		effects := make([]Effects, random.IntN(20))
		for i := range effects {
			path := fmt.Sprintf("/%c", 'a'+rune(random.IntN(4)))
			effects[i] = []Effects{{Reads: []string{path}}, {Writes: []string{path}}, {}, Everything()}[random.IntN(4)]
		}
		checkOrder(t, effects, 1+random.IntN(4))
	}
}

func checkOrder(t *testing.T, effects []Effects, limit int) {
	t.Helper()
	var mu sync.Mutex
	ended := make([]bool, len(effects))
	active := 0
	RunAll(t.Context(), effects, limit, func(i int) {
		mu.Lock()
		if active++; active > limit {
			t.Errorf("%d at a time, the limit is %d", active, limit)
		}
		for earlier := range i {
			if effects[earlier].Conflict(effects[i]) && !ended[earlier] {
				t.Errorf("%d started before %d had ended: %v", i, earlier, effects)
			}
		}
		mu.Unlock()
		mu.Lock()
		ended[i] = true
		active--
		mu.Unlock()
	})
	if slices.Contains(ended, false) {
		t.Errorf("not all ran: %v", ended)
	}
}
